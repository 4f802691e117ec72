"""Pages: one file each, that opens without a network and asks for nothing."""

from tacit.report.page.document import picture_page, write_picture
from tacit.report.page.study_page import study_page, write_page

__all__ = ["picture_page", "study_page", "write_page", "write_picture"]

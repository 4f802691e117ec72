"""Pages: one file each, that opens without a network and asks for nothing."""

from tacit.report.page.study_page import write_page

__all__ = ["write_page"]

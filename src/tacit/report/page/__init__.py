"""Pages: one file each, that opens without a network and asks for nothing."""

from tacit.report.page.artefact_page import artefact_page, write_artefact_page
from tacit.report.page.picture_page import picture_page, write_picture
from tacit.report.page.study_page import study_page, write_page

__all__ = ["artefact_page", "picture_page", "study_page", "write_artefact_page", "write_page", "write_picture"]

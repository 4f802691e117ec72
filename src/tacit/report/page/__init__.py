"""Pages: one file each, that opens without a network and asks for nothing."""

from tacit.report.page.about import About, read_about
from tacit.report.page.audit_page import audit_page, write_audit_page
from tacit.report.page.card import model_card, write_model_card
from tacit.report.page.document import picture_page, write_picture
from tacit.report.page.review_page import schema_review, write_schema_review
from tacit.report.page.study_page import study_page, write_page

__all__ = [
    "About",
    "audit_page",
    "model_card",
    "picture_page",
    "read_about",
    "schema_review",
    "study_page",
    "write_audit_page",
    "write_model_card",
    "write_page",
    "write_picture",
    "write_schema_review",
]

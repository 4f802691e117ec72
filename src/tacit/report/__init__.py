"""Pictures and pages. Pages need nothing but Tacit; pictures in a notebook need the extra `report`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.report.displays import (
        AccuracyDistributionDisplay,
        CalibrationDisplay,
        ContributionsDisplay,
        EffectsDisplay,
        ImportanceDisplay,
        ModelCurvesDisplay,
        PrivacyCostDisplay,
        PrivacyCurveDisplay,
        PValueHeatMapDisplay,
        RunTimeDisplay,
    )
    from tacit.report.evidence import write_evidence
    from tacit.report.page.about import About, read_about
    from tacit.report.page.audit_page import write_audit_page
    from tacit.report.page.card import write_model_card
    from tacit.report.page.document import write_picture
    from tacit.report.page.review_page import write_schema_review
    from tacit.report.page.study_page import write_page
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "displays": "AccuracyDistributionDisplay CalibrationDisplay ContributionsDisplay EffectsDisplay "
            "ImportanceDisplay ModelCurvesDisplay PrivacyCostDisplay PrivacyCurveDisplay PValueHeatMapDisplay "
            "RunTimeDisplay",
            "evidence": "write_evidence",
            "page.about": "About read_about",
            "page.audit_page": "write_audit_page",
            "page.card": "write_model_card",
            "page.document": "write_picture",
            "page.review_page": "write_schema_review",
            "page.study_page": "write_page",
        },
    )

__all__ = [
    "About",
    "AccuracyDistributionDisplay",
    "CalibrationDisplay",
    "ContributionsDisplay",
    "EffectsDisplay",
    "ImportanceDisplay",
    "ModelCurvesDisplay",
    "PValueHeatMapDisplay",
    "PrivacyCostDisplay",
    "PrivacyCurveDisplay",
    "RunTimeDisplay",
    "read_about",
    "write_audit_page",
    "write_evidence",
    "write_model_card",
    "write_page",
    "write_picture",
    "write_schema_review",
]

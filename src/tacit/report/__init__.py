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
    from tacit.report.page import (
        About,
        read_about,
        write_audit_page,
        write_model_card,
        write_page,
        write_picture,
        write_schema_review,
    )
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "displays": "AccuracyDistributionDisplay CalibrationDisplay ContributionsDisplay EffectsDisplay "
            "ImportanceDisplay ModelCurvesDisplay PrivacyCostDisplay PrivacyCurveDisplay PValueHeatMapDisplay "
            "RunTimeDisplay",
            "evidence": "write_evidence",
            "page": "About read_about write_audit_page write_model_card write_page write_picture write_schema_review",
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

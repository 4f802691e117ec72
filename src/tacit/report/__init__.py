"""Pictures and pages. Pages need nothing but Tacit; pictures in a notebook need the extra `report`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.report.displays import (
        AccuracyDistributionDisplay,
        CalibrationDisplay,
        EffectsDisplay,
        ImportanceDisplay,
        ModelCurvesDisplay,
        PrivacyCostDisplay,
        PrivacyCurveDisplay,
        PValueHeatMapDisplay,
        RunTimeDisplay,
    )
    from tacit.report.page import write_audit_page, write_model_card, write_page, write_picture, write_schema_review

__all__ = [
    "AccuracyDistributionDisplay",
    "CalibrationDisplay",
    "EffectsDisplay",
    "ImportanceDisplay",
    "ModelCurvesDisplay",
    "PValueHeatMapDisplay",
    "PrivacyCostDisplay",
    "PrivacyCurveDisplay",
    "RunTimeDisplay",
    "write_audit_page",
    "write_model_card",
    "write_page",
    "write_picture",
    "write_schema_review",
]

_HOMES = {
    **dict.fromkeys((name for name in __all__ if name.endswith("Display")), "displays"),
    **dict.fromkeys(
        ("write_audit_page", "write_model_card", "write_page", "write_picture", "write_schema_review"), "page"
    ),
}


def __getattr__(name: str) -> Any:
    """Load a public name's module when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tacit.report' has no attribute {name!r}")
    return getattr(import_module(f"tacit.report.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

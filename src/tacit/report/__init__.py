"""Pictures and pages; they need the extra `report`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.report.accuracy import Curve, Reference, draw_accuracy
    from tacit.report.artefact import draw
    from tacit.report.displays import (
        AccuracyDistributionDisplay,
        PrivacyCostDisplay,
        PrivacyCurveDisplay,
        PValueHeatMapDisplay,
        RunTimeDisplay,
    )
    from tacit.report.page import write_artefact_page, write_page

__all__ = [
    "AccuracyDistributionDisplay",
    "Curve",
    "PValueHeatMapDisplay",
    "PrivacyCostDisplay",
    "PrivacyCurveDisplay",
    "Reference",
    "RunTimeDisplay",
    "draw",
    "draw_accuracy",
    "write_artefact_page",
    "write_page",
]

_HOMES = {
    **dict.fromkeys(("Curve", "Reference", "draw_accuracy"), "accuracy"),
    **dict.fromkeys((name for name in __all__ if name.endswith("Display")), "displays"),
    "draw": "artefact",
    **dict.fromkeys(("write_artefact_page", "write_page"), "page"),
}


def __getattr__(name: str) -> Any:
    """Load a public name's module when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tacit.report' has no attribute {name!r}")
    return getattr(import_module(f"tacit.report.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

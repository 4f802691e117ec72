"""Models of InterpretML, made from settings and from what the schema says."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version as version_of
from typing import Any

import numpy as np


def version() -> str:
    """Return the version that is installed."""
    return version_of("interpret-core")


def dp_ebm(settings: Mapping[str, Any], public: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the private explainable boosting machine; types and bounds are the schema's."""
    from interpret.privacy import DPExplainableBoostingClassifier

    model = DPExplainableBoostingClassifier(**_shared(settings, public))
    return model, type(model).decision_function


def dp_ebm_regressor(settings: Mapping[str, Any], public: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the same of a number to predict, whose bounds are the schema's, too."""
    from interpret.privacy import DPExplainableBoostingRegressor

    low, high = public["target"]
    return DPExplainableBoostingRegressor(
        **_shared(settings, public), privacy_target_min=low, privacy_target_max=high
    ), None


def _shared(settings: Mapping[str, Any], public: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "feature_types": ["nominal" if each else "continuous" for each in public["categories"]],
        "privacy_bounds": np.column_stack([public["low"], public["high"]]),
        "learning_rate": settings["learning_rate"],
        "max_rounds": settings["max_rounds"],
        "max_bins": settings["max_bins"],
        "max_leaves": settings["max_leaves"],
        "epsilon": settings["epsilon"],
        "delta": settings["delta"],
        "random_state": settings["seed"],
        "n_jobs": 1,
    }


MODELS = {"dp-ebm": dp_ebm, "dp-ebm-regressor": dp_ebm_regressor}

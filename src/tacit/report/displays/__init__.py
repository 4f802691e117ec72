"""Pictures of a study, after scikit-learn's displays: ``from_study`` draws, ``figure_`` and ``ax_`` hold it."""

from tacit.report.displays.accuracy_distribution import AccuracyDistributionDisplay
from tacit.report.displays.p_value_heat_map import PValueHeatMapDisplay
from tacit.report.displays.privacy_cost import PrivacyCostDisplay
from tacit.report.displays.privacy_curve import PrivacyCurveDisplay
from tacit.report.displays.run_time import RunTimeDisplay

__all__ = [
    "AccuracyDistributionDisplay",
    "PValueHeatMapDisplay",
    "PrivacyCostDisplay",
    "PrivacyCurveDisplay",
    "RunTimeDisplay",
]

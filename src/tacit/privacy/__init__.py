"""What is promised, what it costs and what is left; knows nothing of algorithms."""

from tacit.privacy.accountant import Accountant
from tacit.privacy.budget import Budget
from tacit.privacy.composition import advanced_composition, basic_composition
from tacit.privacy.conversions import (
    bounded_range_to_zcdp,
    discrete_laplace_rho,
    gaussian_rho,
    pure_to_zcdp,
    zcdp_delta,
    zcdp_epsilon,
    zcdp_rho,
)
from tacit.privacy.guarantee import ASSUMPTIONS, Guarantee, Status
from tacit.privacy.ledger import LedgerLine
from tacit.privacy.loss import ZCDP, ApproximateDP, PrivacyLoss, PureDP, Share
from tacit.privacy.mechanism import Mechanism
from tacit.privacy.noise_source import NoiseSource
from tacit.privacy.observer import ObservedRelease, observing
from tacit.privacy.plan import Composition, Planned, in_part
from tacit.privacy.statistic import NumericStatistic, SelectionStatistic, Statistic
from tacit.privacy.unit import PrivacyUnit, Slice

__all__ = [
    "ASSUMPTIONS",
    "ZCDP",
    "Accountant",
    "ApproximateDP",
    "Budget",
    "Composition",
    "Guarantee",
    "LedgerLine",
    "Mechanism",
    "NoiseSource",
    "NumericStatistic",
    "ObservedRelease",
    "Planned",
    "PrivacyLoss",
    "PrivacyUnit",
    "PureDP",
    "SelectionStatistic",
    "Share",
    "Slice",
    "Statistic",
    "Status",
    "advanced_composition",
    "basic_composition",
    "bounded_range_to_zcdp",
    "discrete_laplace_rho",
    "gaussian_rho",
    "in_part",
    "observing",
    "pure_to_zcdp",
    "zcdp_delta",
    "zcdp_epsilon",
    "zcdp_rho",
]

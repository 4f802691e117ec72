"""Privacy accounting: units, statistics, losses, budgets and guarantees; knows nothing of algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.privacy.accountant import Accountant
    from tacit.privacy.assumptions import ASSUMPTIONS
    from tacit.privacy.charge import Charge, ReservedCharge, paying, reserved
    from tacit.privacy.conversions import (
        basic_composition,
        bounded_range_to_zcdp,
        gaussian_rho,
        pure_to_zcdp,
        zcdp_delta,
        zcdp_epsilon,
        zcdp_rho,
    )
    from tacit.privacy.guarantee import Guarantee, Status
    from tacit.privacy.loss import ZCDP, ApproximateDP, Budget, PrivacyLoss, PureDP, Share, UpToDelta
    from tacit.privacy.mechanism import Mechanism, NoiseSource, Replayable
    from tacit.privacy.merged import MergedGuarantee, PartCertificate
    from tacit.privacy.plan import Composition, PlanEntry, PrivacyFilter, in_part
    from tacit.privacy.progress_events import ProgressEvent, progress
    from tacit.privacy.release import ObservedRelease, PendingRelease, ReleaseRecord, interposed, interposing, observing
    from tacit.privacy.statistic import NumericStatistic, SelectionStatistic, Statistic
    from tacit.privacy.unit import Persons, PrivacyUnit, RowWeight, Slice
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "accountant": "Accountant",
            "assumptions": "ASSUMPTIONS",
            "charge": "Charge ReservedCharge paying reserved",
            "conversions": "basic_composition bounded_range_to_zcdp "
            "gaussian_rho pure_to_zcdp zcdp_delta zcdp_epsilon zcdp_rho",
            "guarantee": "Guarantee Status",
            "loss": "ZCDP ApproximateDP Budget PrivacyLoss PureDP Share UpToDelta",
            "mechanism": "Mechanism NoiseSource Replayable",
            "merged": "MergedGuarantee PartCertificate",
            "plan": "Composition PlanEntry PrivacyFilter in_part",
            "progress_events": "ProgressEvent progress",
            "release": "ObservedRelease PendingRelease ReleaseRecord interposed interposing observing",
            "statistic": "NumericStatistic SelectionStatistic Statistic",
            "unit": "Persons PrivacyUnit RowWeight Slice",
        },
    )

__all__ = [
    "ASSUMPTIONS",
    "ZCDP",
    "Accountant",
    "ApproximateDP",
    "Budget",
    "Charge",
    "Composition",
    "Guarantee",
    "Mechanism",
    "MergedGuarantee",
    "NoiseSource",
    "NumericStatistic",
    "ObservedRelease",
    "PartCertificate",
    "PendingRelease",
    "Persons",
    "PlanEntry",
    "PrivacyFilter",
    "PrivacyLoss",
    "PrivacyUnit",
    "ProgressEvent",
    "PureDP",
    "ReleaseRecord",
    "Replayable",
    "ReservedCharge",
    "RowWeight",
    "SelectionStatistic",
    "Share",
    "Slice",
    "Statistic",
    "Status",
    "UpToDelta",
    "basic_composition",
    "bounded_range_to_zcdp",
    "gaussian_rho",
    "in_part",
    "interposed",
    "interposing",
    "observing",
    "paying",
    "progress",
    "pure_to_zcdp",
    "reserved",
    "zcdp_delta",
    "zcdp_epsilon",
    "zcdp_rho",
]

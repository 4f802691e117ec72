"""The scikit-learn estimator of naive Bayes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from tacit.cut_points import CutPoints, chosen_cuts
from tacit.estimators.calibrated import CalibratedFit
from tacit.estimators.requirements import one_of
from tacit.features.bin_encoding import N_BINS
from tacit.learners import NaiveBayes
from tacit.learners.naive_bayes import SMOOTHING, NumericDistribution
from tacit.learners.platt_scaling import CALIBRATION
from tacit.privacy.parameters import Requirement
from tacit.rules.shared import MAX_LEVELS
from tacit.table import Table


@dataclass(kw_only=True, eq=False, repr=False)
class NaiveBayesFit(CalibratedFit):
    """Naive Bayes on noisy counts and sums, for mixed columns and any number of classes.

    Everything that is protected leaves in one noisy release. Noisy conditional distributions are shrunk toward the
    marginal as far as the known noise demands; a second, small release corrects the score for columns that repeat each
    other. With a public label, class counts and public columns are exact and free.
    After Vaidya and others, "Differentially private naive Bayes classification" (2013), and Lopuhaä-Zwakenberg
    and others, "Comparing Classifiers' Performance under Differential Privacy" (2021), Algorithm 1, whose
    sensitivities do not hold and are replaced.

    Parameters
    ----------
    numeric : {"binned", "gaussian"}
        Histograms over the schema's cut points, or one normal distribution in each class.
    n_bins : int
        Equal parts, 2 to 255, of a binned numeric column without cut points.
    cut_points : {"auto", "private", "grid"}
        Of binned numeric columns whose schema names none: quantiles released at a tenth of the budget, at most 31, or a
        public grid of ``n_bins`` equal bins; ``"auto"``: quantiles where a tenth pays for enough of them.
    smoothing : float
        Rows added to every count, from 1e-9 to 1e9, as ``alpha`` of scikit-learn's CategoricalNB.

    Notes
    -----
    Privacy: releases counts and sums by class (``proofs/queries/class_sums.md``), then sums that calibrate log-odds
    (``proofs/queries/platt_sums.md``), both under replace-one on the protected columns and label.
    """

    numeric: NumericDistribution = "binned"
    n_bins: int = 32
    cut_points: CutPoints = "auto"
    smoothing: float = 1.0

    _learner = "naive-bayes"
    _no_class_weight = "weights would change nothing but its prior, as predict(threshold='balanced') does; use that"
    _has_likelihood = True
    _no_row_weights = ""
    _parameters: ClassVar[Mapping[str, Requirement]] = {
        "numeric": one_of(NumericDistribution),
        "n_bins": N_BINS,
        "cut_points": one_of(CutPoints),
        "smoothing": SMOOTHING,
        "calibration": CALIBRATION,
    }

    def _settings(self, table: Table) -> NaiveBayes:
        cuts = None
        if self.numeric == "binned":
            assert self.epsilon is not None
            most = min(self.n_bins.bit_length() - 1, MAX_LEVELS)
            cuts = chosen_cuts(self.cut_points, table, self.epsilon, self._delta, most=most)
        return NaiveBayes(
            schema=table.schema,
            numeric=self.numeric,
            n_bins=self.n_bins,
            smoothing=self.smoothing,
            cuts=cuts,
            # A row can hold an unlisted category only where reading coerces it.
            unlisted=self.on_invalid == "coerce",
        )

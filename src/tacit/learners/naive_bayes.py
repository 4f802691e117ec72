"""Private naive Bayes: after Vaidya and others (2013) and Lopuhaä-Zwakenberg and others (2021)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri

from tacit.cut_points import PrivateCuts
from tacit.errors import ParameterError
from tacit.learners.class_laws import BinLaw, KnownSums, NormalLaw, class_laws, class_sizes, expected_evidence
from tacit.learners.evidence_noise import evidence_noise
from tacit.mechanisms import Releases
from tacit.models import BinTable, NaiveBayesModel, NormalTable, with_cuts
from tacit.models.class_shares import as_shares
from tacit.models.score_line import Line, likely_line, onto_simplex
from tacit.privacy import Persons, Planned, PrivacyUnit, PureDP
from tacit.privacy.parameters import ZERO, Number
from tacit.queries import GAUSSIAN_OFFSET, PURE_OFFSET, ClassSums, plan_score_bins, score_bins
from tacit.rules.priors import FAIR, SCORE_BINS, SLOPE_DEVIATION, USUAL_SLOPE
from tacit.rules.shared import MIN_SHARE_OF_COUNTS
from tacit.schema import Numeric, Schema
from tacit.table import BinEncoding, Block, LinearEncoding, Table
from tacit.table.bin_encoding import N_BINS

NumericLaw = Literal["binned", "gaussian"]

MAX_COUNTS = 2_000_000
"""By column, bin and class."""

SMOOTHING = Number(1e-9, 1e9, "1 is the default.")
CALIBRATION = ZERO | Number(1e-6, 0.99, "A few hundredths are usual, and 0 leaves it out.")
"""Neither part of the budget may vanish in the other's rounding."""


@dataclass(frozen=True)
class NaiveBayes:
    """Settings of the algorithm; ``train`` runs it."""

    schema: Schema
    numeric: NumericLaw = "binned"
    """Histograms over the schema's cut points, or one normal law for each class."""
    n_bins: int = 32
    """Equal parts of a binned numeric column without cut points."""
    smoothing: float = 1.0
    """Rows added to every count."""
    calibration: float = MIN_SHARE_OF_COUNTS
    """Share of the budget for slope and offset of the score, where there are two classes; zero leaves both."""
    unlisted: bool = False
    """Whether rows may hold categories that the schema does not list."""
    cuts: PrivateCuts | None = None
    """Release cut points of numbers first."""

    multiclass: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.numeric not in get_args(NumericLaw):
            raise ParameterError(f"Expected numeric 'binned' or 'gaussian', got numeric={self.numeric!r}.")
        N_BINS.check("n_bins", self.n_bins)
        self._check_extent()
        SMOOTHING.check("smoothing", self.smoothing)
        CALIBRATION.check("calibration", self.calibration)

    def _check_extent(self) -> None:
        """Refuse a table of counts that would take minutes to smooth."""
        n_counts = sum(self._bins.n_codes) * len(self.schema.label.classes)
        if n_counts > MAX_COUNTS:
            raise ParameterError(
                f"Expected at most {MAX_COUNTS:,} counts of bins by class, got {n_counts:,}. Take fewer columns, "
                "parts or classes."
            )

    def why_not(self, persons: Persons) -> str | None:
        """Return None: sums of persons move as those of rows do."""
        return None

    def plan(self, unit: PrivacyUnit) -> list[Planned]:
        """Return the releases: all counts and sums at once, then the calibration's counts."""
        sums = self.query(unit, PURE_OFFSET).planned(unit, 1 - self._calibration)
        plan = [*sums, *plan_score_bins(unit, self._calibration)] if self._calibration else sums
        return self.cuts.before(plan, unit) if self.cuts else plan

    def train(self, table: Table, releases: Releases, generator: np.random.Generator) -> NaiveBayesModel:
        """Return the classifier.

        Privacy: releases what ``plan`` lists, under the sensitivities of ``ClassSums`` and ``score_bins``. With a
        public label, class counts and public columns are exact; with a protected one they count like all others.
        """
        if self.cuts:
            cuts = self.cuts.release(table, releases.part("cuts"))
            learner = replace(self, schema=with_cuts(self.schema, cuts), cuts=None)
            return replace(learner.train(table, releases, generator), cuts=cuts)
        known = []
        if not table.unit.label:
            known.append(self._sums(self.query(table.unit, PURE_OFFSET, paid=False), table, releases))
        if not table.unit.protects_nothing:
            # The offset that gives sums of squares the least sensitivity differs between L1 and L2.
            offset = PURE_OFFSET if isinstance(releases.share, PureDP) else GAUSSIAN_OFFSET
            known.append(self._sums(self.query(table.unit, offset), table, releases))
        sizes = class_sizes(known, table.n_persons)
        found = {name: law for each in known for name, law in class_laws(each, sizes, self.smoothing)}
        laws = {name: found[name] for name in self.schema.names}
        model = NaiveBayesModel(
            intercepts=tuple(np.log(np.maximum(sizes, 1e-9) / sizes.sum()).tolist()),
            slope=1.0,
            tables=tuple(_table(name, law) for name, law in laws.items()),
            n_bins=self.n_bins,
            class_shares=as_shares(sizes),
        )
        if self._calibration:
            line = self._calibration_line(model, sizes, list(laws.values()), table, releases)
            model = replace(model, intercepts=(0.0, line.intercept), slope=line.slope)
        return replace(model, noise=evidence_noise(model, laws, sizes, self.schema))

    @property
    def _calibration(self) -> float:
        return self.calibration if len(self.schema.label.classes) == 2 else 0.0

    def _sums(self, query: ClassSums, table: Table, releases: Releases) -> KnownSums:
        released = releases.noisy(query.statistic(table))
        return KnownSums(query, query.read(released.value), released.variance / query.steps**2)

    def query(self, unit: PrivacyUnit, offset: float, *, paid: bool = True) -> ClassSums:
        """Return the query for what must be paid for, or for what need not."""
        protected = set(self.schema.names if unit.label else unit.columns)
        names = [name for name in self.schema.names if (name in protected) == paid]
        return ClassSums(
            bins=self._bins,
            features=self._features,
            counted=tuple(name for name in names if not self._is_normal(name)),
            summed=tuple(name for name in names if self._is_normal(name)),
            with_classes=unit.label == paid,
            offset=offset,
            unlisted=self.unlisted,
        )

    @cached_property
    def _bins(self) -> BinEncoding:
        return BinEncoding(self.schema, self._names(normal=False), self.n_bins)

    @cached_property
    def _features(self) -> LinearEncoding:
        return LinearEncoding(self.schema, self._names(normal=True))

    def _names(self, *, normal: bool) -> tuple[str, ...]:
        return tuple(name for name in self.schema.names if self._is_normal(name) == normal)

    def _is_normal(self, name: str) -> bool:
        return self.numeric == "gaussian" and isinstance(self.schema.column(name), Numeric)

    def _calibration_line(
        self,
        model: NaiveBayesModel,
        sizes: NDArray[np.float64],
        laws: list[BinLaw | NormalLaw],
        table: Table,
        releases: Releases,
    ) -> Line:
        def score(block: Block) -> NDArray[np.float64]:
            # An encoding without columns has no codes in a block.
            nothing = np.empty((block.n_rows, 0), dtype=np.uint8)
            codes = block.codes(self._bins) if self._bins.columns else nothing
            features = block.features(self._features) if self._features.columns else nothing
            return model.evidence(codes, features)[:, 0]

        means, deviations = expected_evidence(laws)
        edges = score_edges(means, deviations)
        released = releases.noisy(score_bins(table, score, edges))
        counts = released.value.astype(np.float64)
        return calibrated(counts, edges, sizes=sizes, expected=(means, deviations), variance=released.variance)


def _table(name: str, law: BinLaw | NormalLaw) -> BinTable | NormalTable:
    if isinstance(law, BinLaw):
        return BinTable(name, tuple(map(tuple, law.log_ratios.tolist())))
    return NormalTable(name, tuple(law.means.tolist()), tuple(law.variances.tolist()))


_PRECISION = np.diag([SLOPE_DEVIATION**-2.0, SLOPE_DEVIATION**-2.0])
_NORMAL = ndtri((np.arange(16) + 0.5) / 16)
"""A normal law as as many equally likely values."""
_FARTHEST, _HALVINGS = 1e4, 60
"""Where the intercept is sought: far beyond any sum of evidence that a model may have; and how finely, to 1e-14."""


def score_edges(means: NDArray[np.float64], deviations: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return even edges of levels around where both classes' scores are expected, shape (SCORE_BINS - 1,)."""
    low, high = (means - 2 * deviations).min(), (means + 2 * deviations).max()
    width = max(high - low, 1e-6)
    return np.linspace(low, low + width, SCORE_BINS + 1)[1:-1]


def calibrated(
    counts: NDArray[np.float64],
    edges: NDArray[np.float64],
    *,
    sizes: NDArray[np.float64],
    expected: tuple[NDArray[np.float64], NDArray[np.float64]],
    variance: float,
) -> Line:
    """Return the line that a logistic regression on the levels finds, shrunk as far as the noise demands.

    See ``likely_line``. The prior: slope 1/2, and the intercept with which the mean probability is the second class's
    share. Post-processing: costs nothing.

    Parameters
    ----------
    counts : array of shape (2, n_levels)
    edges : array of shape (n_levels - 1,)
    sizes : array of shape (2,)
        Rows of each class, as far as released.
    expected : (array, array), each of shape (2,)
        Means and deviations of the score in each class, as far as released.
    variance : float
        Of the noise on each count.
    """
    step = edges[1] - edges[0]
    middle = float(expected[0].mean())
    places = np.append(edges - step / 2, edges[-1] + step / 2) - middle
    # Noisy counts may be negative, and their likelihood then need not have a maximum.
    cleaned = onto_simplex(counts, np.maximum(sizes, 1e-3))
    prior = np.asarray([USUAL_SLOPE, _fair_intercept(cleaned.sum(axis=1), expected[0] - middle, expected[1])])
    design = np.column_stack([places, np.ones_like(places)])
    found = likely_line(design, cleaned, prior, _PRECISION, variance)
    # Positive, so that calibration never reverses the order of the scores.
    slope = float(np.clip(found[0], 0.05, 2.0))
    return Line(slope, float(found[1] - slope * middle))


def _fair_intercept(sizes: NDArray[np.float64], means: NDArray[np.float64], deviations: NDArray[np.float64]) -> float:
    """Return an intercept beside the usual slope with which the mean probability is near the second class's share.

    With the slope's half of the log-odds of its share, the decision is that without calibration, and a rare class is
    twice as likely as it is. So a rare one gets, in part, the intercept that the columns' laws ask for; in part, as
    their noise looks like evidence and makes it less likely than it is (``benchmarks/probabilities.py``).
    """
    shares = sizes / sizes.sum()
    scores = USUAL_SLOPE * (means + np.multiply.outer(_NORMAL, deviations))
    low, high = -_FARTHEST, _FARTHEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        over = float((expit(scores + middle).mean(axis=0) * shares).sum()) > shares[1]
        low, high = (low, middle) if over else (middle, high)
    odds = float(np.log(shares[1] / shares[0]))
    rare = float(np.clip(abs(odds) - 1, 0, 1))
    return USUAL_SLOPE * odds + FAIR * rare * ((low + high) / 2 - USUAL_SLOPE * odds)

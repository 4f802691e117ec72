"""Private naive Bayes: after Vaidya and others (2013) and Lopuhaä-Zwakenberg and others (2021)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal, get_args

import numpy as np

from tacit.cut_points import PrivateCuts
from tacit.errors import ParameterError
from tacit.features import BinEncoding, Cuts, LinearEncoding
from tacit.features.bin_encoding import N_BINS
from tacit.learners.class_distributions import (
    BinDistribution,
    KnownSums,
    NormalDistribution,
    class_distributions,
    class_sizes,
)
from tacit.learners.evidence_noise import evidence_noise
from tacit.mechanisms import Releases
from tacit.models import BinTable, NaiveBayesModel, NormalTable
from tacit.models.class_shares import as_shares
from tacit.privacy import Persons, PlanEntry, PrivacyUnit, PureDP
from tacit.privacy.parameters import Number
from tacit.queries import GAUSSIAN_OFFSET, PURE_OFFSET, ClassSums
from tacit.schema import Numeric, Schema
from tacit.table import Table

NumericDistribution = Literal["binned", "gaussian"]

MAX_COUNTS = 2_000_000
"""By column, bin and class."""

SMOOTHING = Number(1e-9, 1e9, "1 is the default.")
"""Neither part of the budget may vanish in the other's rounding."""


@dataclass(frozen=True)
class NaiveBayes:
    """Settings of the algorithm; ``train`` runs it."""

    schema: Schema
    numeric: NumericDistribution = "binned"
    """Histograms over the schema's cut points, or one normal distribution for each class."""
    n_bins: int = 32
    """Equal parts of a binned numeric column without cut points."""
    smoothing: float = 1.0
    """Rows added to every count."""
    unlisted: bool = False
    """Whether rows may hold categories that the schema does not list."""
    cuts: PrivateCuts | None = None
    """Release cut points of numbers first."""

    multiclass: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.numeric not in get_args(NumericDistribution):
            raise ParameterError(f"Expected numeric 'binned' or 'gaussian', got numeric={self.numeric!r}.")
        N_BINS.check("n_bins", self.n_bins)
        self._check_extent()
        SMOOTHING.check("smoothing", self.smoothing)

    def _check_extent(self) -> None:
        """Refuse a table of counts that would take minutes to smooth."""
        n_counts = sum(self._bins.n_codes) * len(self.schema.classes)
        if n_counts > MAX_COUNTS:
            raise ParameterError(
                f"Expected at most {MAX_COUNTS:,} counts of bins by class, got {n_counts:,}. Take fewer columns, "
                "parts or classes."
            )

    def unsupported(self, persons: Persons) -> str | None:
        """Return None: sums of persons move as those of rows do."""
        return None

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the releases: all counts and sums at once."""
        plan = self.query(unit, PURE_OFFSET).planned(unit, 1.0)
        return self.cuts.before(plan, unit) if self.cuts else plan

    def train(self, table: Table, releases: Releases, generator: np.random.Generator) -> NaiveBayesModel:
        """Return the classifier.

        Privacy: releases what ``plan`` lists, under the sensitivities of ``ClassSums``. With a
        public label, class counts and public columns are exact; with a protected one they count like all others.
        """
        cuts = self.cuts.release(table, releases.part("cuts")) if self.cuts else ()
        known = []
        if not table.unit.label:
            known.append(self._sums(self.query(table.unit, PURE_OFFSET, cuts, paid=False), table, releases))
        if not table.unit.protects_nothing:
            # The offset that gives sums of squares the least sensitivity differs between L1 and L2.
            offset = PURE_OFFSET if isinstance(releases.share, PureDP) else GAUSSIAN_OFFSET
            known.append(self._sums(self.query(table.unit, offset, cuts), table, releases))
        sizes = class_sizes(known, table.n_persons * table.mean_weight)
        found = {
            name: distribution
            for each in known
            for name, distribution in class_distributions(each, sizes, self.smoothing)
        }
        distributions = {name: found[name] for name in self.schema.names}
        model = NaiveBayesModel(
            intercepts=tuple(np.log(np.maximum(sizes, 1e-9) / sizes.sum()).tolist()),
            slope=1.0,
            tables=tuple(_table(name, distribution) for name, distribution in distributions.items()),
            n_bins=self.n_bins,
            cuts=cuts,
            class_shares=as_shares(sizes),
        )
        return replace(model, noise=evidence_noise(model, distributions, sizes, self.schema))

    def _sums(self, query: ClassSums, table: Table, releases: Releases) -> KnownSums:
        released = releases.noisy(query.statistic(table))
        return KnownSums(query, query.read(released.value), released.variance / query.steps**2)

    def query(self, unit: PrivacyUnit, offset: float, cuts: Cuts = (), *, paid: bool = True) -> ClassSums:
        """Return the query for what must be paid for, or for what need not."""
        protected = set(self.schema.names if unit.label else unit.columns)
        names = [name for name in self.schema.names if (name in protected) == paid]
        return ClassSums(
            bins=replace(self._bins, released=cuts),
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


def _table(name: str, distribution: BinDistribution | NormalDistribution) -> BinTable | NormalTable:
    if isinstance(distribution, BinDistribution):
        return BinTable(name, tuple(map(tuple, distribution.log_ratios.tolist())))
    return NormalTable(name, tuple(distribution.means.tolist()), tuple(distribution.variances.tolist()))

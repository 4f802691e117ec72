"""Bounds, centers, categories and classes of a schema, from noisy counts of one column at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tacit.errors import SchemaError
from tacit.learners.schema.bounds import Bounds, BoundsLearner
from tacit.mechanisms import Releases
from tacit.privacy import PlanEntry, PrivacyUnit, in_part
from tacit.queries.value_counts import plan_value_counts, value_counts
from tacit.rules.cut_points import LABEL_WEIGHT
from tacit.schema import Categorical, Column, Kinds, Label, Numeric, Target, Value
from tacit.schema.label import LONGEST_CLASS, MAX_CLASSES
from tacit.schema.replacing import Pairs, listing
from tacit.table.raw import RawTable

DELTA_OF_THRESHOLDS = 0.5
"""Part of delta for all thresholds together; the rest converts rho."""

TOO_FEW = "no value of it has enough rows for its share of the budget"
"""Why a column is left out; released counts say so."""

MISSING = "missing"
"""What an empty cell of a text column counts as: the code of what is not listed."""


@dataclass(frozen=True)
class LearnedSchema:
    """What was learned: entries, and columns that no released count speaks for."""

    columns: tuple[Column, ...]
    label: Label | Target
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class SchemaLearner:
    """Learns a schema of columns whose names and kinds are public.

    A column of numbers is counted by cell of a logarithmic grid, and then by even cells between the bounds that these
    counts show; a column of categories by value, of which those of many rows are listed.

    Parameters
    ----------
    kinds : Kinds
        The label's included.
    label : str
    delta : float
        Of the whole.
    """

    kinds: Kinds
    label: str
    delta: float

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the releases: parts "categories", "coarse" and "fine"."""
        listed, delta = self._listed, self._delta_of_each
        weights = [LABEL_WEIGHT if name == self.label else 1.0 for name in listed]
        return [
            *in_part("categories", [plan_value_counts(unit, delta, weight) for weight in weights]),
            *self._of_bounds.plan(unit),
        ]

    @property
    def delta_of_thresholds(self) -> Fraction:
        """The exact sum of the deltas of the plan's releases."""
        return len(self._listed) * Fraction(self._delta_of_each)

    @property
    def _delta_of_each(self) -> float:
        return self.delta * DELTA_OF_THRESHOLDS / max(1, len(self._listed))

    def learn(self, table: RawTable, releases: Releases) -> LearnedSchema:
        """Return the schema's entries; ``releases`` are those of the plan.

        Raises SchemaError if less than two classes, or no number to predict, or no column, have enough rows: released
        counts say so.
        """
        part = releases.part("categories")
        found = {name: tuple(value for value, _ in part.stable(value_counts(table, name))) for name in self._listed}
        bounds = self._of_bounds.learn(table, releases)
        columns = {name: self._column(name, found, bounds) for name, _ in self.kinds.without(self.label).columns}
        kept = tuple(column for column in columns.values() if column)
        if not kept:
            raise SchemaError(f"Expected a column with bounds or categories, got none: {TOO_FEW}. Raise epsilon.")
        outcome = self._target(bounds) if self._is_number else self._label(found)
        return LearnedSchema(kept, outcome, tuple(name for name in columns if columns[name] is None))

    @property
    def _of_bounds(self) -> BoundsLearner:
        return BoundsLearner(self.kinds)

    @property
    def _listed(self) -> tuple[str, ...]:
        return self.kinds.of("category", "code")

    def _column(self, name: str, found: dict[str, tuple[str | int, ...]], bounds: dict[str, Bounds]) -> Column | None:
        kind = dict(self.kinds.columns)[name]
        if kind in ("boolean", "category", "code"):
            listed = (False, True) if kind == "boolean" else found[name]
            replace = self._replaced(name, listed, missing=True)
            return Categorical(name, listed, other=True, missing=MISSING, replace=replace) if listed else None
        if kind == "ignored" or name not in bounds:
            return None
        return self._of_bounds.column(Numeric(name, **self.kinds.fields(name)), bounds[name])

    def _replaced(self, name: str, listed: Sequence[Value], *, missing: bool = False) -> Pairs | None:
        """Return what texts are read as, as far as that is listed: all else is one code anyway."""
        is_listed = listing(listed)
        pairs = self.kinds.replaced(name)
        return tuple((text, by) for text, by in pairs if is_listed(by) or (missing and not by)) or None

    @property
    def _is_number(self) -> bool:
        return dict(self.kinds.columns)[self.label] == "number"

    def _target(self, bounds: dict[str, Bounds]) -> Target:
        if self.label not in bounds:
            raise SchemaError(f"Expected bounds of the target {self.label!r}, got none: {TOO_FEW}. Raise epsilon.")
        return self._of_bounds.column(Target(self.label, **self.kinds.fields(self.label)), bounds[self.label])

    def _label(self, found: dict[str, tuple[str | int, ...]]) -> Label:
        if dict(self.kinds.columns)[self.label] == "boolean":
            return Label(self.label, [False, True], replace=self._replaced(self.label, [False, True]))
        classes = [value for value in found[self.label] if len(str(value)) <= LONGEST_CLASS]
        if not 2 <= len(classes) <= MAX_CLASSES:
            raise SchemaError(
                f"Expected from 2 to {MAX_CLASSES:,} classes of the label {self.label!r} with enough rows for its "
                "share of the budget, got others. Raise epsilon, or check the label's column."
            )
        return Label(self.label, classes, replace=self._replaced(self.label, classes))

"""How good a model is for each group of rows, and how far groups differ, from noisy counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import ParameterError
from tacit.measures.auc import auc_of
from tacit.measures.group_counts import not_negative
from tacit.measures.held_out import HeldOut
from tacit.measures.intervals import WIDEST, Band, Estimate, NoisyCells, difference_of, width_of_several
from tacit.measures.layout import Layout, Mask
from tacit.measures.prediction_sets import counting_of, set_bounds
from tacit.measures.set_measures import kept_cells

if TYPE_CHECKING:
    import polars as pl

AREA = "area under the ROC curve"


@dataclass(frozen=True)
class Measure:
    """What is asked of each group; of one class, or of all."""

    name: str
    of: Any = None

    def __str__(self) -> str:
        return self.name if self.of is None else f"{self.name} of {self.of!r}"


@dataclass(frozen=True, eq=False, repr=False)
class GroupMeasures:
    """Measures by group of the rows that a model was not trained on.

    All of it is post-processing of noisy counts. An interval holds its value in 95 of 100 fits. Those of differences
    hold all pairs of groups together so often, measure by measure.

    Parameters
    ----------
    held_out : HeldOut
        Counted by group.
    classes : sequence
        The sorted ones.
    of_persons : bool
        Whether an identifier names persons.

    Raises
    ------
    ParameterError
        If rows were not counted by group.

    Examples
    --------
    >>> from tacit.measures.group_counts import GroupCounts
    >>> counts = (((40.0, 10.0), (10.0, 40.0)), ((30.0, 20.0), (30.0, 20.0)))
    >>> held = HeldOut(((70.0, 30.0), (40.0, 60.0)), (0.0,), 200, 0.0, "exact", by_group=GroupCounts("g", "ab", counts))
    >>> found = GroupMeasures(held, ("no", "yes"))
    >>> found.frame().filter(measure="selection rate")["value"].to_list()
    [0.5, 0.4]
    """

    held_out: HeldOut
    classes: Sequence[Any]
    of_persons: bool = False

    def __post_init__(self) -> None:
        if self.held_out.by_group is None:
            raise ParameterError(
                "Expected rows counted by group, got none. Fit with holdout_by= a column of the schema."
            )

    @property
    def column(self) -> str:
        """By whose categories rows are grouped."""
        assert self.held_out.by_group is not None
        return self.held_out.by_group.column

    @property
    def groups(self) -> tuple[str, ...]:
        """What the groups are called."""
        assert self.held_out.by_group is not None
        return self.held_out.by_group.groups

    @cached_property
    def hidden(self) -> tuple[str, ...]:
        """The groups that are too small for the noise to tell: whose accuracy may be anything within 0.1 and more."""
        found = zip(self.groups, self._bands(Measure("accuracy"), self._cells), strict=True)
        return tuple(name for name, (_, low, high) in found if float(high - low) > 2 * WIDEST)

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """What is asked: of two classes the second is the selected one."""
        two = len(self.classes) == 2
        selected = self.classes[1:] if two else self.classes
        return (
            Measure("share of all rows"),
            *(Measure("prevalence", each) for each in selected),
            *(Measure("selection rate", each) for each in selected),
            *(Measure("recall", each) for each in self.classes),
            *(Measure("precision", each) for each in selected),
            Measure("accuracy"),
            *([Measure(AREA)] if two else []),
        )

    def frame(self) -> pl.DataFrame:
        """Return each measure of each group with its 95 % interval.

        ``measure``; ``class``, null for those of all classes; ``group``; ``value``, ``low``, ``high``; ``hidden``:
        whether the group is too small for the noise.
        """
        import polars as pl

        return pl.DataFrame(
            [
                {"measure": each.name, "class": _text(each.of), "group": group, **asdict(Estimate.of(band))}
                | {"hidden": group in self.hidden}
                for each in self.measures
                for group, band in zip(self.groups, self._bands(each, self._cells), strict=True)
            ]
        )

    def differences(self) -> pl.DataFrame:
        """Return how far measures of each pair of groups differ: of ``group`` less ``other``.

        Intervals are right for all pairs of a measure together: in 95 of 100 fits all of them hold (Bonferroni).
        """
        import polars as pl

        return pl.DataFrame(
            [
                {"measure": each.name, "class": _text(each.of), "group": one, "other": other, **asdict(estimate)}
                for each in self.measures[1:]
                for one, other, estimate in self._differences(each)
            ]
        )

    def calibration(self) -> pl.DataFrame:
        """Return the share of the class in each group, by tenth of the predicted probability.

        Of more than two classes, the share that was predicted right.
        """
        import polars as pl

        return pl.DataFrame(
            [
                {"group": group, "above": low, "up_to": high, **asdict(estimate)}
                for group, low, high, estimate in self._calibrated()
            ]
        )

    def coverage(self, coverage: float = 0.9, *, confidence: float | None = None) -> pl.DataFrame:
        """Return how often the prediction sets of a coverage hold the true class, by class and group.

        Of two classes. Sets promise their coverage of each class as a whole; here is what is left of it by group. It is
        measured on the rows that chose the sets, and rows at a level's edge count as left out: their sets hold both.

        Parameters
        ----------
        coverage, confidence
            As for ``Model.predict_set``.

        Raises
        ------
        ParameterError
            If there are more than two classes, or several rows of a person count one each.
        """
        import polars as pl

        if not self._has_sets:
            raise ParameterError(
                "Expected two classes and persons who count one each for coverage by group, got others. Ask for "
                "differences() of recall instead."
            )
        counting = counting_of(self.held_out, "persons" if self.of_persons else "rows")
        bounds = set_bounds(self.held_out, 1 - coverage, confidence, counting)
        return pl.DataFrame(
            [
                {"class": _text(name), "group": group, **asdict(Estimate.of(self._cells.ratio(own & kept, own)))}
                for name, at, kept in zip(self.classes, self._at.classes, kept_cells(bounds, self._at), strict=True)
                for group, own in (
                    (group, at & cells) for group, cells in zip(self.groups, self._at.groups, strict=True)
                )
            ]
        )

    def rows(self) -> pl.DataFrame:
        """Return the noisy counts as rows with weights: of each group, class and predicted class one.

        Columns ``label``, ``predicted``, the grouping column's name, and ``weight``. Weights are not negative, and
        those of a group add up to its noisy size; a group of no size has no rows. Intervals do not follow from them.

        Examples
        --------
        With fairlearn, ``rows = model.groups("sex").rows()`` and::

            MetricFrame(metrics=recall_score, y_true=rows["label"], y_pred=rows["predicted"],
                        sensitive_features=rows["sex"], sample_params={"sample_weight": rows["weight"]})
        """
        import polars as pl

        pairs = [(own, said) for own in range(len(self.classes)) for said in range(len(self.classes))]
        counts = self._cells.counts
        found = []
        for group, cells in zip(self.groups, self._at.groups, strict=True):
            sums = [counts[cells & self._at.classes[own] & self._at.predicted[said]].sum() for own, said in pairs]
            for (own, said), weight in zip(pairs, not_negative(np.asarray(sums)).tolist(), strict=True):
                row = {"label": self.classes[own], "predicted": self.classes[said], self.column: group}
                found.append(row | {"weight": weight})
        sized = {each[self.column] for each in found if each["weight"] > 0}
        return pl.DataFrame([each for each in found if each[self.column] in sized])

    def document(self) -> dict[str, Any]:
        """Return all measures as what JSON can hold."""
        return {
            "column": self.column,
            "groups": list(self.groups),
            "hidden": list(self.hidden),
            "measures": self.frame().to_dicts(),
            "differences": self.differences().to_dicts(),
            "calibration": self.calibration().to_dicts(),
            "coverage": self.coverage().to_dicts() if self._has_sets else None,
        }

    def lines(self) -> Iterator[str]:
        """Yield the measures of each group, and by how much groups surely differ, in words."""
        yield f"BY {self.column.upper()}"
        yield "In brackets: 95 % intervals; of differences, of all pairs of groups together."
        if self.hidden:
            yield f"Too small to tell for the noise: {', '.join(map(repr, self.hidden))}."
        for each in self.measures:
            yield f"{str(each)[0].upper()}{str(each)[1:]}:"
            for group, band in zip(self.groups, self._bands(each, self._cells), strict=True):
                yield f"  {group}: {_said(Estimate.of(band))}"
            if each != self.measures[0]:
                yield from (f"  {said}" for said in self._surely(each))
        yield from self._calibration_lines()
        if len(self.classes) > 2:
            yield "Areas and sets by group: not counted of more than two classes, as that would add noise to the whole."

    def __repr__(self) -> str:
        return f"<GroupMeasures by {self.column!r}: {', '.join(self.groups)}>"

    def _surely(self, measure: Measure) -> Iterator[str]:
        """Yield the pairs whose interval does not hold zero, in words."""
        found = [pair for pair in self._differences(measure) if pair[2].low > 0 or pair[2].high < 0]
        yield from (f"{one} less {other}: {estimate}" for one, other, estimate in found)
        if not found:
            yield "No difference beyond noise and chance."

    def _calibration_lines(self) -> Iterator[str]:
        of = f"the share of {self.classes[1]!r}" if len(self.classes) == 2 else "the share that is right"
        yield f"Calibration: {of}, by predicted probability:"
        for group, low, high, found in self._calibrated():
            yield f"  {group}, {low:.2f} to {high:.2f}: {_said(found)}"

    def _differences(self, measure: Measure) -> Iterator[tuple[str, str, Estimate]]:
        n_groups = len(self.groups)
        cells = replace(self._cells, width=width_of_several(n_groups * (n_groups - 1) // 2))
        bands = zip(self.groups, self._bands(measure, cells), strict=True)
        for (one, band), (other, less) in combinations(bands, 2):
            yield one, other, Estimate.of(difference_of(band, less))

    def _calibrated(self) -> Iterator[tuple[str, float, float, Estimate]]:
        chances = self._at.chances
        for group, cells in zip(self.groups, self._at.groups, strict=True):
            for first, last in self._at.tenths:
                own = self._at.between(first, last) & cells
                share = Estimate.of(self._cells.ratio(own & self._at.hits, own))
                yield group, chances[first], chances[last + 1], share

    def _bands(self, measure: Measure, cells: NoisyCells) -> list[Band]:
        """Return a measure of each group."""
        return [self._band(measure, group, cells) for group in self._at.groups]

    def _band(self, measure: Measure, group: Mask, cells: NoisyCells) -> Band:
        at = self._at
        if measure.name == AREA:
            return auc_of(cells, group & at.classes[0], group & at.classes[1]).band
        if measure.of is None:
            return cells.ratio(*((group, at.every) if measure.name != "accuracy" else (group & at.right, group)))
        place = list(self.classes).index(measure.of)
        own, said = group & at.classes[place], group & at.predicted[place]
        top, whole = {
            "prevalence": (own, group),
            "selection rate": (said, group),
            "recall": (own & said, own),
            "precision": (own & said, said),
        }[measure.name]
        return cells.ratio(top, whole)

    @property
    def _has_sets(self) -> bool:
        return len(self.classes) == 2 and self.held_out.rows_of_person == 1

    @cached_property
    def _at(self) -> Layout:
        return Layout(self.held_out.n_classes, self.held_out.edges, len(self.groups))

    @cached_property
    def _cells(self) -> NoisyCells:
        held, by_group = self.held_out, self.held_out.by_group
        assert by_group is not None
        kurtosis = 3.0 if held.distribution == "Laplace" else 0.0
        variance, person = held.deviation**2 / held.n_summed, float(held.rows_of_person)
        return NoisyCells(np.asarray(by_group.counts).ravel(), variance, kurtosis, held.known_total, person)


def _said(found: Estimate) -> str:
    return str(found) if found.high - found.low < 1 else "anything, as noise hides it"


def _text(of: Any) -> str | None:
    return None if of is None else str(of)

"""How good a model is, from one noisy histogram of its scores by class on rows that it was not trained on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from math import sqrt
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.checks import check_bounded
from tacit.errors import ModelFileError, ParameterError
from tacit.measures.auc import auc_of
from tacit.measures.class_scores import ClassScores
from tacit.measures.group_counts import GroupCounts
from tacit.measures.intervals import CalibrationPoint, Estimate, NoisyCells, mean_of
from tacit.measures.layout import Layout
from tacit.measures.platt import Line, onto_lines, platt_lines
from tacit.measures.score_cells import MAX_HALVED_LEVELS, MAX_LEVELS

Origin = Literal["holdout", "evaluation"]

KEPT: dict[Origin, str] = {
    "holdout": "kept back from the fit",
    "evaluation": "taken to be other people than the model's",
}

WEIGHED = "Rows count as their weights say, over the cap: shares are those of the population."

DOMINANT = 0.8
"""Share of the most frequent class from which on the area and what is found of each class come before accuracy."""

_STRICT: dict[str, Any] = {"extra": "forbid", "allow_inf_nan": False}


@dataclass(frozen=True)
class HeldOut:
    """Rows that a model was not trained on, counted with noise by class and level of its score.

    Of two classes, a cell is a level of the log-odds of the second; of more, the predicted class and a level of its
    probability. All measures are post-processing of these counts.

    Parameters
    ----------
    counts : tuple of tuple of float
        For each of the sorted classes one number a cell.
    edges : tuple of float
        Ascending, public: level i holds what is above edge i-1 and at most edge i.
    n_rows : int
        That were counted; public. Of persons where an identifier names them.
    scale : float
        Of the noise on each count, where groups were counted on that of each group's.
    distribution : {"exact", "Laplace", "Gaussian"}
    rows_of_person : int
        How often one person counts at most.
    origin : {"holdout", "evaluation"}
        Rows kept back from the fit, or other rows.
    by_class : ClassScores, optional
        Of more than two classes, the same rows by level of each class's own score, where they are enough to tell.
    by_group : GroupCounts, optional
        The same counts by groups of rows, of which ``counts`` are then the sums; see ``tacit.Model.groups``.
    max_levels : int
        How many levels the score of two classes may have had, by public numbers, wherever edges are.
    weighed : bool
        Whether rows counted as their weights say, over the cap; shares are then those of the population.

    Examples
    --------
    >>> measured = HeldOut(((400.0, 100.0), (100.0, 400.0)), (0.0,), 1000, 0.0, "exact")
    >>> print(measured.accuracy)
    0.800 (0.773 to 0.825)
    >>> measured.learned_nothing
    False
    """

    counts: tuple[tuple[float, ...], ...]
    edges: tuple[float, ...]
    n_rows: int
    scale: float
    distribution: Literal["exact", "Laplace", "Gaussian"]
    rows_of_person: int = 1
    origin: Origin = "holdout"
    by_class: ClassScores | None = None
    by_group: GroupCounts | None = None
    max_levels: int = MAX_HALVED_LEVELS
    weighed: bool = False

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    def __post_init__(self) -> None:
        n_classes, n_levels = len(self.counts), len(self.edges) + 1
        width = n_levels if n_classes == 2 else n_levels * n_classes
        shaped = n_classes >= 2 and all(len(row) == width for row in self.counts) and n_levels <= MAX_LEVELS
        # Margins of prediction sets are those of so many levels: fewer than there are would make them too small.
        shaped = shaped and (n_classes > 2 or n_levels <= self.max_levels)
        counted = self.n_rows >= 1 and self.rows_of_person >= 1 and (self.scale > 0) == (self.distribution != "exact")
        ascending = all(one < other for one, other in zip(self.edges, self.edges[1:], strict=False))
        if not (shaped and counted and ascending and self.scale >= 0 and (n_classes > 2 or 0.0 in self.edges)):
            raise ModelFileError("Expected counts by class and level of a score, got others. The file is damaged.")
        if self.by_class is not None and (n_classes == 2 or len(self.by_class.counts) != n_classes):
            raise ModelFileError("Expected scores of each of more than two classes, got others. The file is damaged.")
        if self.by_group is not None and not self.by_group.adds_up_to(self.counts):
            raise ModelFileError(
                "Expected counts that are the sums of those by group, got others. The file is damaged."
            )
        check_bounded(*(count for row in self.counts for count in row), self.scale, *self.edges)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.counts)

    @property
    def deviation(self) -> float:
        """Standard deviation of the noise on each count, in rows."""
        return self.scale * sqrt(self.n_summed * (2 if self.distribution == "Laplace" else 1))

    @property
    def n_summed(self) -> int:
        """Of how many noisy counts each is the sum: of the groups."""
        return 1 if self.by_group is None else len(self.by_group.groups)

    @property
    def known_total(self) -> float | None:
        """What all counts add up to without noise, where that is public."""
        # Not where a person may have several rows that count, or rows weigh less than one.
        return float(self.n_rows) if self.rows_of_person == 1 and not self.weighed else None

    @property
    def accuracy(self) -> Estimate:
        """Share of rows that are predicted right, at the usual threshold."""
        return Estimate.of(self.cells.ratio(self.layout.right, self.layout.every))

    @property
    def balanced_accuracy(self) -> Estimate:
        """Mean over classes of the share of a class's rows that is predicted right."""
        return Estimate.of(mean_of([self.cells.ratio(self.layout.right & own, own) for own in self.layout.classes]))

    @property
    def recalls(self) -> tuple[Estimate, ...]:
        """Of each class, the share of its rows that is predicted right."""
        return tuple(Estimate.of(self.cells.ratio(self.layout.right & own, own)) for own in self.layout.classes)

    @property
    def auc(self) -> Estimate | None:
        """Area under the ROC curve; of more than two classes the unweighted mean over each against the rest.

        What the order of rows inside a level adds is taken from the levels beside it, and the interval holds twice as
        much. None where rows were too few to count them by each class's score.
        """
        if self.n_classes > 2:
            found = self.by_class and self.by_class.mean_area(self.known_total, self.rows_of_person)
            return Estimate.of(found) if found else None
        return Estimate.of(auc_of(self.cells, self.layout.classes[0], self.layout.classes[1]).band)

    @property
    def auc_by_class(self) -> tuple[Estimate, ...] | None:
        """Of more than two classes, the area of each against the rest by its own score; None as ``auc``."""
        if self.by_class is None:
            return None
        return tuple(Estimate.of(each.band) for each in self.by_class.areas(self.known_total, self.rows_of_person))

    @property
    def prevalence(self) -> tuple[Estimate, ...]:
        """Share of each class among the rows."""
        return tuple(Estimate.of(self.cells.ratio(own, self.layout.every)) for own in self.layout.classes)

    @property
    def gain(self) -> Estimate:
        """Accuracy less the share of the most frequent class: what predicting that class for everybody reaches."""
        frequent = int(np.argmax([each.value for each in self.prevalence]))
        return Estimate.of(self.cells.difference(self.layout.right, self.layout.classes[frequent]))

    @property
    def confusion(self) -> tuple[tuple[Estimate, ...], ...]:
        """Share of all rows by class (outer) and predicted class (inner)."""
        return tuple(
            tuple(Estimate.of(self.cells.ratio(own & said, self.layout.every)) for said in self.layout.predicted)
            for own in self.layout.classes
        )

    @property
    def calibration(self) -> tuple[CalibrationPoint, ...]:
        """Of each level, the share of the second class; of more than two classes, of rows predicted right."""
        return tuple(self._calibrated(level, level) for level in range(len(self.edges) + 1))

    @property
    def calibration_by_tenths(self) -> tuple[CalibrationPoint, ...]:
        """The same of levels gathered by the tenth of probability that their middle is in, where there are any."""
        return tuple(self._calibrated(*tenth) for tenth in self.layout.tenths)

    @cached_property
    def line(self) -> Line:
        """What log-odds of two classes are to be multiplied by, and what is added, for probabilities to be calibrated.

        The likeliest by the counts, shrunk toward no change as far as their noise and the number of rows demand.

        Raises
        ------
        ParameterError
            If there are more than two classes.
        """
        if self.n_classes > 2:
            raise ParameterError("Expected two classes for one line, got more. Read held_out.class_lines.")
        counts, total, person = self._of_persons(np.asarray(self.counts))
        edges, variances = np.asarray(self.edges), np.full(2, (self.deviation / person) ** 2)
        return platt_lines(counts[None], edges[None], total, variances)[0]

    @cached_property
    def class_lines(self) -> tuple[Line, ...]:
        """The same of more than two classes: for each, of its log-odds against the rest.

        Raises
        ------
        ParameterError
            If there are two classes, or rows were too few to count them by each class's score.
        """
        if self.n_classes == 2:
            raise ParameterError("Expected more than two classes for a line of each, got two. Read held_out.line.")
        if self.by_class is None:
            raise ParameterError(
                "Expected enough held-out rows to calibrate more than two classes by, got too few for the noise. Keep "
                "back more, or raise epsilon."
            )
        counts, total, person = self._of_persons(np.asarray(self.by_class.counts))
        noise = self.by_class.variances / person**2
        return platt_lines(counts, np.asarray(self.by_class.edges), total, noise)

    def calibrated(self, likely: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return probabilities, (n_rows, n_classes), moved onto ``line``, or onto ``class_lines`` and to a sum of one.

        Of two classes rows keep their order.

        Notes
        -----
        Privacy: post-processing of the counts; costs nothing.

        Examples
        --------
        >>> measured = HeldOut(((900.0, 700.0), (100.0, 300.0)), (0.0,), 2000, 0.0, "exact")
        >>> measured.calibrated(np.asarray([[0.4, 0.6]])).round(2).tolist()  # above one half, 0.3 had the class
        [[0.73, 0.27]]
        """
        return onto_lines(likely, *self.slopes_and_intercepts)

    @property
    def slopes_and_intercepts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What each class's log-odds against the rest are multiplied by and what is added, (n_classes,) each."""
        if self.n_classes == 2:
            line = self.line
            return np.full(2, line.slope), np.asarray([-line.intercept, line.intercept])
        lines = self.class_lines
        return np.asarray([each.slope for each in lines]), np.asarray([each.intercept for each in lines])

    @property
    def calibrates(self) -> bool:
        """Whether there are counts to calibrate probabilities by."""
        return self.n_classes == 2 or self.by_class is not None

    def _of_persons(self, counts: NDArray[np.float64]) -> tuple[NDArray[np.float64], float, float]:
        """Return counts of persons, how many they are, and how many rows stand for one."""
        # Rows of one person may agree: they say as much as one of them.
        person = float(self.rows_of_person)
        of_each = float(np.asarray(self.counts).sum()) / person
        return counts / person, self.known_total or max(of_each, 1.0), person

    def _calibrated(self, first: int, last: int) -> CalibrationPoint:
        """Return a point of consecutive levels."""
        own = self.layout.between(first, last)
        share = Estimate.of(self.cells.ratio(own & self.layout.hits, own))
        return CalibrationPoint(self.layout.chances[first], self.layout.chances[last + 1], share)

    @property
    def learned_nothing(self) -> bool:
        """Whether the most frequent class does as well, as far as the interval tells."""
        return self.gain.low <= 0

    def measures(self) -> dict[str, Any]:
        """Return all measures by name, each as value, low and high."""
        return {
            "accuracy": asdict(self.accuracy),
            "balanced_accuracy": asdict(self.balanced_accuracy),
            "auc": None if self.auc is None else asdict(self.auc),
            "auc_by_class": None if self.auc_by_class is None else [asdict(each) for each in self.auc_by_class],
            "gain": asdict(self.gain),
            "prevalence": [asdict(each) for each in self.prevalence],
            "recalls": [asdict(each) for each in self.recalls],
            "confusion": [[asdict(each) for each in row] for row in self.confusion],
            "calibration": [asdict(each) for each in self.calibration],
        }

    def lines(
        self, classes: tuple[Any, ...], counted: str = "rows", class_weights: tuple[float, ...] | None = None
    ) -> tuple[str, ...]:
        """Return the measures in words.

        Parameters
        ----------
        classes : tuple
            The sorted ones.
        counted : {"rows", "persons"}
        class_weights : tuple of float, optional
            How much rows of each class counted in training: accuracy is then not what the model was made for.
        """
        noise = "no noise" if self.distribution == "exact" else f"noise of deviation {self.deviation:.3g} on each count"
        both = [f"accuracy: {self.accuracy}", f"balanced accuracy: {self.balanced_accuracy}"]
        first, second = both if class_weights is None else both[::-1]
        accuracies, found = f"{first.capitalize()}; {second}.", f"Found of each class: {_each(classes, self.recalls)}."
        # Where one class is nearly all, accuracy says next to nothing; balanced accuracy does, for which rows weigh.
        uneven = class_weights is None and max(each.value for each in self.prevalence) >= DOMINANT
        said = [
            f"Measured on {self.n_rows:,} {counted} {KEPT[self.origin]}, with {noise}.",
            *([WEIGHED] if self.weighed else []),
            "In brackets: 95 % intervals, for noise and sampling together.",
            *([*self._areas(classes), found, accuracies] if uneven else [accuracies, found, *self._areas(classes)]),
        ]
        return (*said, self._verdict(classes) if class_weights is None else self._balanced_verdict())

    def _areas(self, classes: tuple[Any, ...]) -> list[str]:
        """Return the area under the ROC curve in words."""
        averaged = ", mean of each class against the rest" if self.n_classes > 2 else ""
        said = [f"Area under the ROC curve{averaged}: {self.auc}."] if self.auc is not None else []
        if self.auc_by_class is not None:
            said.append(f"Of each: {_each(classes, self.auc_by_class)}.")
        too_few = ["Area under the ROC curve: too few rows for the noise on each class's own scores."]
        return said + too_few * (self.auc is None)

    def _verdict(self, classes: tuple[Any, ...]) -> str:
        """Return whether the model is better than the most frequent class, in words."""
        frequent = f"always {classes[int(np.argmax([each.value for each in self.prevalence]))]!r}"
        if not self.learned_nothing:
            return f"Better than {frequent} by {self.gain}."
        verdict = f"No better than {frequent}, as far as can be told: gain {self.gain}."
        if self.gain.high < 0:
            verdict = f"Worse than {frequent}: gain {self.gain}."
        if self.auc is None or self.auc.low <= 0.5:
            return verdict
        return f"In accuracy {verdict[0].lower()}{verdict[1:]} Yet its scores rank rows: see predict(threshold=)."

    def _balanced_verdict(self) -> str:
        """Return whether the model is better than one class for everybody where classes are to count alike."""
        found, alone = self.balanced_accuracy, 1 / self.n_classes
        surely = "better" if found.low > alone else "worse" if found.high < alone else ""
        compared = surely or "no better, as far as can be told"
        return (
            f"Classes have weights, so balanced accuracy counts: {compared} than one class for everybody, which has "
            f"{alone:.3g}. In accuracy the most frequent class has {max(each.value for each in self.prevalence):.3f}."
        )

    @cached_property
    def cells(self) -> NoisyCells:
        """The counts, with what is known of their noise."""
        kurtosis = 3.0 / self.n_summed if self.distribution == "Laplace" else 0.0
        counts = np.asarray(self.counts).ravel()
        return NoisyCells(counts, self.deviation**2, kurtosis, self.known_total, float(self.rows_of_person))

    @cached_property
    def layout(self) -> Layout:
        """Which cells are of which class, level and prediction."""
        return Layout(self.n_classes, self.edges)


def _each(classes: tuple[Any, ...], estimates: tuple[Estimate, ...]) -> str:
    return "; ".join(f"{name!r}: {each}" for name, each in zip(classes, estimates, strict=True))

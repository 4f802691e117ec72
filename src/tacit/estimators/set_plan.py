"""Which classes prediction sets could leave out at all, before a row is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from tacit.estimators.group_plan import planned_holdout
from tacit.estimators.grouping import check_by
from tacit.estimators.holdout import asked_of, deviations_of, held_size, number_of, rarest_of
from tacit.estimators.paid_fit import PaidFit
from tacit.estimators.row_weights import mean_of
from tacit.measures.prediction_sets import USUAL_MISSES, Asked, Noise, is_few


@dataclass(frozen=True)
class SetPlan:
    """Which classes each set of a coverage will have, by public numbers alone; looks at no row.

    Attributes
    ----------
    coverage : float
    counted : bool
        Whether each class's scores are counted: else sets have all classes.
    always : tuple of str
        Classes that noise hides: even if all of a class's rows were likelier than the first edge, no set would lack it.
    """

    coverage: float
    counted: bool
    always: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """Yield it in words."""
        named = f"Prediction sets of {self.coverage:.0%}"
        if not self.counted:
            yield (
                f"{named} will have all classes: so few rows are kept back that each class's scores are not counted. "
                "Keep back more, or raise epsilon."
            )
        elif self.always:
            yield (
                f"{named} will each have {', '.join(map(repr, self.always))}: noise hides which rows could go without. "
                "Keep back more, or raise epsilon."
            )
        else:
            yield f"{named} can leave out each class, as far as the shares of classes are as declared, or even."


def planned_sets(estimator: PaidFit, n_rows: int, holdout: float, by: str | None = None) -> SetPlan | None:
    """Return which classes a fit's sets of 90 % could leave out, by public numbers alone; None where it has no sets.

    Shares of classes are the label's declared prevalence, or taken as even.

    Parameters
    ----------
    estimator, n_rows, holdout, by
        As for ``planned_groups``.

    Raises
    ------
    ParameterError
        As the fit.

    Examples
    --------
    >>> from tacit import AutoClassifier, Label, Numeric, Schema
    >>> label = Label("ill", ["no", "yes"], prevalence=[0.97, 0.03])
    >>> estimator = AutoClassifier(Schema([Numeric("age", 0, 100)], label=label), epsilon=0.3)
    >>> planned_sets(estimator, 20_000, 0.2).always
    ('yes',)
    """
    table, budget, groups = planned_holdout(estimator, n_rows, holdout, by)
    unit, n_classes = table.unit, table.n_classes
    if table.schema.target or unit.most_rows > 1:
        return None
    size = held_size(table, holdout, budget, check_by(groups))
    given, mean = (size, n_classes, unit, budget, number_of(groups)), mean_of(table)
    asked = asked_of(*given, rarest=rarest_of(table), mean=mean)
    label = table.schema.class_label
    names, shares = sorted(label.classes), label.sorted_prevalence or (1 / n_classes,) * n_classes
    if n_classes > 2 and not asked.halvings:
        return SetPlan(1 - USUAL_MISSES, False, tuple(map(str, names)))
    # Of many classes those of their own scores, which are not counted by group.
    deviation = deviations_of(asked.plan, unit, budget, asked.composition)[int(n_classes > 2)]
    many, pure = n_classes > 2, asked.composition == "pure"
    summed, levels = (1, 2**asked.halvings) if many else (number_of(groups), 2**asked.halvings + 1)
    noise = Noise("exact", 0.0, levels, always=many)
    if deviation:
        scale = deviation / (sqrt(2) if pure else 1)
        noise = Noise("Laplace" if pure else "Gaussian", scale, levels, summed, always=many)
    hidden = [name for name, share in zip(names, shares, strict=True) if _is_hidden(share * size * mean, noise)]
    return SetPlan(1 - USUAL_MISSES, True, tuple(map(str, hidden)))


def _is_hidden(n_rows: float, noise: Noise) -> bool:
    """Return whether noise hides a class of so many rows, even if none of them were before the first edge."""
    n_edges = noise.max_levels - 1
    counts = np.append(0.0, np.full(n_edges, n_rows / n_edges))
    return not is_few(counts, np.arange(n_edges + 1) < 1, noise, Asked(USUAL_MISSES, None, "rows"), n_edges)

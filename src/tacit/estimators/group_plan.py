"""What intervals of groups of held-out rows would be, before a row is read."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.estimators.beforehand import made_up
from tacit.estimators.grouping import check_by, check_holdout_by, groups_of
from tacit.estimators.holdout import HOLDOUT, asked_of, held_size, levels_of, number_of, rarest_of
from tacit.estimators.paid_fit import PaidFit
from tacit.estimators.residual_holdout import check_residuals
from tacit.estimators.row_weights import mean_of
from tacit.measures.intervals import accuracy_error, group_error
from tacit.privacy import Budget
from tacit.queries.held_out import Groups
from tacit.schema import Schema
from tacit.table import Table

SHARES = (0.01, 0.05, 0.2)
"""Of all rows, that a group may have, for which it is said beforehand what is known of it."""


@dataclass(frozen=True)
class GroupPlan:
    """What will be known of groups, by public numbers alone; looks at no row.

    Attributes
    ----------
    n_rows : int
        That are kept back.
    n_levels : int
        Of the score: fewer than without groups, as the counts of each have noise of their own.
    whole, ungrouped : float
        Half of the widest interval of the accuracy of all rows, with groups and without.
    of_groups : tuple of (float, float)
        For a group of so large a share of all rows, half of the widest interval of its accuracy or selection rate: 0.5
        where the noise hides it.
    """

    n_rows: int
    n_levels: int
    whole: float
    ungrouped: float
    of_groups: tuple[tuple[float, float], ...]

    def lines(self, column: str) -> tuple[str, ...]:
        """Return it in words."""
        each = "; ".join(f"{share:.0%} of the rows: " + _reach(error) for share, error in self.of_groups)
        return (
            f"By {column}, on {self.n_rows:,} rows kept back, 95 % intervals of a rate of a group with {each}.",
            f"Of all rows the accuracy is known to {_reach(self.whole)}, to {_reach(self.ungrouped)} without groups. "
            f"Scores have at most {self.n_levels} levels.",
        )


def group_plan(table: Table, share: float, budget: Budget, groups: Groups) -> GroupPlan:
    """Return what will be known of groups of so large a holdout; or refuse it, as a fit would.

    Parameters
    ----------
    table : Table
        Of which the numbers of rows and classes and the unit are looked at alone.
    share : float
        Of the rows, to keep back.
    """
    size, unit, n_classes = held_size(table, share, budget, check_by(groups)), table.unit, table.n_classes
    mean, found = mean_of(table), []
    for n_groups in (number_of(groups), 1):
        asked = asked_of(size, n_classes, unit, budget, n_groups, rarest=rarest_of(table), mean=mean)
        n_levels, noise = levels_of(asked, n_classes, n_groups), asked.deviation * n_groups**0.5
        whole = accuracy_error(n_classes, size * mean, noise, unit.most_rows, n_levels)
        found.append((asked.deviation, n_levels, whole))
    (deviation, n_levels, whole), (*_, ungrouped) = found
    cells = n_classes * n_levels * (n_classes if n_classes > 2 else 1)
    errors = tuple((each, group_error(each, size * mean, deviation, unit.most_rows, cells)) for each in SHARES)
    return GroupPlan(size, n_levels, whole, ungrouped, errors)


def planned_groups(estimator: PaidFit, n_rows: int, holdout: float, by: str | None) -> GroupPlan | None:
    """Return what a fit's holdout will say of groups, by public numbers alone; None of no column.

    Parameters
    ----------
    estimator, n_rows
        As for ``recipe``.
    holdout : float
    by : str, optional

    Raises
    ------
    ParameterError
        As the fit.

    Examples
    --------
    >>> from tacit import AutoClassifier, Categorical, Label, Numeric
    >>> columns = [Numeric("age", 0, 100), Categorical("sex", ["f", "m"])]
    >>> estimator = AutoClassifier(Schema(columns, label=Label("works", ["no", "yes"])), epsilon=1.0)
    >>> [(share, round(error, 2)) for share, error in planned_groups(estimator, 50_000, 0.2, "sex").of_groups]
    [(0.01, 0.23), (0.05, 0.06), (0.2, 0.03)]
    """
    table, budget, groups = planned_holdout(estimator, n_rows, holdout, by)
    if groups is None:
        held_size(table, holdout, budget, check_residuals if table.schema.target else None)
        return None
    return group_plan(table, holdout, budget, groups)


def planned_holdout(
    estimator: PaidFit, n_rows: int, holdout: float, by: str | None
) -> tuple[Table, Budget, Groups | None]:
    """Return a table of nobody's rows, as many as a fit's, with its budget and groups; parameters are checked as in it.

    Parameters are those of ``planned_groups``.
    """
    checked = estimator._checked()
    HOLDOUT.check("holdout", holdout)
    check_holdout_by(holdout, by, checked.schema)
    assert isinstance(checked.schema, Schema)
    table = made_up(checked.schema)
    table.n_persons = n_rows
    budget = checked._paid(None, table)._budget()
    budget.check_rows(n_rows)
    return table, budget, groups_of(checked.schema, by)


def _reach(error: float) -> str:
    return "anything, as noise hides it" if error >= 1 / 2 else f"±{error:.3f}"

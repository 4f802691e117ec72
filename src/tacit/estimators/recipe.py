"""What a fit will release, before a row is read: the learner, its settings, and each release in order."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from math import sqrt

from tacit.errors import ParameterError
from tacit.estimators.base import PrivateFit
from tacit.estimators.beforehand import made_up
from tacit.estimators.inputs import randomness
from tacit.estimators.regression_fit import RegressionFit
from tacit.estimators.training import Trainable, plan_of, train_all
from tacit.mechanisms import announce
from tacit.privacy import Accountant, Budget, Composition
from tacit.privacy.release import ReleaseRecord, unobserved
from tacit.schema import Schema


@dataclass(frozen=True)
class PlannedRelease:
    """Releases of one kind that a fit makes.

    Attributes
    ----------
    query : str
        What is asked of the rows.
    mechanism : str
        How the answer is made private.
    count : int
        How many such releases there are.
    share : float
        Of the budget, of all of them together: of epsilon under pure composition, of rho otherwise.
    noise : float
        Standard deviation of the noise over how far the protected cells of one person can move the answer; of a choice,
        the scale by which a worse candidate may win, over how far they can move its score. Of several the largest.
    """

    query: str
    mechanism: str
    count: int
    share: float
    noise: float

    def __str__(self) -> str:
        times = f"{self.count:,} x " if self.count > 1 else ""
        return f"{times}{self.query}: {self.mechanism}, {self.share:.1%} of the budget, noise {self.noise:.3g} persons"


@dataclass(frozen=True)
class Recipe:
    """What a fit does, as far as its schema, its budget and the number of rows say: all but the answers.

    Attributes
    ----------
    learner : str
    why : str
        By which rule it was taken; empty where the user named it.
    settings : tuple of (str, str)
        Of the learner, those that are no tables of columns.
    budget : Budget
    composition : {"pure", "zcdp"}
    limit : float
        What the releases may spend together: epsilon under pure composition, else rho.
    records : tuple of ReleaseRecord
        The releases in order, as the certificate will list them.
    """

    learner: str
    why: str
    settings: tuple[tuple[str, str], ...]
    budget: Budget
    composition: Composition
    limit: float
    records: tuple[ReleaseRecord, ...]

    @property
    def releases(self) -> tuple[PlannedRelease, ...]:
        """The releases in the order in which their kinds come first, all of a kind together."""
        kinds: dict[tuple[str, str], list[ReleaseRecord]] = {}
        for record in self.records:
            kinds.setdefault((record.asked, record.mechanism), []).append(record)
        return tuple(
            PlannedRelease(*kind, len(own), sum(one.loss for one in own) / self.limit, max(map(_noise, own)))
            for kind, own in kinds.items()
        )


def recipe(estimator: PrivateFit | RegressionFit, n_rows: int) -> Recipe:
    """Return what a fit of an estimator on so many rows would release.

    It is found by a rehearsal: the fit itself, on rows that are nobody's. What a fit releases, and with how much noise,
    is announced before it reads a row and does not depend on any, so that both have the same.

    Parameters
    ----------
    estimator : PrivateClassifier or PrivateRegressor
        With a schema and an epsilon; a delta of ``"auto"`` follows from the number of rows.
    n_rows : int
        Public. With an identifier, of persons.

    Raises
    ------
    ParameterError, SchemaError, TableError
        What the fit would raise before it releases anything.

    Notes
    -----
    Privacy: reads no row.

    The noise is a fit's own, but where a sensitivity follows from earlier answers or public draws. Of boosted trees a
    choice has up to 1.41 times as much where the released shares of two classes are uneven, and beside public columns
    a tree that draws those alone needs less noise, or none. The sums that calibrate log-odds need less where the
    released log-odds are small. Of LazyBB and BRC the noise of later rounds follows from
    earlier ones.

    Examples
    --------
    >>> from tacit import AutoClassifier, Label, Numeric, Schema
    >>> schema = Schema([Numeric("age", 0, 100), Numeric("pay", 0, 9)], label=Label("works", ["no", "yes"]))
    >>> found = recipe(AutoClassifier(schema, epsilon=0.05), 10_000)
    >>> found.learner, f"{found.budget.delta:g}", round(sum(each.share for each in found.releases), 6)
    ('logistic', '1e-05', 1.0)
    """
    checked = estimator._checked()
    if not isinstance(checked.schema, Schema):
        raise ParameterError(f"Expected a schema, got schema={checked.schema!r}. Rows alone say what is inferred.")
    if checked.holdout:
        raise ParameterError(
            f"Expected holdout=0 for a recipe, got holdout={checked.holdout:g}. Ask for that of the rows "
            "that are left: what is measured on the others has the whole budget, too."
        )
    table = made_up(checked.schema)
    table.n_persons = n_rows
    with warnings.catch_warnings(), unobserved():
        warnings.simplefilter("ignore")  # the fit gives them
        paid = checked._paid(None, table)
        budget = paid._budget()
        budget.check_rows(n_rows)
        taken, why = paid._taken_for(table)
        learner = taken._learner_for(table)
        noise, generator = randomness(0)
        accountant = Accountant(budget, table.unit, noise, n_rows=n_rows)
        train_all(learner, table, announce(accountant, plan_of(learner, table)), generator)
    spent = accountant.guarantee()
    limit = spent.epsilon if spent.rho is None else spent.rho
    return Recipe(taken._learner, why, tuple(_settings(learner)), budget, spent.composition, limit, accountant.releases)


def _noise(record: ReleaseRecord) -> float:
    spread = sqrt(2) if record.mechanism.endswith("Laplace") else 1.0
    return spread * record.noise_scale / record.sensitivity


def _settings(learner: Trainable) -> Iterator[tuple[str, str]]:
    for each in fields(learner):  # type: ignore[arg-type]
        value = getattr(learner, each.name)
        if is_dataclass(value) and not isinstance(value, Schema):
            yield each.name, type(value).__name__
        elif isinstance(value, bool | int | float | str):
            yield each.name, f"{value:g}" if isinstance(value, float) else str(value)

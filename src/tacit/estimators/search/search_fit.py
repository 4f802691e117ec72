"""What searches of classifiers and of regressors share: parameters, price, charge, and how one is made."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Never, Self

from sklearn.base import BaseEstimator

from tacit.cut_points import columns_without_cuts
from tacit.errors import ParameterError
from tacit.estimators.base import PrivateFit
from tacit.estimators.beforehand import refuse
from tacit.estimators.charging import charged, commit, is_charged
from tacit.estimators.fitted import FittedModel
from tacit.estimators.holdout import HOLDOUT, Check, HoldoutSplit, divided, held_size
from tacit.estimators.inputs import opened_rows, randomness, read_table
from tacit.estimators.requirements import COMMON, one_of
from tacit.estimators.row_weights import taken_weights
from tacit.estimators.search.by_epsilon import EpsilonSearch
from tacit.estimators.search.by_rows import Means, RowSearch
from tacit.estimators.search.candidates import Candidate, SearchedFit, candidates_of
from tacit.estimators.search.price import EpsilonPrice, Pay, RowPrice, epsilon_price, row_price
from tacit.estimators.tally import count_fit, remember_fit, remember_rows
from tacit.estimators.usual_delta import (
    Count,
    Delta,
    charged_delta,
    chosen_delta,
    count_given,
    largest_delta,
    paid_delta,
)
from tacit.ledger import Payment
from tacit.models import ReleasedModel
from tacit.privacy import Accountant, Budget
from tacit.privacy.parameters import Number, Requirement, counting
from tacit.rules.shared import SMALL_SHARE
from tacit.schema import Schema
from tacit.sensitivities.scores import Score
from tacit.table import Place, Table
from tacit.table.side_tables import Given

ROWS = Number(0.02, 0.5, "0.1 is the default.")


@dataclass(eq=False, repr=False)
class SearchFit(FittedModel, BaseEstimator):
    """A search of an estimator's settings, which pays for itself; what is predicted is said by its subclasses.

    Parameters
    ----------
    As for ``PaidSearch``.
    """

    estimator: Any = None
    grid: Any = "auto"
    _: KW_ONLY
    epsilon: float | None = None
    delta: Delta | None = None
    pay: Pay = "rows"
    rows: float = SMALL_SHARE
    scoring: Score = "log-loss"
    holdout: float = 0.0
    ledger: str | Path | None = None
    random_state: Any = None

    _of_number: ClassVar[bool] = False
    _scores: ClassVar[Requirement]

    @abstractmethod
    def _check(self, schema: Schema) -> Check:
        """Return what refuses too few rows to measure on."""

    def _held(self, default: SearchedFit) -> SearchedFit:
        """Return the default with the holdout that the search was given."""
        default.holdout = self.holdout
        return default

    @abstractmethod
    def _measured(
        self, estimator: SearchedFit, model: ReleasedModel, parts: HoldoutSplit, whole: Accountant, rest: Accountant
    ) -> ReleasedModel:
        """Return the model with what the kept rows say."""

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        storage: Place = "auto",
        client: Any = None,
        tables: Given | None = None,
        **further: Never,
    ) -> Self:
        """Choose and train on rows X and labels y, spending the budget.

        Parameters
        ----------
        X, y, storage, client, tables
            As for a classifier.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            If a parameter or a grid is not fit for a search; nothing is spent.
        TableError
            If rows and schema do not fit, or a candidate refuses them; nothing is spent.

        Notes
        -----
        Privacy: what it cost and what that assumes is in ``privacy_``. A failed fit is not a private output.
        """
        settled = self._settled()
        default = settled.candidates[0].estimator
        weights = taken_weights(further, self.get_params(deep=False), default.schema)
        rows = opened_rows(X, y, default.schema, tables)
        with self.charging(partial(count_given, rows, y, default.schema)) as payment:
            given: dict[str, Any] = {"reader": type(self).__name__, "payment": payment}
            given |= {"storage": storage, "client": client, "of_number": self._of_number, "weights": weights}
            table, named = read_table(rows, y, default.schema, default.on_invalid, **given)
            settled = settled.paid(payment, table)
            found = self._search(settled, table)
            commit(payment, found[0].guarantee)
        self._keep(settled, *found, named=named)
        if self.privacy_.protects:
            for fitted in (self, self.best_estimator_):
                remember_rows(fitted, X)
        return self

    def fit_table(self, table: Table) -> Self:
        """Choose and train on rows that were read before, spending the budget.

        Parameters
        ----------
        table : Table
            Of the candidates' schema.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            As ``fit``, or if the table has another schema; nothing is spent.
        """
        settled = self._settled()
        if settled.candidates[0].estimator.schema != table.schema:
            raise ParameterError("Expected a table of the candidates' schema, got another. Pass schema=table.schema.")
        with self.charging(lambda: table.n_persons) as payment:
            if payment:
                payment.reading(table.n_persons)
            settled = settled.paid(payment, table)
            found = self._search(settled, table)
            commit(payment, found[0].guarantee)
        self._keep(settled, *found, named=True)
        return self

    @contextmanager
    def charging(self, count: Count | None = None) -> Iterator[Payment | None]:
        """Charge the ledger for the one search in the body, as ``PrivateClassifier.charging`` does for a fit.

        Parameters
        ----------
        count : callable, optional
            As there.

        Raises
        ------
        AccountExceeded, LedgerError
            If the ledger does not admit the search; the body does not run.
        """
        settled = self._settled()
        if is_charged(self.ledger):
            settled = settled.at(charged_delta(settled.delta, settled.schema, self.ledger, count))
        estimators = [each.paid(settled.budget, self.random_state) for each in settled.candidates]
        schema = estimators[0].schema
        void = estimators[0]._void_reasons(schema) if isinstance(schema, Schema) else ()
        told: dict[str, Any] = {"fitted": "paid-search", "random_state": self.random_state, "void": void}
        # The best of a secret number of runs is (epsilon, delta)-DP, and no zCDP mechanism.
        told["has_rho"] = self.pay == "rows" and all(each._has_rho() for each in estimators)
        told["refuse"] = lambda n_rows: refuse(schema, n_rows, settled.budget.delta, partial(self._refuse, settled))
        with charged(self.ledger, schema, settled.budget, **told) as payment:
            yield payment

    def cost(self, n_rows: int) -> RowPrice | EpsilonPrice:
        """Return what a search on so many rows costs, and how much noise its runs carry; reads no row.

        Parameters
        ----------
        n_rows : int
            Public.

        Raises
        ------
        ParameterError
            If a parameter or a grid is not fit for a search.
        """
        settled, n_rows = self._settled(), counting("n_rows", n_rows)
        settled = settled.at(chosen_delta(settled.delta, settled.schema, self.ledger, n_rows))
        return self._price(settled, self._unkept(n_rows))

    @property
    def asked_delta(self) -> Any:
        """The delta as it was given, or as the first estimator has it if none is."""
        first = self.estimator[0] if isinstance(self.estimator, list | tuple) else self.estimator
        return first.delta if self.delta is None else self.delta

    def _settled(self) -> SearchSettings:
        """Return candidates and budget, checked; no row was read before."""
        if self.epsilon is None:
            raise ParameterError("Expected an epsilon, got none. Pass the privacy to spend, for example epsilon=1.0.")
        for name, requirement in (_PARAMETERS | {"scoring": self._scores}).items():
            requirement.check(name, getattr(self, name))
        epsilon = COMMON["epsilon"].check("epsilon", self.epsilon)
        if self.holdout and self.pay == "epsilon":
            raise ParameterError(
                "Expected pay='rows' with a holdout, as no certificate covers slices of secret runs with others, "
                "got pay='epsilon'. Drop one of the two."
            )
        candidates = candidates_of(self.estimator, self.grid, self.scoring)
        delta = COMMON["delta"].check("delta", self.asked_delta)
        budget = Budget(epsilon, largest_delta(delta))
        for candidate in candidates:
            candidate.paid(budget, self.random_state)
        return SearchSettings(candidates, budget, delta)

    def _price(self, settled: SearchSettings, n_rows: int, *, free: bool = False) -> RowPrice | EpsilonPrice:
        settled.budget.check_rows(n_rows)
        given = n_rows, settled.budget, len(settled.candidates), float(self.rows)
        schema = settled.schema
        n_classes = max(schema.n_classes, 2)  # of a number there is one training, as of two classes
        if self.pay == "epsilon" and not free:  # where nothing is protected, all candidates are compared at once
            return epsilon_price(*given, n_classes=n_classes)
        n_cut = sum(name in schema.private_columns for name in columns_without_cuts(schema))
        return row_price(*given, n_classes=n_classes, n_cut=n_cut, free=free)

    def _search(self, settled: SearchSettings, table: Table) -> tuple[ReleasedModel, int, SearchedFit]:
        default = settled.candidates[0].paid(settled.budget, self.random_state)
        if isinstance(default, PrivateFit):
            default._check_classes(table)
        search = self._chosen_search(settled, table)
        if search is not None:
            return self._searched(settled, search, table)
        return self._held(default)._train(table), 0, default

    def _chosen_search(self, settled: SearchSettings, table: Table) -> RowSearch | EpsilonSearch | None:
        """Return how candidates are compared on so many rows, None where nothing is; or refuse the table."""
        if table.unit.persons is not None and table.unit.persons.identifier is None:
            raise ParameterError(
                "Expected an identifier of persons, got rows_per_person alone: a person's rows would lie in several "
                "slices. Name the identifier, or keep one row of each person."
            )
        price = self._price(settled, self._unkept(table.n_persons), free=table.unit.protects_nothing)
        if not price.searches:
            return None
        if isinstance(price, RowPrice):
            return RowSearch(settled.candidates, self.scoring, price, settled.budget)
        return EpsilonSearch(settled.candidates, self.scoring, price)

    def _refuse(self, settled: SearchSettings, table: Table) -> None:
        """Raise what ``fit`` refuses of a made-up table, of which there may be any number of rows."""
        search = self._chosen_search(settled, table)
        if search is None:
            default = settled.candidates[0].paid(settled.budget, self.random_state)
            self._held(default)._refuse(table)
            return
        if self.holdout:
            held_size(table, self.holdout, settled.budget, self._check(table.schema))
        search.refuse(table, self.random_state)

    def _unkept(self, n_rows: int) -> int:
        return n_rows - int(self.holdout * n_rows)

    def _searched(
        self, settled: SearchSettings, search: RowSearch | EpsilonSearch, table: Table
    ) -> tuple[ReleasedModel, int, SearchedFit]:
        noise, generator = randomness(self.random_state, stacklevel=5)
        check = self._check(table.schema)
        parts = divided(table, self.holdout, settled.budget, noise, check) if self.holdout else None
        whole = Accountant(settled.budget, table.unit, noise, n_rows=table.n_persons)
        accountant, *rest = parts.accountants(whole) if parts else (whole,)

        def charge() -> None:
            if not table.unit.protects_nothing:
                count_fit(table.schema, settled.budget, stacklevel=7)

        means = Means(accountant, noise, generator, charge, self.random_state)
        found = search.run(parts.training if parts else table, means)
        estimator = found.prepared.estimator
        model: ReleasedModel = estimator._model(table.schema, found.trained, whole, searched=True)
        if parts:
            model = self._measured(estimator, model, parts, whole, *rest)
        said = f"chosen among {search.price.candidates} candidates by held-out {self.scoring}"
        why = "; ".join(filter(None, [said, found.prepared.why]))
        return replace(model, why=why), found.index, estimator

    def _keep(
        self, settled: SearchSettings, model: ReleasedModel, index: int, estimator: SearchedFit, *, named: bool
    ) -> None:
        estimator._keep(model, named=named)
        self.best_estimator_, self.best_index_ = estimator, index
        self.best_params_ = dict(settled.candidates[index].settings)
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        for name in ("classes_", "n_features_in_", "feature_names_in_", "privacy_", "model_"):
            if hasattr(estimator, name):
                setattr(self, name, getattr(estimator, name))
        remember_fit(self)


@dataclass(frozen=True)
class SearchSettings:
    """Checked parameters of a search."""

    candidates: tuple[Candidate, ...]
    budget: Budget
    delta: Delta
    """As it was given; the budget's is the largest that it may be, until rows were counted."""

    @property
    def schema(self) -> Schema:
        """The candidates' own."""
        schema = self.candidates[0].estimator.schema
        assert isinstance(schema, Schema)
        return schema

    def at(self, delta: float) -> SearchSettings:
        """Return the same with this delta."""
        return replace(self, budget=Budget(self.budget.epsilon, delta), delta=delta)

    def paid(self, payment: Payment | None, table: Table) -> SearchSettings:
        """Return the same with the delta that was paid for, or that follows from the number of rows."""
        return self.at(paid_delta(self.delta, payment, self.schema, table.n_persons))


_PARAMETERS = {
    "pay": one_of(Pay),
    "rows": ROWS,
    "holdout": HOLDOUT,
    "ledger": COMMON["ledger"],
    "random_state": COMMON["random_state"],
}

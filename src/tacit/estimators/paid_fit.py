"""What all private fits share: parameters, where noise comes from, and the order in which a fit goes.

Nothing here is scikit-learn's, whose import takes as long as a fit: the command line fits without it. Estimators are
made of these in ``classifiers`` and ``regressors``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from tacit.errors import ParameterError
from tacit.estimators.beforehand import check_groups_alone, check_schema_given, refuse
from tacit.estimators.charging import charged, commit, is_charged
from tacit.estimators.docstrings import with_inherited_entries
from tacit.estimators.requirements import COMMON
from tacit.estimators.row_weights import check_takes_weights
from tacit.estimators.tally import count_fit, remember_fit
from tacit.estimators.training import Trainable, Training, plan_of, train_all
from tacit.estimators.usual_delta import Count, Delta, charged_delta, largest_delta, paid_delta
from tacit.learners.learner import Learner
from tacit.ledger import Payment
from tacit.mechanisms import announce
from tacit.models import ReleasedModel
from tacit.models.released import Monotone
from tacit.privacy import Accountant, Budget
from tacit.privacy.parameters import Requirement
from tacit.schema import Schema
from tacit.table import OnInvalid, Table


@dataclass(eq=False, repr=False)
class PaidFit:
    """A fit that pays for what it learns from protected cells.

    Subclasses are dataclasses whose fields are their own parameters. They name their ``_learner``, declare in
    ``_parameters`` what the fields may be, and make the learner from them in ``_settings``. Their docstrings describe
    their own parameters; these, and the attributes, are filled in.

    Parameters
    ----------
    schema : Schema or "infer"
        What is public about the table. ``"infer"`` reads it off the rows and voids the certificate.
    epsilon : float
        Privacy to spend, in nats; required.
    delta : float or "auto"
        Above 0, approximate differential privacy: Gaussian noise, or composition under zero-concentrated
        differential privacy, where that is better; below 1/n_rows. 0 is pure. ``"auto"``: the largest power of ten of
        at most a tenth of 1/n_rows (of 1/persons, where an identifier names them), and at most 1e-5 and the delta of
        the ledger's account, which has 0 for pure epsilon; 0 where the schema says so.
    on_invalid : {"raise", "coerce"}
        What to do with values that the schema does not admit; ``"coerce"`` counts them as missing.
    ledger : str or Path, optional
        An account on disk that pays for each fit: a path, or ``"path#account"``; by default what the environment
        variable ``TACIT_LEDGER`` names, if anything. ``"none"`` for no ledger.
    random_state : None, int or Generator
        None draws secure noise. Any seed removes all protection, as its noise can be repeated: the certificate
        then says simulated.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if X has names.
    privacy_ : Guarantee
        The certificate.
    model_ : ReleasedModel
        What may be published.
    """

    schema: Schema | str | None = None
    _: KW_ONLY
    epsilon: float | None = None
    delta: Delta = 0.0
    on_invalid: OnInvalid = "raise"
    ledger: str | Path | None = None
    random_state: Any = None

    _learner: ClassVar[str]
    _of_number: ClassVar[bool] = False
    """Whether a number is predicted, and not a class."""
    _no_row_weights: ClassVar[str] = "it counts each row as one"
    """Why rows cannot count as the schema's weight says, as a clause; empty where they can."""
    _parameters: ClassVar[Mapping[str, Requirement]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = vars(cls).get("__doc__")  # None under python -OO, too
        if own:
            bases = [base.__doc__ for base in reversed(cls.__mro__[1:]) if issubclass(base, PaidFit)]
            cls.__doc__ = with_inherited_entries(own, filter(None, bases), cls._example())

    @classmethod
    def _example(cls) -> str:
        """Return the example of a docstring without one; empty where there is none."""
        return ""

    def fit_table(self, table: Table) -> Self:
        """Train on rows that were read before, spending the budget; fits of one table share its encodings.

        Parameters
        ----------
        table : Table
            Of the estimator's own schema; see ``tacit.table.Table.from_frame``.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            If a parameter is missing or outside its range, or the table has another schema; nothing is spent.

        Notes
        -----
        Privacy: as ``fit``; each call is a release of its own. Nothing of the table stays in the estimator.

        Examples
        --------
        >>> from tacit import Label, NaiveBayesClassifier, Numeric, Schema
        >>> schema = Schema([Numeric("age", 0, 90)], label=Label("income", ["high", "low"]))
        >>> table = Table.from_frame(np.arange(90)[:, None], ["low"] * 45 + ["high"] * 45, schema)
        >>> [NaiveBayesClassifier(schema, epsilon=e).fit_table(table).privacy_.epsilon for e in (0.5, 1.0)]
        [0.5, 1.0]
        """
        checked = self._checked()
        if checked.schema != table.schema:
            raise ParameterError("Expected a table of the estimator's schema, got another. Pass schema=table.schema.")
        with checked.charging(lambda: table.n_persons) as payment:
            if payment:
                payment.reading(table.n_persons)
            model = checked._paid(payment, table)._train(table)
            commit(payment, model.guarantee)
        self._keep(model, named=True)
        return self

    @contextmanager
    def charging(self, count: Count | None = None) -> Iterator[Payment | None]:
        """Charge the ledger for the one fit in the body, where rows must be read for it first; None without a ledger.

        Parameters
        ----------
        count : callable, optional
            Returns the public number of rows; asked where there is a ledger and delta is ``"auto"``.

        Raises
        ------
        AccountExceeded, LedgerError
            If the ledger does not admit the fit; the body does not run.
        """
        checked = self._checked()
        schema = checked.schema
        if is_charged(checked.ledger):
            checked.delta = charged_delta(checked.delta, schema, checked.ledger, count)
        void = checked._void_reasons(schema) if isinstance(schema, Schema) else ()
        told: dict[str, Any] = {"fitted": self._learner, "random_state": checked.random_state, "void": void}
        told["refuse"] = lambda n_rows: refuse(schema, n_rows, checked._delta, checked._refuse)
        told["has_rho"] = checked._has_rho()
        with charged(checked.ledger, schema, checked._budget(), **told) as payment:
            yield payment

    def _paid(self, payment: Payment | None, table: Table) -> Self:
        """Return a copy with the delta that was paid for, or that follows from the number of rows."""
        paid = copy(self)
        paid.delta = paid_delta(self.delta, payment, self.schema, table.n_persons)
        return paid

    def _refuse(self, table: Table) -> None:
        """Raise what a fit raises for a table before it releases anything; of checked parameters, looks at no row."""
        self._budget().check_rows(table.n_persons)
        plan_of(self._learner_for(table), table)

    @abstractmethod
    def _settings(self, table: Table) -> Learner:
        """Return the learner that the parameters describe; may look at what is public of the table."""

    def _signs(self, schema: Schema) -> Monotone:
        """Return along which numbers the trained scores rise or fall for sure; of checked parameters."""
        return ()

    def _has_rho(self) -> bool:
        """Tell whether all releases under a delta compose in rho; of checked parameters, before a row is read."""
        return True

    def _assumptions(self) -> tuple[str, ...]:
        return ()

    def _exact(self, schema: Schema) -> tuple[str, ...]:
        """Name what was computed without noise from public columns and a public label."""
        if schema.label.private:
            return ()
        public = schema.full.public_columns
        columns = f" and the public columns {', '.join(public)}" if public else ""
        return (f"What depends on nothing but the public label {schema.label.name}{columns}.",)

    def _checked(self) -> Self:
        """Return a copy whose parameters are plain Python within their bounds; nothing was read or spent before."""
        self._check_given()
        # A copy, as fit must leave the parameters as they were given.
        checked = copy(self)
        for name, requirement in {**COMMON, **self._parameters}.items():
            if hasattr(self, name):
                setattr(checked, name, requirement.check(name, getattr(self, name)))
        checked._budget()
        if isinstance(checked.schema, Schema):
            check_groups_alone(checked.schema)
        check_takes_weights(checked.schema, self._name(), self._no_row_weights)
        return checked

    @abstractmethod
    def _name(self) -> str:
        """Return what messages call it."""

    def _check_given(self) -> None:
        """Raise ParameterError where a parameter without a default was left out."""
        check_schema_given(self.schema)
        if self.epsilon is None:
            raise ParameterError("Expected an epsilon, got none. Pass the privacy to spend, for example epsilon=1.0.")

    def _budget(self) -> Budget:
        """Return what a fit may cost; of checked parameters."""
        assert self.epsilon is not None
        return Budget(self.epsilon, largest_delta(self.delta))

    @property
    def _delta(self) -> float:
        return self._budget().delta

    def _void_reasons(self, schema: Schema) -> tuple[str, ...]:
        return ("The schema was inferred from the rows.",) if schema.guessed else ()

    def _keep(self, model: ReleasedModel, *, named: bool) -> None:
        # Further columns of a frame leave nothing, not even their names.
        self.n_features_in_ = len(model.schema.input_names)
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        if named:
            self.feature_names_in_ = np.asarray(model.schema.input_names, dtype=object)
        self.model_: Any = model  # which it is, those say that are fitted
        self.privacy_ = model.guarantee
        remember_fit(self)

    @abstractmethod
    def _learner_for(self, table: Table) -> Trainable:
        """Return the learner of a table, or refuse it."""

    @abstractmethod
    def _train(self, table: Table) -> ReleasedModel:
        """Return the trained model; of checked parameters."""

    def _released(
        self, learner: Trainable, table: Table, accountant: Accountant, generator: np.random.Generator
    ) -> Training:
        """Return what a learner made of its rows; from here on the budget is spent."""
        if not table.unit.protects_nothing:
            # Counted before training: a fit that fails half way may have released something.
            count_fit(table.schema, self._budget(), stacklevel=5)
        return train_all(learner, table, announce(accountant, plan_of(learner, table)), generator)

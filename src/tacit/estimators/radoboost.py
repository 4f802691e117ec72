"""The scikit-learn estimator of RadoBoost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from tacit.boosting.rado_makers import Protection
from tacit.boosting.radoboost import RadoBoost, RadoRule, RoundSettings
from tacit.errors import ParameterError, PrivacyError
from tacit.estimators.beforehand import check_schema_given
from tacit.estimators.calibrated import CalibratedFit
from tacit.estimators.rados import (
    NO_BUDGET,
    PARAMETERS,
    check_protection,
    protected_columns,
    rado_maker,
    void_reasons,
)
from tacit.estimators.usual_delta import largest_delta
from tacit.features import LinearEncoding
from tacit.learners.learner import Learner
from tacit.learners.platt_scaling import CALIBRATION
from tacit.models import write_model
from tacit.privacy import Budget
from tacit.privacy.parameters import Requirement
from tacit.queries.edges import EdgeForm
from tacit.schema import Schema
from tacit.table import Table


@dataclass(kw_only=True, eq=False, repr=False)
class RadoBoostFit(CalibratedFit):
    """A linear classifier learned from Rademacher observations: sums of random subsets of rows.

    Source: Nock, Patrini and Friedman, "Rademacher Observations, Private Data, and Boosting" (2015). What protects the
    rados, and so the model, is said by ``protection``; only two of its four values are differential privacy.

    Parameters
    ----------
    epsilon : float, optional
        Privacy to spend, in nats. Without one, ``protection="none"`` must be written out.
    delta : float
        Above 0 for ``"edges"``; above 0 for ``"private"``, Gaussian noise where that is better.
    protection : {"private", "edges", "marginal", "none"}, optional
        ``"private"``, which an epsilon means: rados drawn around one noisy sum. ``"edges"``: Gaussian noise on every
        row's edge before anything is summed, a local guarantee, much noise. ``"marginal"``: DP-Feat; hides the entries
        of some columns in rados, each alone, **and no person**. ``"none"``: exact rados.
    protected_column : str or sequence of str, optional
        For ``"marginal"`` and only there: one or several numeric or two-valued columns.
    count : int
        Number of rados, at most 100,000.
    rounds : int
        At most 100,000; with as many rados as there are, at most 1e9 together.
    weak_learner : {"strongest", "capped", "median"}
        Which feature a round takes: the one of largest edge |r|; the same with |r| cut to 0.8; that of median |r|.
    kappa : float
        From 1 to 1e6; 2 is the paper's Algorithm 1, more makes smaller steps.
    iterate : {"last", "rado-risk", "example-risk"}
        Which rule of the rounds to keep. Choosing by the examples is for ``protection="none"``.
    rule : {"boosted", "linear"}
        RadoBoost, or the rados' inverse covariance times their mean.
    support : float, optional
        For ``"edges"``: the share of the rows that each rado sums, half by default.
    intercept : {"centered", "constant", "none"}
        A constant feature gives the rule an intercept. Boosting treats it like any other, or, centered, first takes
        from the other features' rados what goes along with it. ``"none"`` is the paper's.
    encoding : {"ordinal", "one-hot"}
        How categories become features.
    clip : float, optional
        The share, from 0.001 to 1, of the way from their center to their bounds beyond which numbers are clipped.
        By default 1, and with ``"private"`` a quarter.

    Attributes
    ----------
    privacy_ : Guarantee
        The certificate; void for ``"marginal"`` and ``"none"``.
    model_ : Model
        What may be published, if the certificate says so.

    Notes
    -----
    Privacy: ``"private"`` releases one sum of edges and sums that calibrate log-odds, ``"edges"`` all edges once;
    replace-one, sensitivities in ``proofs/queries/edges.md`` and ``proofs/queries/platt_sums.md``. What the others do
    and do not hide: ``proofs/queries/rademacher_sums.md``.
    """

    protection: Protection | None = None
    protected_column: str | tuple[str, ...] | None = None
    count: int = 1000
    rounds: int = 1000
    weak_learner: Literal["strongest", "capped", "median"] = "strongest"
    kappa: float = 2
    iterate: Literal["last", "rado-risk", "example-risk"] = "last"
    rule: Literal["boosted", "linear"] = "boosted"
    support: float | None = None
    intercept: Literal["centered", "constant", "none"] = "centered"
    encoding: Literal["ordinal", "one-hot"] = "ordinal"
    clip: float | None = None

    _learner = "radoboost"
    _no_row_weights = "rados are made of rows that count the same, before it trains"
    _no_class_weight = "rados are made before it trains; choose another learner or predict(threshold=)"
    _parameters: ClassVar[Mapping[str, Requirement]] = {**PARAMETERS, "calibration": CALIBRATION}

    def save(self, path: str | Path, *, allow: str | None = None) -> None:
        """Write the model file; see ``tacit.load_model``.

        Parameters
        ----------
        path : str or Path
        allow : {"none", "marginal", "simulated", "void"}, optional
            Must name the protection where that is no differential privacy, else the certificate's status where that
            promises nothing.

        Raises
        ------
        PrivacyError
            If ``allow`` does not say what the model lacks.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        kept = check_protection(self.protection, self.epsilon)
        protected_columns(kept, self.protected_column)
        # Where nothing is to be protected, rados without protection may be published as well.
        if kept in ("private", "edges") or self.privacy_.status == "public":
            write_model(self.model_, path, allow=allow)
            return
        if allow != kept:
            raise PrivacyError(
                f"Expected a differentially private model, got protection={kept!r}. Fit with an epsilon and "
                f"protection='private', or pass allow={kept!r} if you know who will see the file."
            )
        write_model(self.model_, path, allow="void")

    def _check_given(self) -> None:
        """Raise ParameterError if there is no schema; whether an epsilon is needed depends on the protection."""
        check_schema_given(self.schema)

    def _budget(self) -> Budget:
        kept = check_protection(self.protection, self.epsilon)
        if kept in ("private", "edges"):
            return super()._budget()
        if largest_delta(self.delta):
            raise ParameterError(f"Expected delta=0 with protection={kept!r}, which spends none. Leave it out.")
        # The certificate is void: its epsilon is one that no learner could mistake for a promise.
        return Budget(NO_BUDGET)

    def _has_rho(self) -> bool:
        return check_protection(self.protection, self.epsilon) != "edges"

    def _settings(self, table: Table) -> RadoBoost:
        clip = 1.0 if self.clip is None else self.clip
        encoding = LinearEncoding(table.schema, table.schema.names, self.encoding, clip)
        form = EdgeForm(encoding, constant=self.intercept != "none")
        maker = rado_maker(
            table,
            protection=check_protection(self.protection, self.epsilon),
            epsilon=self.epsilon,
            delta=self._delta,
            columns=protected_columns(check_protection(self.protection, self.epsilon), self.protected_column),
            count=self.count,
            support=self.support,
            random_state=self.random_state,
            clip=self.clip,
        )
        settings = RoundSettings(self.rounds, self.weak_learner, self.kappa)
        return RadoBoost(maker, form, RadoRule(settings, self.iterate, self.rule, self.intercept == "centered"))

    @property
    def _is_calibrated(self) -> bool:
        # Where rows or columns are protected otherwise than by noise on sums, rados are all that is released.
        return check_protection(self.protection, self.epsilon) == "private"

    def _learns_probabilities(self) -> bool:
        return self._is_calibrated and super()._learns_probabilities()

    def _linked(self, learner: Learner, table: Table) -> Learner:
        return super()._linked(learner, table) if self._is_calibrated else learner

    def _void_reasons(self, schema: Schema) -> tuple[str, ...]:
        kept = check_protection(self.protection, self.epsilon)
        return (*super()._void_reasons(schema), *void_reasons(kept, schema, self.protected_column))

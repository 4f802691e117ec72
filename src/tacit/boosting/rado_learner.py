"""Learning from rados alone: make them, boost, write the rule down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from tacit.boosting.rado_makers import MarginalRados, Protection, RadoMaker
from tacit.boosting.radoboost import Floats, Iterate, Reached, RoundSettings, boost_rados, check_work
from tacit.errors import ParameterError
from tacit.mechanisms import Releases
from tacit.models import RadoForm
from tacit.privacy import Planned, PrivacyUnit
from tacit.privacy.marginal import MarginalGuarantee
from tacit.queries.edges import EdgeForm
from tacit.queries.rademacher_sums import exact_error
from tacit.table import Table

Rule = Literal["boosted", "linear"]
ChosenBy = Literal["last", "rado-risk", "example-risk"]


@dataclass(frozen=True, eq=False)
class RadoRule:
    """How a rule is learned from rados; needs nothing else."""

    settings: RoundSettings
    iterate: ChosenBy = "last"
    """Which rule of the rounds to take; ``"example-risk"`` reads the examples and needs them."""
    rule: Rule = "boosted"
    """RadoBoost, or at once the rule that is best for normal rados: inverse covariance times mean."""
    centered: bool = False
    """Boost over rados from whose features what goes along with the constant, the last feature, was taken away."""

    def __post_init__(self) -> None:
        if self.iterate not in get_args(ChosenBy):
            raise ParameterError(
                f"Expected iterate 'last', 'rado-risk' or 'example-risk', got iterate={self.iterate!r}."
            )
        if self.rule not in get_args(Rule):
            raise ParameterError(f"Expected rule 'boosted' or 'linear', got rule={self.rule!r}. Choose one of the two.")

    def learn(self, rados: Floats) -> Floats:
        """Return the coefficients, shape (n_features,)."""
        if self.iterate == "example-risk":
            raise ParameterError("Expected an iterate chosen without examples, got 'example-risk'. Use 'rado-risk'.")
        if self.rule == "linear":
            return linear_rule(rados)
        return self.boosted(rados)

    def boosted(self, rados: Floats, reached: Reached | None = None) -> Floats:
        """Return what boosting ends with, centered if so set; ``reached`` is asked about rules of whole features."""
        shear = constant_shear(rados) if self.centered else np.zeros(rados.shape[1])

        def whole(theta: Floats) -> Floats:
            return np.asarray([*theta[:-1], theta[-1] - shear @ theta])

        iterate: Iterate = "last" if self.iterate == "example-risk" else self.iterate
        asked = None if reached is None else (lambda theta: reached(whole(theta)))
        return whole(boost_rados(rados - rados[:, -1:] * shear, self.settings, iterate=iterate, reached=asked).theta)


@dataclass(frozen=True, eq=False)
class RadoBoost:
    """Makes rados of a table and learns from them; settings of the estimator."""

    maker: RadoMaker
    form: EdgeForm
    """Of all columns."""
    rule: RadoRule

    multiclass: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.rule.rule == "boosted":
            check_work(self.maker.count, self.rule.settings.rounds)
        if self.rule.iterate == "example-risk" and self.maker.protection != "none":
            raise ParameterError(
                "Expected iterate='last' or 'rado-risk': choosing by the examples' error reads the rows again, and "
                "undoes what protects the rados. Use 'rado-risk'."
            )

    def plan(self, unit: PrivacyUnit) -> list[Planned]:
        """Return the releases of one training."""
        return self.maker.plan(self.form, unit)

    def train(self, table: Table, releases: Releases, generator: np.random.Generator) -> RadoForm:
        """Return the rule.

        Privacy: rows are read by the maker alone, and by the choice of the iterate where nothing is protected.
        """
        form = self.maker.clipped(self.form, table.unit, releases, table.n_rows)
        rados = self.maker.make(table, form, releases, generator)
        by_examples = self.rule.iterate == "example-risk"
        theta = self._best_on_examples(rados, table, form) if by_examples else self.rule.learn(rados)
        marginal = self.maker.guarantee(table.n_rows) if isinstance(self.maker, MarginalRados) else None
        return rado_form(theta, form, self.maker.protection, marginal)

    def _best_on_examples(self, rados: Floats, table: Table, form: EdgeForm) -> Floats:
        return self.rule.boosted(rados, lambda theta: exact_error(table, form, theta))


def constant_shear(rados: Floats) -> Floats:
    """Return for each feature the slope of its rados in the constant's, 0 for the constant itself, shape (n_features,).

    Over free signatures it is the feature's mean, so that boosting over what is left learns from centered features, in
    which a step for one feature does not have to be made good by one for the constant.
    """
    centered = rados - rados.mean(axis=0)
    square = float(centered[:, -1] @ centered[:, -1])
    slopes = centered.T @ centered[:, -1] / square if square > 0 else np.zeros(rados.shape[1])
    slopes[-1] = 0.0
    return np.asarray(slopes)


def linear_rule(rados: Floats) -> Floats:
    """Return the rados' inverse covariance times their mean.

    It minimizes the exponential rado-risk of normal rados, whose logarithm at theta is -theta . mean +
    theta' covariance theta / 2; rados are sums of many rows, so they are all but normal.
    """
    if len(rados) < 2:
        raise ParameterError("Expected at least two rados for a linear rule, got one. Make more.")
    covariance = np.cov(rados, rowvar=False).reshape(rados.shape[1], -1)
    # A pseudoinverse: features that never vary, or vary together, make the covariance singular.
    return np.asarray(np.linalg.pinv(covariance, hermitian=True) @ rados.mean(axis=0))


def rado_form(
    theta: Floats, form: EdgeForm, protection: Protection, marginal: MarginalGuarantee | None = None
) -> RadoForm:
    """Return the rule as a model releases it."""
    return RadoForm.of(
        theta,
        form.encoding.categorical,
        constant=form.constant,
        protection=protection,
        marginal=marginal,
        clip=form.encoding.clip,
    )

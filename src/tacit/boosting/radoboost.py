"""RadoBoost: Algorithm 1 of Nock, Patrini and Friedman (2015), and learning from rados alone.

The same loop over edges instead of rados is AdaBoost with the paper's weak learner.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from tacit.boosting.rado_makers import Floats, MarginalRados, Protection, RadoMaker
from tacit.errors import ParameterError
from tacit.mechanisms import Releases
from tacit.models import RadoForm
from tacit.privacy import Persons, PlanEntry, PrivacyUnit
from tacit.privacy.marginal import MarginalGuarantee
from tacit.privacy.parameters import Number, Whole
from tacit.queries.edges import EdgeForm
from tacit.queries.rademacher_sums import exact_error
from tacit.table import Table

WeakLearnerName = Literal["strongest", "capped", "median"]
Iterate = Literal["last", "rado-risk"]

CAP = 0.8
"""Of |r| in the capped weak learner: the authors' setting."""

MAX_EDGE = 1 - 2.0**-20
"""|r| is taken to be at most this, as at 1 the coefficient would be infinite."""

ROUNDS = Whole(1, 100_000, "The paper has 1000.")
KAPPA = Number(1, 1e6, "2 is the paper's Algorithm 1.")

MAX_WORK = 10**9
"""Rounds times rados: each round reads all rados."""

Reached = Callable[[Floats], float]
"""Risk of a rule; lower is better."""


@dataclass(frozen=True)
class RoundSettings:
    """How a round goes."""

    rounds: int = 1000
    weak_learner: WeakLearnerName = "strongest"
    """Takes the feature with the largest |r|; the same, with |r| cut to 0.8; or the one with the median |r|, which the
    paper calls prudential."""
    kappa: float = 2.0
    """Coefficients are log((1 + r)/(1 - r)) / (kappa * largest value); 2 is Algorithm 1, more is more careful."""
    least_edge: float = 0.0
    """|r| counts as at least this, its sign kept: the supplement's remedy for features with outliers."""

    def __post_init__(self) -> None:
        ROUNDS.check("rounds", self.rounds)
        if self.weak_learner not in get_args(WeakLearnerName):
            raise ParameterError(
                f"Expected weak_learner 'strongest', 'capped' or 'median', got weak_learner={self.weak_learner!r}."
            )
        KAPPA.check("kappa", self.kappa)
        if not 0 <= self.least_edge < 1:
            raise ParameterError(f"Expected a least edge in [0, 1), got least_edge={self.least_edge!r}.")


@dataclass(frozen=True, eq=False)
class BoostedRule:
    """A linear rule, and how it came about."""

    theta: Floats
    """Shape (n_features,). The chosen iterate."""
    edges: Floats
    """Shape (rounds,). r_t of each round, after any cut."""
    picks: NDArray[np.intp]
    """Shape (rounds,)."""
    coefficients: Floats
    """Shape (rounds,)."""
    log_bound: float
    """An upper bound on the logarithm of the exponential rado-risk of the last iterate: Lemma 4."""
    chosen: int
    """How many rounds the chosen iterate has."""


def boost_rados(
    rados: Floats, settings: RoundSettings, *, iterate: Iterate = "last", reached: Reached | None = None
) -> BoostedRule:
    """Return the rule that boosting over rados ends with.

    Privacy: reads the rados alone, so it costs nothing beyond them.

    Parameters
    ----------
    rados : array of shape (n_rados, n_features)
    iterate : {"last", "rado-risk"}
        Take the last rule, or the one with the least exponential risk over the rados.
    reached : callable, optional
        Chooses the iterate by another risk. One that reads the examples undoes any guarantee of the rados.
    """
    if iterate not in get_args(Iterate):
        raise ParameterError(f"Expected iterate 'last' or 'rado-risk', got iterate={iterate!r}. Choose one of the two.")
    rados = np.asarray(rados, dtype=np.float64)
    check_work(len(rados) if rados.ndim else 0, settings.rounds)
    if rados.ndim != 2 or not rados.size or not np.isfinite(rados).all():
        raise ParameterError("Expected a table of finite rados, got none or others. Make them again.")
    if reached is None and iterate == "rado-risk":
        reached = _rado_risk(rados)
    return _boost(rados, settings, reached)


def check_work(count: int, rounds: int) -> None:
    """Raise ParameterError if so many rados and rounds would take hours."""
    if count * rounds > MAX_WORK:
        raise ParameterError(
            f"Expected count times rounds of at most {MAX_WORK:.0e}, got count={count} and rounds={rounds}. "
            "Make fewer rados, or boost for fewer rounds."
        )


def _rado_risk(rados: Floats) -> Reached:
    return lambda theta: log_exponential_risk(rados, theta)


def _boost(rados: Floats, settings: RoundSettings, reached: Reached | None) -> BoostedRule:
    """Algorithm 1; ``units`` are the rados with each feature divided by its largest size, pi_*."""
    largest = np.abs(rados).max(axis=0)
    live = largest > 0
    units = np.divide(rados, largest, out=np.zeros_like(rados), where=live)
    weights = np.full(len(rados), 1 / len(rados))
    theta, best, least, chosen = np.zeros(rados.shape[1]), np.zeros(rados.shape[1]), np.inf, 0
    edges, picks, coefficients = [], [], []
    log_bound = 0.0
    for round_ in range(1, settings.rounds + 1):
        pick, edge = _weak_feature(weights @ units, live, settings)
        if edge == 0:  # nothing is left to gain, here or in any later round
            break
        # log1p keeps the digits of small edges.
        coefficient = float(np.log1p(edge) - np.log1p(-edge)) / (settings.kappa * largest[pick])
        theta[pick] += coefficient
        # Equation (11); normalized after, as rounding would drift over a thousand rounds.
        weights *= (1 - edge * units[:, pick]) / (1 - edge**2)
        total = weights.sum()
        weights /= total
        log_bound += np.log(total) + 0.5 * np.log1p(-(edge**2))
        edges.append(edge)
        picks.append(pick)
        coefficients.append(coefficient)
        if reached is not None and (risk := reached(theta)) < least:
            best, least, chosen = theta.copy(), risk, round_
    taken = (theta, len(edges)) if reached is None else (best, chosen)
    # No bound below kappa = 2: the paper's equation (17) fails at 1, with rados 1, 1, 1, -1.
    bound = log_bound * min(1.0, 2 / settings.kappa) if settings.kappa >= 2 else np.inf
    return BoostedRule(
        taken[0], np.asarray(edges), np.asarray(picks, dtype=np.intp), np.asarray(coefficients), float(bound), taken[1]
    )


def _weak_feature(edges: Floats, live: NDArray[np.bool_], settings: RoundSettings) -> tuple[int, float]:
    """Return the feature that the weak learner picks, and its r, cut as the settings say."""
    sizes = np.where(live, np.abs(edges), -1.0)
    if settings.weak_learner == "median":
        order = np.argsort(sizes, kind="stable")[np.count_nonzero(~live) :]
        if not len(order):
            return 0, 0.0
        pick = int(order[len(order) // 2])
    else:
        pick = int(np.argmax(sizes))
    if sizes[pick] <= 0:
        return pick, 0.0
    most = CAP if settings.weak_learner == "capped" else MAX_EDGE
    size = min(max(float(sizes[pick]), settings.least_edge), most)
    return pick, float(np.copysign(size, edges[pick]))


def log_exponential_risk(rados: Floats, theta: Floats) -> float:
    """Return the logarithm of the exponential rado-risk, the mean of exp(-theta . rado), equation (2)."""
    return float(logsumexp(-(rados @ theta)) - log(len(rados)))


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

    def unsupported(self, persons: Persons) -> str | None:
        """Return why persons with several rows are not protected: the maker's reason."""
        return self.maker.unsupported(persons)

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the releases of one training."""
        return self.maker.plan(self.form, unit)

    def train(self, table: Table, releases: Releases, generator: np.random.Generator) -> RadoForm:
        """Return the rule.

        Privacy: rows are read by the maker alone, and by the choice of the iterate where nothing is protected.
        """
        form = self.maker.clipped(self.form, table.unit, releases, table.n_persons)
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

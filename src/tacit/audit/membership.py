"""Membership tests, as output checkers know them: how well a model tells which rows it was fitted to.

Shadow models are fits of the same learner to tables whose members are known; a further fit is attacked with them.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from hashlib import sha256
from math import exp
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr
from scipy.stats import norm
from sklearn.metrics import auc, roc_curve

from tacit.audit.findings import Claim
from tacit.audit.membership_game import MembershipGame
from tacit.audit.one_run import label_scores
from tacit.audit.runs import RunStore
from tacit.errors import ParameterError
from tacit.measures.intervals import Estimate
from tacit.mechanisms import public_generator

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

FALSE_ALARMS: Final = (0.01, 0.1)
"""Shares of non-members that an attacker may call members: the rates that Carlini and others (2022) report."""

MIN_FITS = 8
"""A normal distribution is fitted to half of the others for members, to half for the rest."""

_RESAMPLED = 100
"""Times that fits are drawn again for intervals: more would change their ends by less than they are wide."""

_LEVEL = 95

NOT_PRIVATE: Final = (
    "NOT PRIVATE. All numbers here are computed from real rows, without noise. They are for the checker who may see "
    "the rows: keep them where the rows are kept. They are no evidence for a release."
)
"""The first line of every report on real rows."""


@dataclass(frozen=True)
class AttackPower:
    """How well one attack tells members from others.

    Parameters
    ----------
    attack : str
    auc : Estimate
        Area under the ROC curve; 0.5 is guessing.
    found : tuple of Estimate
        Share of the members that are found, at each of ``FALSE_ALARMS``.
    curve : tuple of (float, float)
        Points of the ROC curve.
    """

    attack: str
    auc: Estimate
    found: tuple[Estimate, ...]
    curve: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class MembershipReport:
    """What membership tests find in fits of a learner, and in fits at an epsilon that leaves next to no noise.

    Parameters
    ----------
    subject : str
    claim : Claim
    n_fits : int
        For each of the two.
    n_rows, n_targets : int
    real : bool
        Whether the rows are real ones: then all numbers here are computed from them without noise.
    private, exposed : tuple of AttackPower
        At the claim, and without noise.
    """

    subject: str
    claim: Claim
    n_fits: int
    n_rows: int
    n_targets: int
    real: bool
    private: tuple[AttackPower, ...]
    exposed: tuple[AttackPower, ...]

    @property
    def allowed(self) -> tuple[float, ...]:
        """The largest share of members that any attack may find under the claim, at each of ``FALSE_ALARMS``."""
        return tuple(allowed_power(self.claim, each) for each in FALSE_ALARMS)

    @property
    def exceeds(self) -> bool:
        """Whether an interval is wholly above what the claim allows."""
        pairs = [pair for one in self.private for pair in zip(one.found, self.allowed, strict=True)]
        return any(found.low > allowed for found, allowed in pairs)

    def document(self) -> dict[str, Any]:
        """Return all of it for a program; of real rows it says first that it is not private."""
        first = {"notice": NOT_PRIVATE} if self.real else {}
        said = {"false_alarms": FALSE_ALARMS, "allowed": self.allowed, "allowed_auc": allowed_auc(self.claim)}
        return first | asdict(self) | said | {"exceeds": self.exceeds}


def membership_tests(
    make: Callable[[float], Any],
    claim: Claim,
    game: MembershipGame,
    *,
    n_fits: int,
    seed: int,
    subject: str = "",
    without_noise: float = 1e4,
    store: RunStore | None = None,
    follow: Callable[[int, float], None] = lambda fits, seconds: None,
) -> MembershipReport:
    """Return how well attacks find members, each fit being attacked with all other fits as shadow models.

    Privacy: of a game of real rows the report is not private.

    Parameters
    ----------
    make : callable
        Returns an unfitted classifier of a given epsilon.
    claim : Claim
    game : MembershipGame
    n_fits : int
        At the claim, and as many again without noise.
    seed : int
        Of who is a member; the noise of the fits is their own.
    subject : str
    without_noise : float
        The epsilon of the fits to compare with.
    store : RunStore, optional
        Keeps the scores of each fit, for a later call with the same game and learner.
    follow : callable
        Called with the number of fits that are done, and the seconds that these took.

    Raises
    ------
    ParameterError
        If there are fewer than ``MIN_FITS`` fits.
    """
    check_fits(n_fits)
    generator, seconds = public_generator(seed), 0.0
    powers = []
    for turn, epsilon in enumerate((claim.epsilon, without_noise)):
        members = generator.random((n_fits, len(game.target_labels))) < 0.5
        scores = np.empty(members.shape)
        for at, row in enumerate(members):
            scores[at], took = _kept_scores(f"{subject}/{epsilon}/{claim.delta}/{at}", make, epsilon, game, row, store)
            seconds += took
            follow(turn * n_fits + at + 1, seconds)
        powers.append(tuple(_power(name, members, guess) for name, guess in _attacks(members, scores).items()))
    return MembershipReport(subject, claim, n_fits, game.n_rows, len(game.target_labels), game.real, *powers)


def check_fits(n_fits: int) -> None:
    """Refuse fits that are too few for attacks that learn from them."""
    if n_fits < MIN_FITS:
        raise ParameterError(f"Expected {MIN_FITS} fits or more, got {n_fits}. Ask for more: 64 see rates of 1 %.")


def allowed_power(claim: Claim, false_alarms: float) -> float:
    """Return the largest share of members that an attack may find at this share of false alarms.

    Kairouz, Oh and Viswanath (2015), Theorem 2.1.

    Examples
    --------
    >>> round(allowed_power(Claim(1.0), 0.01), 4), round(allowed_power(Claim(1.0), 0.9), 4)
    (0.0272, 0.9632)
    """
    factor = exp(claim.epsilon)
    few, many = factor * false_alarms + claim.delta, 1 - (1 - claim.delta - false_alarms) / factor
    return min(1.0, few, many)


def allowed_auc(claim: Claim) -> float:
    """Return the largest area under the ROC curve: its corners are the two tests' and where they meet.

    Examples
    --------
    >>> allowed_auc(Claim(0.0)), round(allowed_auc(Claim(1.0)), 4)
    (0.5, 0.7311)
    """
    corner = (1 - claim.delta) / (1 + exp(claim.epsilon))
    places = [0.0, corner, 1 - claim.delta, 1.0]
    return float(np.trapezoid([claim.delta, 1 - corner, 1.0, 1.0], places))


def _kept_scores(
    name: str,
    make: Callable[[float], Any],
    epsilon: float,
    game: MembershipGame,
    members: Flags,
    store: RunStore | None,
) -> tuple[Floats, float]:
    """Return the scores of a fit and the seconds that it took, by an earlier call if that is known."""
    # Who is a member belongs to the name: another seed or number of fits draws others.
    key = f"membership/{name}/{sha256(members.tobytes()).hexdigest()}"
    found = store.get(key) if store else None
    if found is None:
        start = time.perf_counter()
        scores = _target_scores(make(epsilon), game, members)
        found = {"scores": scores}, time.perf_counter() - start
        if store:
            store.put(key, *found)
    return found[0]["scores"], found[1]


def _target_scores(classifier: Any, game: MembershipGame, members: Flags) -> Floats:
    """Return by how much a fit prefers each target's label to the best other one, (n_targets,)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = classifier.fit(*game.table(members))
        scores = label_scores(fitted, game.targets)
    classes = list(fitted.classes_)
    own = np.asarray([classes.index(label) for label in game.target_labels.to_list()])
    at = np.arange(len(own))
    rest = scores.copy()
    rest[at, own] = -np.inf
    return np.asarray(scores[at, own] - rest.max(axis=1))


def _attacks(members: Flags, scores: Floats) -> dict[str, Floats]:
    """Return for each attack how likely it finds each target to be a member of each fit, (n_fits, n_targets).

    The fit that is attacked is never among its own shadow models.
    """
    inside, outside = _others(scores, members), _others(scores, ~members)
    # A deviation for all targets together: one for each would be estimated from few shadow models.
    spread_in, spread_out = (_spread(scores, each, own) for each, own in ((inside, members), (outside, ~members)))
    ratio = norm.logpdf(scores, inside, spread_in) - norm.logpdf(scores, outside, spread_out)
    return {
        "likelihood ratio": ratio,  # Carlini and others (2022), online
        "non-member quantile": -np.asarray(log_ndtr((outside - scores) / spread_out)),  # Bertran and others (2023)
        "one threshold": scores,  # Yeom and others (2018)
    }


def _others(scores: Floats, chosen: Flags) -> Floats:
    """Return the mean of each target's scores over the other fits where it was chosen, (n_fits, n_targets)."""
    total, count = np.where(chosen, scores, 0.0).sum(axis=0), chosen.sum(axis=0)
    rest = count - chosen
    # Of a target that no other fit chose nothing is known but what all targets have in common.
    known = (total - np.where(chosen, scores, 0.0)) / np.maximum(rest, 1)
    return np.asarray(np.where(rest > 0, known, scores.mean()))


def _spread(scores: Floats, means: Floats, chosen: Flags) -> float:
    off = (scores - means)[chosen]
    # Scores without any spread are of a model that ignores all rows.
    return float(np.sqrt(np.mean(off**2))) or 1.0


def _power(name: str, members: Flags, guesses: Floats) -> AttackPower:
    """Return rates over all pairs of a fit and a target, with intervals from drawing both again."""
    generator = public_generator(0)
    whole, again = _rates(members, guesses), []
    for _ in range(_RESAMPLED):
        # Fits have their noise in common and targets their shadow models, so both are drawn again.
        drawn = np.ix_(*(generator.integers(size, size=size) for size in members.shape))
        again.append(_rates(members[drawn], guesses[drawn]))
    tails = ((100 - _LEVEL) / 2, (100 + _LEVEL) / 2)
    ends = np.percentile(np.asarray(again), tails, axis=0)
    rates = [Estimate.of(each) for each in zip(whole, *ends, strict=True)]
    alarms, found, _ = roc_curve(members.ravel(), guesses.ravel())
    curve = tuple(zip(alarms.tolist(), found.tolist(), strict=True))
    return AttackPower(name, rates[0], tuple(rates[1:]), curve)


def _rates(members: Flags, guesses: Floats) -> list[float]:
    """Return the area under the ROC curve, and the share of members found at each of ``FALSE_ALARMS``."""
    alarms, found, _ = roc_curve(members.ravel(), guesses.ravel(), drop_intermediate=False)
    reached = [float(found[alarms <= each].max()) for each in FALSE_ALARMS]
    return [float(auc(alarms, found)), *reached]

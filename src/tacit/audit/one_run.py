"""Audits by one fit: rows are in the table or not by coin flips, and are guessed (Steinke and others 2023)."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from datetime import UTC, datetime
from inspect import signature
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from tacit.audit.findings import Claim, Control, Finding
from tacit.audit.objects import NOT_SEEN, Maker, versions
from tacit.audit.samplers import RandomizedResponse
from tacit.errors import ParameterError
from tacit.mechanisms import public_generator

_PARTS = (0.1, 0.25, 0.5, 1.0)
"""Shares of the canaries that are guessed, the others abstained from; fixed beforehand, tested together."""

_MAX_EPSILON = 60.0


@dataclass(frozen=True, eq=False)
class Canaries:
    """Rows of which each is in the table with probability one half.

    Parameters
    ----------
    X : array of shape (n_canaries, n_columns)
    y : array of shape (n_canaries,)
        Such as wrong labels, which a model has no other reason to predict.
    others : array of shape (n_canaries,), optional
        Labels of the rows that take their place where they are out, for replace-one; without them nothing does.
    """

    X: Any
    y: Any
    others: Any = None


def guessing_p_value(correct: int, guesses: int, canaries: int, epsilon: float, delta: float = 0.0) -> float:
    """Return how likely so many right guesses are at most, under (epsilon, delta).

    P(Bin(r, q) >= v) + 2 m delta max_i P(v - i <= Bin(r, q) < v) / i with q = e^epsilon / (1 + e^epsilon).
    Steinke, Nasr and Jagielski (2023), Theorem 5.2. Proof for delta = 0: ``proofs/audit/one_run.md``.

    Parameters
    ----------
    correct, guesses, canaries : int
        v of r guesses about m canaries; the others are abstained from.

    Examples
    --------
    >>> guessing_p_value(2, 2, 5, 0.0)
    0.25
    """
    rate = 1 / (1 + exp(-epsilon))
    likely = float(binom.sf(correct - 1, guesses, rate))
    if delta and correct:
        just_below = np.cumsum(binom.pmf(np.arange(correct - 1, -1, -1), guesses, rate))
        likely += 2 * canaries * delta * float((just_below / np.arange(1, correct + 1)).max())
    return min(1.0, likely)


def guessing_epsilon(correct: int, guesses: int, canaries: int, *, delta: float = 0.0, error: float = 0.05) -> float:
    """Return a lower bound on epsilon from right guesses, wrong with probability ``error`` at most.

    Examples
    --------
    >>> round(guessing_epsilon(100, 100, 100), 2)
    3.49
    """
    low, high = 0.0, _MAX_EPSILON
    if guessing_p_value(correct, guesses, canaries, low, delta) > error:
        return 0.0
    for _ in range(50):
        middle = (low + high) / 2
        small = guessing_p_value(correct, guesses, canaries, middle, delta) <= error
        low, high = (middle, high) if small else (low, middle)
    return low


def audit_in_one_run(
    make: Maker,
    claim: Claim,
    table: tuple[Any, Any],
    canaries: Canaries,
    *,
    subject: str = "",
    confidence: float = 0.95,
    seed: int = 0,
) -> Finding:
    """Return what one fit shows of a claim, and one at half the noise: for models too large to be fitted often.

    Parameters
    ----------
    make : callable
        As ``audit_object`` takes it: for half the noise it is called with twice the claim's ``epsilon``.
    claim : Claim
    table : (X, y)
        Arrays, of the rows that are always there.
    canaries : Canaries
        Hundreds, or the bound says little.
    subject : str
    confidence : float
    seed : int
        Of the coin flips.

    Raises
    ------
    ParameterError
        If the canaries do not fit the claim's relation, or the object has no scores.
    """
    if (canaries.others is None) != (claim.relation == "add-remove"):
        raise ParameterError(
            f"Expected other labels for replace-one and none for add-remove, got relation={claim.relation!r}. "
            "Pass Canaries(X, y, others) or Canaries(X, y)."
        )
    start, generator, size = time.perf_counter(), public_generator(seed), len(np.asarray(canaries.y))
    knob = "epsilon" in signature(make).parameters
    bounds = []
    for factor in (1.0, 2.0)[: 1 + knob]:
        inside = generator.random(size) < 0.5
        fitted = _fitted(make, {"epsilon": factor * claim.epsilon} if knob else {}, _with(table, canaries, inside))
        bounds.append(_bound(membership_scores(fitted, canaries), inside, claim, confidence))
    return Finding(
        subject=subject or getattr(make, "__qualname__", type(make).__name__),
        claim=claim,
        method="sampling",
        bound=bounds[0],
        confidence=confidence,
        tried=1,
        seed=seed,
        half_noise=bounds[1] if knob else None,
        controls=_controls(claim, size, confidence, seed),
        not_seen=NOT_SEEN,
        versions=versions(make),
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=time.perf_counter() - start,
    )


def membership_scores(fitted: Any, canaries: Canaries) -> NDArray[np.float64]:
    """Return by how much a model prefers each canary's label to the other one, or how likely it finds it."""
    classes = list(fitted.classes_)
    own = [classes.index(label) for label in np.asarray(canaries.y).tolist()]
    likely = label_scores(fitted, canaries.X)
    at = np.arange(len(own))
    if canaries.others is None:
        return likely[at, own]
    return likely[at, own] - likely[at, [classes.index(label) for label in np.asarray(canaries.others).tolist()]]


def label_scores(fitted: Any, X: Any) -> NDArray[np.float64]:
    """Return a score for each row and class, larger for likelier ones."""
    if hasattr(fitted, "decision_function"):
        scores = np.asarray(fitted.decision_function(X), dtype=np.float64)
        return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    if hasattr(fitted, "predict_proba"):
        return np.asarray(fitted.predict_proba(X), dtype=np.float64)
    raise ParameterError("Expected an object with scores or probabilities, got none. Give it predict_proba.")


def _fitted(make: Maker, knobs: dict[str, float], table: tuple[Any, Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(**knobs).fit(*table)


def _with(table: tuple[Any, Any], canaries: Canaries, inside: NDArray[np.bool_]) -> tuple[Any, Any]:
    """Return the table with the canaries that are in, and with those that take the places of the others."""
    X, y = (np.asarray(each) for each in (canaries.X, canaries.y))
    if canaries.others is None:
        X, y = X[inside], y[inside]
    else:
        y = np.where(inside, y, np.asarray(canaries.others))
    return np.concatenate([np.asarray(table[0]), X]), np.concatenate([np.asarray(table[1]), y])


def _bound(scores: NDArray[np.float64], inside: NDArray[np.bool_], claim: Claim, confidence: float) -> float:
    """Return the largest bound over the numbers of guesses: most likely members are guessed in, least likely out."""
    order, error = np.argsort(scores, kind="stable"), (1 - confidence) / len(_PARTS)
    bounds = []
    for part in _PARTS:
        each = max(1, round(part * len(scores) / 2))
        out, among = order[:each], order[-each:]
        right = int((~inside[out]).sum() + inside[among].sum())
        bounds.append(guessing_epsilon(right, 2 * each, len(scores), delta=claim.delta, error=error))
    return max(bounds)


def _controls(claim: Claim, size: int, confidence: float, seed: int) -> tuple[Control, ...]:
    """Return what the same audit finds of as many bits told by randomized response."""
    found = []
    for name, factor in (("randomized response", 1), ("randomized response, twice the epsilon", 2)):
        response = RandomizedResponse(factor * claim.epsilon)
        inside = public_generator(seed + factor).random(size) < 0.5
        sides = [response.draw(side, size, seed + 10 * factor + side)["answer"] for side in (0, 1)]
        bound = _bound(np.where(inside, sides[1], sides[0]), inside, claim, confidence)
        found.append(Control(name, bound, factor > 1, bound > claim.epsilon))
    return tuple(found)

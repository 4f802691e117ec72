"""What ties losses over rados to losses over examples: Nock, Patrini and Friedman (2015), on small samples.

Equations (1), (2) and (4), Lemmas 2, 4 and 5, Theorems 3 and 8. Everything here takes edges and rados that the caller
may see. ``all_rados`` enumerates the 2^m signatures of small samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tacit.boosting.rado_makers import Floats
from tacit.boosting.radoboost import log_exponential_risk
from tacit.errors import ParameterError

MAX_ROWS = 20
"""Rows whose signatures are enumerated: a million at most."""


def all_parts(n_rows: int) -> NDArray[np.bool_]:
    """Return which rows take part in each of the 2^n_rows rados, shape (2^n_rows, n_rows).

    Raises
    ------
    ParameterError
        Above 20 rows.

    Examples
    --------
    >>> all_parts(2).astype(int).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    if not 1 <= n_rows <= MAX_ROWS:
        raise ParameterError(f"Expected 1 to {MAX_ROWS} rows to enumerate, got n_rows={n_rows}. Sample rados instead.")
    numbers = np.arange(2**n_rows)[:, None] >> np.arange(n_rows)[::-1]
    return np.asarray(numbers & 1, dtype=bool)


def all_rados(edges: Floats) -> Floats:
    """Return the rados of all signatures, shape (2^n_rows, n_features)."""
    return np.asarray(all_parts(len(edges)) @ np.asarray(edges, dtype=np.float64))


def logistic_loss(edges: Floats, theta: Floats) -> float:
    """Return the mean of log(1 + exp(-theta . edge)), equation (1)."""
    return float(np.mean(np.logaddexp(0.0, -(edges @ theta))))


def logistic_rado_risk(rados: Floats, theta: Floats, n_rows: int) -> float:
    """Return log 2 + log(exponential rado-risk) / n_rows, equation (4).

    Over all signatures it is the logistic loss over the examples: Lemma 2.

    Examples
    --------
    >>> edges, theta = np.array([[1.0, 0.5], [-0.25, 1.0]]), np.array([0.3, -0.7])
    >>> abs(logistic_rado_risk(all_rados(edges), theta, 2) - logistic_loss(edges, theta)) < 1e-12
    True
    """
    return log(2) + log_exponential_risk(rados, theta) / n_rows


@dataclass(frozen=True)
class Penalties:
    """Theorem 3's quantities for a set of signatures.

    Attributes
    ----------
    spread : float
        The theorem's rho: the largest exp(-theta' . rado) in the ball, over the mean at theta.
    ratio : float
        Its rho': the exponential risk over the set, over that of all signatures.
    structural : float
        Q = -log(ratio) / n_rows: what the choice of the set costs.
    structural_bound : float
        Equation (7): radius times the sum of the gradient's norm and the norm of the mean rado / n_rows.
    """

    spread: float
    ratio: float
    structural: float
    structural_bound: float


def penalties(edges: Floats, parts: NDArray[np.bool_], theta: Floats, radius: float) -> Penalties:
    """Return Theorem 3's quantities exactly, by enumeration, for the signatures that ``parts`` lists.

    Parameters
    ----------
    edges : array of shape (n_rows, n_features)
        At most 20 rows.
    parts : array of shape (n_signatures, n_rows)
    theta : array of shape (n_features,)
        Inside the ball of the radius.
    radius : float

    Raises
    ------
    ParameterError
        If theta lies outside the ball.
    """
    if not np.linalg.norm(theta) <= radius:
        raise ParameterError(f"Expected a rule inside the ball, got radius={radius:g}. Raise it, or shorten theta.")
    n_rows = len(edges)
    rados = parts @ edges
    risk = log_exponential_risk(rados, theta)
    ratio = risk - log_exponential_risk(all_rados(edges), theta)
    gradient = -np.mean(edges * expit(-(edges @ theta))[:, None], axis=0)
    longest = float(np.linalg.norm(rados, axis=1).max())
    bound = radius * (np.linalg.norm(gradient) + np.linalg.norm(rados.mean(axis=0)) / n_rows)
    return Penalties(exp(radius * longest - risk), exp(ratio), -ratio / n_rows, float(bound))


def example_weights(weights: Floats, parts: NDArray[np.bool_]) -> tuple[Floats, float]:
    """Return weights of examples under which edges are those over rados, and their scale: Lemma 5.

    Parameters
    ----------
    weights : array of shape (n_rados,)
        Of the rados, adding up to 1.
    parts : array of shape (n_rados, n_rows)

    Returns
    -------
    weights : array of shape (n_rows,)
        Adding up to 1.
    scale : float
        For each feature, sum_j w_j rado_j = scale * sum_i w'_i edge_i.

    Examples
    --------
    >>> example_weights(np.array([0.5, 0.5]), np.array([[True, False], [True, True]]))[1]
    1.5
    """
    taken = weights @ parts
    scale = float(taken.sum())
    if scale == 0:
        raise ParameterError("Expected rados that sum some row, got empty ones only. Draw others.")
    return taken / scale, scale


@dataclass(frozen=True)
class NoisyEdges:
    """Theorem 8's quantities for rados of edges with Gaussian noise.

    Parameters
    ----------
    deviation : float
        Of the noise on each feature of each edge: the theorem's zeta.
    support : int
        Rows that each rado sums: its m_*.
    tau : float
        The probability that the bound may fail.

    Examples
    --------
    >>> NoisyEdges(2.0, 400, 0.05).rado_deviation
    40.0
    """

    deviation: float
    support: int
    tau: float

    @property
    def rado_deviation(self) -> float:
        """Deviation of a feature of a rado: deviation times the root of the support."""
        return self.deviation * sqrt(self.support)

    @property
    def concentration(self) -> float:
        """Root of the support over deviation times log(1/tau); the theorem asks that it be large enough."""
        return sqrt(self.support) / (self.deviation * log(1 / self.tau))


def noisy_rate_bound(edges_taken: Floats, kappa: float, n_rows: int) -> float:
    """Return Theorem 8's bound on the logistic rado-risk over noise-free rados, equation (19).

    Parameters
    ----------
    edges_taken : array of shape (rounds,)
        The r_t of the rounds; all within the prudential learner's limit.
    kappa : float
    n_rows : int

    Examples
    --------
    >>> round(noisy_rate_bound(np.array([0.5]), 2.0, 10), 4)
    0.69
    """
    return log(2) - float(np.sum(np.square(edges_taken))) / (4 * kappa * n_rows)


def lemma4_bound(edges: Floats, kappa: float = 2.0) -> float:
    """Return the bound on the exponential rado-risk after rounds of these edges.

    exp(-sum r_t^2 / kappa) for kappa of at least 2; at 2 it is Lemma 4's exp(-T gamma^2 / 2). The paper's equation
    (17) claims exp(-sum r_t^2 / (2 kappa)) for every kappa from 1 on, which fails at 1: with rados 1, 1, 1, -1 one
    round leaves the risk at 1.

    Examples
    --------
    >>> round(lemma4_bound(np.array([0.5])), 4)
    0.8825
    """
    if not kappa >= 2:
        raise ParameterError(f"Expected a kappa of at least 2 for a bound, got kappa={kappa!r}.")
    return float(np.exp(-np.sum(np.square(edges)) / kappa))

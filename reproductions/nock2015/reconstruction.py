"""From rados back to examples: when it can be done, when not, and two hard problems on tiny instances.

Nock, Patrini and Friedman (2015), section 7. The paper writes edges, and rados, as columns; here they are rows.
"""

from __future__ import annotations

from itertools import combinations, product
from math import comb

import numpy as np
from scipy.optimize import linprog, minimize

from tacit.errors import ParameterError

MAX_CHOICES = 200_000
"""Sets of signatures or of examples that the exact solvers go through."""


def recover_edges(rados: np.ndarray, parts: np.ndarray) -> np.ndarray:
    """Return the edges from rados and the rows that each sums: Lemma 9 (a).

    Parameters
    ----------
    rados : array of shape (n_rados, n_features)
    parts : array of shape (n_rados, n_rows), 0 or 1

    Raises
    ------
    ParameterError
        If the parts leave more than one solution, as they do with fewer rados than rows: Lemma 9 (b).

    Examples
    --------
    >>> recover_edges(np.array([[1.0], [3.0]]), np.array([[1, 0], [1, 1]])).ravel().tolist()
    [1.0, 2.0]
    """
    parts = np.asarray(parts, dtype=float)
    if np.linalg.matrix_rank(parts) < parts.shape[1]:
        raise ParameterError("Expected rados that determine the edges, got fewer independent ones than rows. Add some.")
    return np.asarray(np.linalg.solve(parts.T @ parts, parts.T @ rados))


def other_edges(edges: np.ndarray, parts: np.ndarray, size: float = 1.0) -> np.ndarray | None:
    """Return different edges with the same rados, or None if there are none: Lemma 9 (b).

    A vector that no rado sees is added to each feature, ``size`` times as long as one.
    """
    _, values, right = np.linalg.svd(np.asarray(parts, dtype=float), full_matrices=True)
    rank = int(np.sum(values > 1e-9 * max(1.0, values.max(initial=0.0))))
    if rank == right.shape[0]:
        return None
    return np.asarray(edges + size * right[-1][:, None])


def hausdorff(one: np.ndarray, other: np.ndarray) -> float:
    """Return the Hausdorff distance between two sets of edges, shapes (n, n_features) and (m, n_features).

    Examples
    --------
    >>> hausdorff(np.array([[0.0], [1.0]]), np.array([[0.0], [3.0]]))
    2.0
    """
    distances = np.linalg.norm(one[:, None, :] - other[None, :, :], axis=2)
    return float(max(distances.min(axis=0).max(), distances.min(axis=1).max()))


def far_twin(edges: np.ndarray, parts: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Return other edges, one row more, and parts that make the same rados: Lemma 10.

    The new row lies on the sphere of the radius, as far from all edges as a search over the axes, the edges' opposites
    and random directions finds, and takes part in no rado. So it cannot be excluded from the rados alone.

    Parameters
    ----------
    edges : array of shape (n_rows, n_features)
        Inside the ball of the radius.
    parts : array of shape (n_rados, n_rows)
    radius : float

    Returns
    -------
    edges : array of shape (n_rows + 1, n_features)
    parts : array of shape (n_rados, n_rows + 1)

    Raises
    ------
    ParameterError
        If an edge lies outside the ball.
    """
    lengths = np.linalg.norm(edges, axis=1)
    if not (lengths <= radius).all():
        raise ParameterError(f"Expected edges inside the ball, got radius={radius:g}. Raise it.")
    n_features = edges.shape[1]
    axes = np.vstack([np.eye(n_features), -np.eye(n_features)])
    opposite = -edges[lengths > 0] / lengths[lengths > 0, None]
    random = np.random.default_rng(0).standard_normal((256, n_features))
    directions = np.vstack([axes, opposite, random / np.linalg.norm(random, axis=1, keepdims=True)])
    # Strictly inside, as the lemma's ball is open.
    places = radius * (1 - 1e-9) * directions
    nearest = np.linalg.norm(places[:, None, :] - edges[None, :, :], axis=2).min(axis=1)
    twin = np.vstack([edges, places[int(np.argmax(nearest))]])
    return twin, np.column_stack([parts, np.zeros(len(parts), dtype=np.asarray(parts).dtype)])


def sparse_approximation(
    rados: np.ndarray, n_rows: int, *, length: float, tolerance: float, norm: float = 2
) -> np.ndarray | None:
    """Return edges no longer than ``length`` whose rados come within ``tolerance`` of the given ones, or None.

    Problem Sparse-Approximation, which is NP-hard (Lemma 11); here by trying all signatures and minimizing over edges,
    a convex problem, for norms 2 and infinity. A minimum within 1e-6 of the tolerance counts.

    Raises
    ------
    ParameterError
        If there are more than 200,000 sets of signatures, or another norm is asked for.

    Examples
    --------
    >>> sparse_approximation(np.array([[2.0]]), 2, length=1.0, tolerance=0.01) is not None
    True
    >>> sparse_approximation(np.array([[2.0]]), 1, length=1.0, tolerance=0.01) is None
    True
    """
    _check_choices((2**n_rows) ** len(rados), "signatures")
    if norm not in (2, np.inf):
        raise ParameterError(f"Expected the L2 or the largest-entry norm, got norm={norm!r}. Pass 2 or numpy.inf.")
    signatures = list(product((0, 1), repeat=n_rows))
    for chosen in product(signatures, repeat=len(rados)):
        parts = np.asarray(chosen, dtype=float)
        edges = _short_edges(rados, parts, length, norm)
        if _worst(rados - parts @ edges, norm) <= tolerance + 1e-6:
            return edges
    return None


def probe_sample_subsumption(
    examples: np.ndarray, rados: np.ndarray, n_rows: int, *, tolerance: float, norm: float = 2
) -> tuple[int, ...] | None:
    """Return which n_rows of the examples' edges can make the rados, up to the tolerance, or None.

    Problem Probe-Sample-Subsumption, which is NP-hard (Lemma 12); here by trying all choices of rows and signatures.

    Raises
    ------
    ParameterError
        If there are more than 200,000 choices.

    Examples
    --------
    >>> probe_sample_subsumption(np.array([[1.0], [2.0], [5.0]]), np.array([[6.0]]), 2, tolerance=0.1)
    (0, 2)
    """
    _check_choices(comb(len(examples), n_rows) * 2**n_rows, "choices of examples")
    signatures = np.asarray(list(product((0, 1), repeat=n_rows)), dtype=float)
    for rows in combinations(range(len(examples)), n_rows):
        sums = signatures @ examples[list(rows)]
        gaps = np.linalg.norm(rados[:, None, :] - sums[None, :, :], ord=norm, axis=2)
        if (gaps.min(axis=1) <= tolerance).all():
            return rows
    return None


def _short_edges(rados: np.ndarray, parts: np.ndarray, length: float, norm: float) -> np.ndarray:
    """Return edges within the length that make the worst gap as small as can be: a convex problem."""
    shape = (parts.shape[1], rados.shape[1])
    start = _cut(np.linalg.lstsq(parts, rados, rcond=None)[0], length, norm)
    if _worst(rados - parts @ start, norm) < 1e-9:
        return start
    if norm == np.inf:
        return _by_linear_program(rados, parts, length, shape)
    limits = [
        {"type": "ineq", "fun": lambda v: v[-1] - np.sum((rados - parts @ v[:-1].reshape(shape)) ** 2, axis=1)},
        {"type": "ineq", "fun": lambda v: length**2 - np.sum(v[:-1].reshape(shape) ** 2, axis=1)},
    ]
    first = [*start.ravel(), _worst(rados - parts @ start, 2) ** 2]
    found = minimize(
        lambda v: v[-1], first, method="SLSQP", constraints=limits, options={"maxiter": 500, "ftol": 1e-14}
    )
    return _cut(found.x[:-1].reshape(shape), length, norm)


def _by_linear_program(rados: np.ndarray, parts: np.ndarray, length: float, shape: tuple[int, int]) -> np.ndarray:
    size = shape[0] * shape[1]
    sums = np.kron(parts, np.eye(shape[1]))
    above, slack = rados.ravel(), -np.ones((len(sums), 1))
    limits = np.vstack([np.hstack([sums, slack]), np.hstack([-sums, slack])])
    found = linprog(
        [0.0] * size + [1.0],
        A_ub=limits,
        b_ub=np.concatenate([above, -above]),
        bounds=[(-length, length)] * size + [(0, None)],
    )
    return np.asarray(found.x[:-1].reshape(shape))


def _cut(edges: np.ndarray, length: float, norm: float) -> np.ndarray:
    sizes = np.linalg.norm(edges, ord=norm, axis=1, keepdims=True)
    return np.asarray(edges * np.minimum(1, length / np.maximum(sizes, 1e-300)))


def _worst(gaps: np.ndarray, norm: float) -> float:
    return float(np.linalg.norm(gaps, ord=norm, axis=1).max(initial=0.0))


def _check_choices(choices: int, what: str) -> None:
    if choices > MAX_CHOICES:
        raise ParameterError(
            f"Expected at most {MAX_CHOICES:,} {what} to try, got more: the problem is NP-hard. Use fewer rows."
        )

"""An attack on rados that are not differentially private: reading a protected column from whole rados.

DP-Feat hides the distribution of one column's entries in rados. Whoever knows the other columns and labels, as
differential privacy assumes of an attacker, finds from a rado's other entries which rows it sums; with that, the
protected entries of enough rados are linear equations in the protected cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.errors import ParameterError

MAX_ROWS = 32
"""Rows whose sums are enumerated, half of them at a time."""


@dataclass(frozen=True, eq=False)
class Recovered:
    """What the attack found.

    Attributes
    ----------
    parts : bool array of shape (n_rados, n_rows)
        Which rows each rado sums.
    column : array of shape (n_rows,)
        The protected edges; nan for a row that the rados do not determine.
    """

    parts: np.ndarray
    column: np.ndarray


def which_rows(entry: float, edges: np.ndarray, tolerance: float = 1e-7) -> np.ndarray | None:
    """Return the only set of rows whose edges add up to a rado's entry, or None if there are none or several.

    Sums of one half of the rows are looked up among those of the other: 2^(n/2) steps.

    Parameters
    ----------
    entry : float
    edges : array of shape (n_rows,)
        Of one column that the attacker knows; generic real numbers make sums differ.
    tolerance : float

    Raises
    ------
    ParameterError
        Above 32 rows.

    Examples
    --------
    >>> which_rows(0.75, np.array([0.5, 0.25, -0.3])).tolist()
    [True, True, False]
    """
    n_rows = len(edges)
    if not 1 <= n_rows <= MAX_ROWS:
        raise ParameterError(f"Expected 1 to {MAX_ROWS} rows for the attack, got n_rows={n_rows}. Show fewer.")
    half = n_rows // 2
    left, right = _sums(edges[:half]), _sums(edges[half:])
    order = np.argsort(right, kind="stable")
    first = np.searchsorted(right[order], entry - left - tolerance, side="left")
    last = np.searchsorted(right[order], entry - left + tolerance, side="right")
    if int((last - first).sum()) != 1:
        return None
    at = int(np.flatnonzero(last > first)[0])
    return np.concatenate([_bits(at, half), _bits(int(order[first[at]]), n_rows - half)])


def recover_column(known: np.ndarray, protected: np.ndarray, edges: np.ndarray) -> Recovered:
    """Return the protected column's edges from whole rados and a known column.

    Parameters
    ----------
    known, protected : arrays of shape (n_rados,)
        The rados' entries in the known and in the protected column.
    edges : array of shape (n_rows,)
        The known column's edges.

    Examples
    --------
    >>> edges = np.array([0.31, -0.72, 0.55])
    >>> parts = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1]])
    >>> recover_column(parts @ edges, parts @ np.array([1.0, -1.0, 1.0]), edges).column.round().tolist()
    [1.0, -1.0, 1.0]
    """
    found = [which_rows(float(entry), edges) for entry in known]
    used = [at for at, rows in enumerate(found) if rows is not None]
    parts = np.asarray([found[at] for at in used], dtype=bool).reshape(len(used), len(edges))
    column = np.full(len(edges), np.nan)
    if len(used):
        solution, _, _, _ = np.linalg.lstsq(parts.astype(float), protected[used], rcond=None)
        # A row is determined if its unit vector lies in the span of the equations.
        basis = np.linalg.pinv(parts.astype(float)) @ parts
        sure = np.abs(np.diag(basis) - 1) < 1e-8
        column[sure] = solution[sure]
    return Recovered(parts, column)


def _sums(edges: np.ndarray) -> np.ndarray:
    """Return sums of all subsets; subset number b holds row i where bit i of b is set."""
    sums = np.zeros(1)
    for edge in edges:
        sums = np.concatenate([sums, sums + edge])
    return sums


def _bits(number: int, size: int) -> np.ndarray:
    return np.asarray([bool(number >> place & 1) for place in range(size)])

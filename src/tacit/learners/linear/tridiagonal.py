"""Symmetric matrices turned to tridiagonal ones, whose multiples plus a diagonal are factored in no time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigvalsh_tridiagonal, lapack

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TridiagonalFactors:
    """The factors L D L' of a positive definite tridiagonal matrix.

    Parameters
    ----------
    diagonal : array of shape (n,)
        Of D.
    below : array of shape (n - 1,)
        Beside the diagonal of L, which has ones.
    """

    diagonal: Floats
    below: Floats

    @property
    def log_determinant(self) -> float:
        """The logarithm of the matrix's determinant."""
        return float(np.log(self.diagonal).sum())

    def solve(self, columns: Floats) -> Floats:
        """Return what the matrix makes these columns of, shape (n, n_columns)."""
        solved, _ = lapack.dpttrs(self.diagonal, self.below, columns)
        return np.asarray(solved)


@dataclass(frozen=True, eq=False)
class Tridiagonal:
    """A symmetric tridiagonal matrix without eigenvalues below zero, but for rounding.

    Parameters
    ----------
    diagonal : array of shape (n,)
    below : array of shape (n - 1,), of one number where there is no other
    """

    diagonal: Floats
    below: Floats

    @property
    def largest(self) -> float:
        """The largest eigenvalue."""
        last = len(self.diagonal) - 1
        return float(eigvalsh_tridiagonal(self.diagonal, self.below[:last], select="i", select_range=(last, last))[0])

    def plus(self, times: float, added: float) -> TridiagonalFactors:
        """Return a multiple of it plus a number in the diagonal, factored.

        ``added`` is above zero by more than rounding.
        """
        diagonal, below, _ = lapack.dpttrf(times * self.diagonal + added, times * self.below)
        return TridiagonalFactors(diagonal, below)


def tridiagonal(matrix: Floats, columns: Sequence[Floats]) -> tuple[Tridiagonal, list[Floats]]:
    """Return a symmetric matrix, and some columns, each (n, any), turned so that it is tridiagonal.

    By Householder's reflections (Golub and Van Loan 2013, 8.3.1): a third of the time of eigenvectors, which are never
    made.

    Examples
    --------
    >>> matrix = np.asarray([[2.0, 0.6, 0.8], [0.6, 1.0, 0.0], [0.8, 0.0, 1.0]])
    >>> turned, [column] = tridiagonal(matrix, [np.eye(3)[:, :1]])
    >>> turned.diagonal.round(12).tolist(), np.abs(turned.below).round(12).tolist(), column[:, 0].tolist()
    ([2.0, 1.0, 1.0], [1.0, 0.0], [1.0, 0.0, 0.0])
    """
    n = len(matrix)
    if n == 1:
        return Tridiagonal(matrix[0], np.zeros(1)), [np.array(each) for each in columns]
    size, _ = lapack.dsytrd_lwork(n, lower=1)
    reflections, diagonal, below, factors, _ = lapack.dsytrd(matrix, lower=1, lwork=int(size))
    # The first number of a column stays: the first reflection is of all others.
    turned = [np.array(each, order="F") for each in columns]
    for each in turned:
        rest = np.asfortranarray(each[1:])
        least = max(1, each.shape[1])
        each[1:] = lapack.dormqr("L", "T", reflections[1:, :-1], factors, rest, least)[0]
    return Tridiagonal(diagonal, below), turned

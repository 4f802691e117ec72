"""Matrices that are a diagonal and a few products of vectors: of thousands of categories, in time and memory of these.

Second moments of independent columns are so: a mean times a mean, and of each categorical column the shares' products,
as a row has one of its categories.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LowRank:
    """The matrix diag(diagonal) + left right'.

    Parameters
    ----------
    diagonal : array of shape (n,)
    left, right : arrays of shape (n, rank)

    Examples
    --------
    >>> matrix = LowRank(np.asarray([1.0, 2.0]), np.asarray([[1.0], [0.0]]), np.asarray([[3.0], [4.0]]))
    >>> matrix.dense().tolist(), (matrix @ np.ones(2)).tolist(), matrix.T.dense().tolist()
    ([[4.0, 4.0], [0.0, 2.0]], [8.0, 2.0], [[4.0, 0.0], [4.0, 2.0]])
    """

    diagonal: Floats
    left: Floats
    right: Floats

    # NumPy leaves products with arrays on the left to this class.
    __array_ufunc__ = None

    @property
    def T(self) -> LowRank:  # noqa: N802 (as NumPy names it)
        """The transpose."""
        return LowRank(self.diagonal, self.right, self.left)

    def __len__(self) -> int:
        return len(self.diagonal)

    def __getitem__(self, row: int) -> Floats:
        """Return a row, written out."""
        found = self.right @ self.left[row]
        found[row] += self.diagonal[row]
        return np.asarray(found)

    def __matmul__(self, columns: Floats) -> Floats:
        """Return the matrix times some columns, or one, shape (n, n_columns) or (n,)."""
        return np.asarray((self.diagonal * columns.T).T + self.left @ (self.right.T @ columns))

    def __rmatmul__(self, rows: Floats) -> Floats:
        """Return rows times the matrix, shape (..., n)."""
        return np.asarray(rows * self.diagonal + (rows @ self.left) @ self.right.T)

    def __rmul__(self, times: float) -> LowRank:
        """Return a multiple."""
        return LowRank(times * self.diagonal, times * self.left, self.right)

    def __sub__(self, other: LowRank) -> LowRank:
        """Return the difference, whose rank is at most the sum of both."""
        left, right = np.append(self.left, -other.left, axis=1), np.append(self.right, other.right, axis=1)
        return LowRank(self.diagonal - other.diagonal, left, right)

    def times(self, other: LowRank) -> LowRank:
        """Return the product, whose rank is at most the sum of both."""
        # (D + L R') (E + M S') = D E + ((D + L R') M) S' + L (E R)': two products of vectors, and no matrix.
        left, right = self @ other.left, (other.diagonal * self.right.T).T
        return LowRank(
            self.diagonal * other.diagonal,
            np.append(left, self.left, axis=1),
            np.append(other.right, right, axis=1),
        )

    def all_diagonal(self) -> Floats:
        """Return the diagonal of the whole matrix, shape (n,)."""
        return np.asarray(self.diagonal + (self.left * self.right).sum(axis=1))

    def plus(self, times: float, added: float) -> LowRankFactors:
        """Return a multiple of the matrix plus a number in the diagonal, factored; the sum is positive definite."""
        return LowRankFactors(LowRank(times * self.diagonal + added, times * self.left, self.right))

    def dense(self) -> Floats:
        """Return the matrix written out, shape (n, n)."""
        found = self.left @ self.right.T
        found.flat[:: len(found) + 1] += self.diagonal
        return np.asarray(found)

    @property
    def largest(self) -> float:
        """What no eigenvalue is above, of a matrix without negative ones: the sum of all, which takes no iteration."""
        return float(self.all_diagonal().sum())


class LowRankFactors:
    """What solves equations of such a matrix, by Sherman, Morrison and Woodbury (Golub and Van Loan 2013, 2.1.4).

    Parameters
    ----------
    matrix : LowRank
        Its diagonal is above zero.
    """

    def __init__(self, matrix: LowRank) -> None:
        self._matrix = matrix
        self._over = (matrix.left.T / matrix.diagonal).T
        self._small = lu_factor(np.eye(matrix.left.shape[1]) + matrix.right.T @ self._over)

    @property
    def log_determinant(self) -> float:
        """The logarithm of the matrix's determinant."""
        # Of the small matrix rows may be exchanged, which turns the sign alone.
        small = np.abs(np.diag(self._small[0]))
        return float(np.log(self._matrix.diagonal).sum() + np.log(small).sum())

    def solve(self, columns: Floats) -> Floats:
        """Return what the matrix makes these columns of, shape (n, n_columns)."""
        over = (columns.T / self._matrix.diagonal).T
        return np.asarray(over - self._over @ lu_solve(self._small, self._matrix.right.T @ over))

    def inverse(self) -> LowRank:
        """Return the matrix's inverse."""
        diagonal = self._matrix.diagonal
        right = (lu_solve(self._small, self._matrix.right.T) / diagonal).T
        return LowRank(1 / diagonal, -self._over, right)

"""Method, number of bins and regularization of a linear learner whose user names none.

The rules read the number of rows, the budget and the schema alone, so nothing is paid for them. Their constants are
in ``tacit.rules.linear``.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cbrt, sqrt

from tacit.convex import Loss
from tacit.errors import ParameterError
from tacit.privacy.conversions import zcdp_rho
from tacit.rules import linear as rules
from tacit.rules.cut_points import MIN_LEVELS
from tacit.rules.shared import LARGE_SHARE, MAX_LEVELS, TINY_SHARE
from tacit.schema import Categorical, Column, Schema

MAX_CATEGORIES = 1_024
"""Of a column, as features: solvers take time by the cube of their number, 20 s at 4,000, and most of so many
coefficients would be noise (``benchmarks/many_codes.py``)."""

_SIGNAL_OF_CLASSES = 3 * rules.SIGNAL_OF_CHOSEN
"""n_rows * epsilon from which on a choice is made of two classes, weighed by their counts: where it would be of three
columns. With fewer rows noise would take even classes for uneven ones."""

USUAL_BINS = 1 << MIN_LEVELS
"""Of a number, at least: as many as private cut points are worth."""

MIN_REGULARIZATION = 1.0
"""Of the sum over rows, which is C = 1 of scikit-learn: for huge budgets the proof's least lambda goes to zero."""


def pure_method(n_rows: int, epsilon: float, n_coefficients: int, *, private_label: bool) -> str:
    """Return the method of a logistic regression under pure epsilon.

    The mean operator where rows are few for the number of coefficients. Not under a public label: there a public model
    comes first, and to shrink toward it is safer than one noisy sum.
    """
    # Without a protected cell there is no coefficient to learn, and no method is asked.
    few = n_rows * epsilon / max(n_coefficients, 1) < rules.MIN_SIGNAL_PER_COEFFICIENT
    return "mean-operator" if few and private_label else "k-norm"


def objective_bins(n_rows: int, epsilon: float) -> int:
    """Return the number of bins of a number for objective perturbation under pure epsilon."""
    return _even(sqrt(n_rows * epsilon / rules.SIGNAL_FOR_USUAL_BINS), 1 << MAX_LEVELS)


def gradient_bins(n_rows: int, epsilon: float, delta: float) -> int:
    """Return the number of bins of a number for noisy gradients.

    As the cube root of rows times the square root of twice rho, as the best width of a histogram's bins falls with the
    cube root of the rows. The usual number for a pure budget, which has no rho.
    """
    if not delta:
        return USUAL_BINS
    # A count's Gaussian noise under rho has standard deviation 1 / sqrt(2 rho).
    ratio = n_rows * sqrt(2 * zcdp_rho(epsilon, delta))
    return _even(cbrt(ratio / rules.RATIO_FOR_USUAL_BINS), 1 << MAX_LEVELS)


def use_ranks(n_rows: int, epsilon: float, n_columns: int, *, pure: bool = False, trainings: int = 1) -> bool:
    """Return whether ranks of clipped rows are more accurate than bins.

    ``trainings``: among how many the budget is divided; on bins at least, as ranks learn all classes at once under a
    delta.

    Examples
    --------
    >>> [use_ranks(30_000, epsilon, 14) for epsilon in (0.01, 0.1, 1.0)]
    [True, True, False]
    """
    least = rules.SIGNAL_FOR_PURE_BINS if pure else rules.SIGNAL_FOR_BINS
    return n_rows * epsilon / trainings < least * n_columns


def n_selected_columns(n_rows: int, epsilon: float, columns: Sequence[Column], n_classes: int) -> int:
    """Return how many columns are chosen on ranks, so that the noise of others is not paid for; 0 for no choice.

    Of two classes only where all columns are categories: with numbers, of which each has one feature, tables of which
    few columns tell much gain, but most lose as much. Of more, one column may nearly tell the class
    (``benchmarks/chosen_columns.py``).

    Examples
    --------
    >>> columns = [Categorical(f"c{at}", ["a", "b"]) for at in range(20)]
    >>> [n_selected_columns(1_000, epsilon, columns, 3) for epsilon in (0.05, 0.1, 0.5, 2.0)]
    [0, 1, 5, 0]
    >>> [n_selected_columns(1_000, epsilon, columns, 2) for epsilon in (0.05, 0.1, 0.5, 2.0)]
    [0, 0, 5, 0]
    """
    if n_classes == 2 and n_rows * epsilon < _SIGNAL_OF_CLASSES:
        return 0
    found = int(min(n_rows * epsilon / rules.SIGNAL_OF_CHOSEN, len(columns)))
    numbers = n_classes == 2 and any(not isinstance(column, Categorical) for column in columns)
    return 0 if numbers or found == len(columns) else found


def share_of_classes(n_rows: int, epsilon: float, n_classes: int, chosen: int) -> float:
    """Return the share of the budget for counts of the classes on ranks.

    Gradients that begin at even classes do not come to where one has most rows, or hardly any; of two classes they
    begin elsewhere only where one is rare.

    Examples
    --------
    >>> [share_of_classes(1_000, epsilon, 3, 0) for epsilon in (0.04, 0.1, 0.4, 2.0)]
    [0.0, 0.05, 0.05, 0.05]
    >>> [share_of_classes(1_000, epsilon, 2, 0) for epsilon in (0.2, 0.5)]
    [0.0, 0.05]
    """
    signal = n_rows * epsilon
    least = _SIGNAL_OF_CLASSES if n_classes == 2 and not chosen else rules.SIGNAL_OF_MANY
    return TINY_SHARE if signal >= least else 0.0


def share_of_choice(chosen: int, n_columns: int) -> float:
    """Return the share of the budget for a choice: less the more columns are chosen, as little is decided then.

    So more budget is no loss where it begins to pay for all columns.

    Examples
    --------
    >>> share_of_choice(0, 8), share_of_choice(4, 8)
    (0.0, 0.1)
    """
    return LARGE_SHARE * (1 - chosen / n_columns) if chosen else 0.0


def use_quadratic(n_rows: int, epsilon: float, n_columns: int) -> bool:
    """Return whether ranks with quadratic terms are more accurate than ranks alone."""
    return n_rows * epsilon >= rules.SIGNAL_FOR_QUADRATIC * n_columns


def automatic_regularization(least: float, loss: Loss, n_coefficients: int, n_rows: int, epsilon: float) -> float:
    """Return lambda: the least that the proof admits, and more where rows are few for the number of coefficients."""
    shrinkage = rules.SHRINKAGE_OF_LOGISTIC if loss.self_bounded else rules.SHRINKAGE_OF_HINGES
    return max(least * (1 + shrinkage * n_coefficients / (n_rows * epsilon)), MIN_REGULARIZATION)


def _even(growth: float, most: int) -> int:
    """Return the usual number of bins times the growth, even, at least the usual and at most this.

    An odd one puts the middle of the bounds inside of a bin, and there a class often turns.
    """
    # The growth is cut first: rounding a float of any size would make an integer of any size.
    return min(most, max(USUAL_BINS, 2 * round(USUAL_BINS / 2 * min(growth, most))))


def column_codes(schema: Schema) -> tuple[int, ...]:
    """Return how many codes each column of categories or buckets has."""
    return tuple(column.n_codes for column in schema.columns if isinstance(column, Categorical))


def check_categories(schema: Schema, columns: Sequence[str]) -> None:
    """Refuse columns of more categories than become features of a linear form."""
    for column in map(schema.column, columns):
        if isinstance(column, Categorical) and column.n_codes > MAX_CATEGORIES:
            raise ParameterError(
                f"Expected at most {MAX_CATEGORIES:,} categories or buckets of a column for a linear learner, got "
                f"more in column {column.name!r}. Write buckets = 256 or prefixes in the schema, or take naive Bayes "
                "or a tree."
            )

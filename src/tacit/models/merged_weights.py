"""How much each part of a merged model counts: by its rows, and by how much noise its certificate lets expect."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tacit.models.released import ReleasedModel
from tacit.privacy import Guarantee


def merged_weights(parts: Sequence[ReleasedModel]) -> list[float]:
    """Return each part's weight, of sum 1: in proportion to the precision of a mean that its fit could release.

    The variance of the mean of n values has two parts: at most w^2 / 4n is of the rows, for values in a range of width
    w, and the rest is noise. A weight is n over one plus the ratio of the two, which is that of ``noise_to_sampling``.

    Examples
    --------
    Two sites of 2,000 rows and one protected column, of epsilon 0.1 and 0.2:

    >>> [round(2000 / (1 + noise_to_sampling(2000, 1, epsilon=each)), 1) for each in (0.1, 0.2)]
    [1428.6, 1818.2]
    """
    noise = [_noise_of(part.guarantee, len(part.schema.columns)) for part in parts]
    # An epsilon of a foreign file may be so small that nothing is left of a float.
    precisions = [
        max(part.guarantee.n_rows / (1 + ratio), sys.float_info.min) for part, ratio in zip(parts, noise, strict=True)
    ]
    total = sum(precisions)
    return [each / total for each in precisions]


def noise_to_sampling(n_rows: int, n_columns: int, *, epsilon: float | None = None, rho: float | None = None) -> float:
    """Return the variance of noise in the sum of a column's values over that of sampling its rows.

    A row that is replaced moves the sum by up to the width w of its range, and each column has an equal share of the
    budget. Gaussian noise that costs rho has the variance d w^2 / 2 rho for each of d columns, Laplace noise that costs
    epsilon 2 (d w / epsilon)^2. The rows' own is at most n w^2 / 4.

    Examples
    --------
    >>> noise_to_sampling(1000, 10, rho=0.01), noise_to_sampling(1000, 10, epsilon=0.5)
    (2.0, 3.2)
    """
    if rho is not None:
        return 2 * n_columns / n_rows / rho
    assert epsilon is not None
    of_one = n_columns / epsilon
    return 8 * of_one * of_one / n_rows


def _noise_of(certificate: Guarantee, n_columns: int) -> float:
    """Return the ratio by what a certificate says that the fit may cost; none where nothing was released."""
    if certificate.rho:
        return noise_to_sampling(certificate.n_rows, n_columns, rho=certificate.rho)
    epsilon = certificate.epsilon - (certificate.learned.epsilon if certificate.learned else 0.0)
    return noise_to_sampling(certificate.n_rows, n_columns, epsilon=epsilon) if epsilon > 0 else 0.0

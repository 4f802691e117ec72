"""Coefficients of linear models, with the names of the features that they multiply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.models.linear import LinearModel, LogisticModel
from tacit.models.ranked import RankedModel
from tacit.models.released import ReleasedModel
from tacit.schema import Schema

_Linear = LinearModel | LogisticModel
_Named = dict[tuple[str, int], float]
"""Coefficients by feature, and by which of those that share a name: bins next to each other may be written alike."""


@dataclass(frozen=True)
class Coefficients:
    """Coefficients of the encoded features of a linear model.

    Parameters
    ----------
    names : tuple of str
        Of the features: a number's own name where it is one feature, else of a bin, a category or a quadratic term.
    values : array of shape (n_scores, n_features)
        One score for two classes, else one a class in sorted order.
    intercepts : array of shape (n_scores,)
    """

    names: tuple[str, ...]
    values: NDArray[np.float64]
    intercepts: NDArray[np.float64]


def coefficients(model: ReleasedModel) -> Coefficients | None:
    """Return the coefficients of a linear model, as released, or None for any other.

    Rows whose features are longer than the norm that a ranked model clips to have them clipped before.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit import Label, LogisticClassifier, Numeric, Schema
    >>> schema = Schema([Numeric("age", 0, 90, cuts=[30, 60])], label=Label("ill", ["no", "yes"]))
    >>> ages = np.random.default_rng(0).uniform(0, 90, (2000, 1))
    >>> ill = np.where(ages[:, 0] > 60, "yes", "no")
    >>> fitted = LogisticClassifier(schema, epsilon=1.0, encoding="binned").fit(ages, ill)
    >>> found = coefficients(fitted.model_)
    >>> found.names, found.values.shape
    (('age at most 30', 'age above 30 to 60', 'age above 60'), (1, 3))
    """
    scores = [each for scorer in model.scorers for each in _scores(scorer, model.schema)]
    if len(scores) < len(model.scorers) or not scores:
        return None
    # One-vs-rest models may have private cut points of their own: a bin of one of them is zero in all others.
    keys = tuple(dict.fromkeys(key for own, _ in scores for key in own))
    values = np.asarray([[own.get(key, 0.0) for key in keys] for own, _ in scores])
    return Coefficients(tuple(name for name, _ in keys), values, np.asarray([intercept for _, intercept in scores]))


def _scores(scorer: Any, schema: Schema) -> Iterator[tuple[_Named, float]]:
    """Yield for each score of a scorer its coefficients by feature, and its intercept; nothing if it is not linear."""
    if isinstance(scorer, _Linear):
        names, weights, intercept = _of_forms(scorer, schema)
        yield _named(names, weights), intercept
    elif isinstance(scorer, RankedModel):
        encoding = scorer.encoding(schema)
        lengths = [1.0, *encoding.lengths.tolist()]
        for at, row in enumerate(scorer.weights):
            constant, *own = (weight * length for weight, length in zip(row, lengths, strict=True))
            names, added = list(encoding.feature_names[1:]), 0.0
            if scorer.public:
                further, more, added = _of_forms(scorer.public_models()[at], schema)
                names, own = [*names, *further], [*own, *more]
            yield _named(names, own), constant + added


def _of_forms(scorer: _Linear, schema: Schema) -> tuple[list[str], list[float], float]:
    names = [name for encoding, _ in scorer.encoded(schema) for name in encoding.feature_names]
    offset = scorer.offset if isinstance(scorer, LinearModel) else 0.0
    return names, [weight for form in scorer.forms for weight in form.weights], scorer.intercept + offset


def _named(names: list[str], weights: list[float]) -> _Named:
    counts, found = Counter[str](), _Named()
    for name, weight in zip(names, weights, strict=True):
        found[name, counts[name]] = weight
        counts[name] += 1
    return found

"""Linear scorers made monotone in some numbers: released curves are projected, which costs no privacy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ModelFileError
from tacit.models.boosted_trees import BoostedTreesModel
from tacit.models.linear import LinearForm, LinearModel, LogisticModel, on_grid
from tacit.models.merged_scorer import MergedScorer
from tacit.models.monotone_trees import Signs, in_order, is_ordered
from tacit.models.ranked import RankedModel
from tacit.models.ranked_curves import additive
from tacit.models.scorer import Scorer
from tacit.schema import Numeric, Schema

Floats = NDArray[np.float64]
Linear = TypeVar("Linear", bound=LinearModel | LogisticModel | RankedModel)


def projected(scorer: Linear, schema: Schema, signs: Signs) -> Linear:
    """Return a linear scorer that is monotone in some numbers.

    Curves of bins become the nearest monotone ones (isotonic regression), by the shares of rows in bins with which
    effects are stated, and a coefficient of the wrong sign becomes zero. A form of ranks, whose clipped rows
    let one column change what others add, becomes a sum of curves first (``additive``).

    Parameters
    ----------
    scorer : LinearModel, LogisticModel or RankedModel
        Of two classes, or of a number.
    schema : Schema
    signs : mapping of str to int

    Notes
    -----
    Privacy: a function of released values and public distributions alone.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric, Schema
    >>> schema = Schema([Numeric("age", 0, 90, cuts=[30, 60])], label=Label("ill", ["no", "yes"]))
    >>> scorer = LogisticModel((LinearForm(("age",), (1.0, 0.5, 2.0)),), 0.0)
    >>> projected(scorer, schema, {"age": 1}).forms[0].weights
    (0.75, 0.75, 2.0)
    """
    if isinstance(scorer, RankedModel):
        return cast(Linear, _ranked(scorer, schema, signs))
    encoded, shares = scorer.encoded(schema), {each.column: each.shares for each in scorer.noise}
    forms = []
    for form, (encoding, weights) in zip(scorer.forms, encoded, strict=True):
        found = weights.copy()
        for name in signs.keys() & set(form.columns):
            own = encoding.positions((name,))
            found[own] = _curve(form, weights[own], signs[name], shares.get(name, ()))
        forms.append(replace(form, weights=tuple(on_grid(found).tolist())))
    return replace(scorer, forms=tuple(forms))


def _curve(form: LinearForm, weights: Floats, sign: int, shares: Sequence[float]) -> Floats:
    if form.encoding == "binned":
        # A bin without rows follows the others.
        known = np.maximum(shares, 1e-9) if len(shares) == len(weights) else np.ones(len(weights))
        return in_order(weights, sign, known)
    return np.asarray(sign * np.maximum(sign * weights, 0.0))


def _ranked(scorer: RankedModel, schema: Schema, signs: Signs) -> RankedModel:
    found = additive(scorer, schema)
    curves = {
        name: in_order(curve, signs[name], np.ones(len(curve))) if name in signs else curve
        for name, curve in found.curves.items()
    }
    public = tuple(projected(one, schema, signs) for one in scorer.public_models())
    return replace(found.model(curves), public=tuple(replace(one, cuts=()) for one in public))


def check_monotone(scorer: Scorer, schema: Schema, signs: Signs) -> None:
    """Raise ModelFileError unless the scorer is monotone in these numbers, by what it holds."""
    numbers = {column.name for column in schema.columns if isinstance(column, Numeric)}
    if not signs.keys() <= numbers or not set(signs.values()) <= {-1, 1}:
        raise ModelFileError("Expected 1 or -1 for numeric columns. The file is damaged.")
    if not all(_rise(scorer, schema, signs)):
        raise ModelFileError("Expected scores that are monotone as the file says, got others. The file is damaged.")


def _rise(scorer: Scorer | MergedScorer, schema: Schema, signs: Signs) -> Iterator[bool]:
    """Yield of each part of a scorer whether it is monotone."""
    if isinstance(scorer, BoostedTreesModel):
        bins = scorer.encoding(schema)
        yield len(scorer.start) == 1
        yield from (is_ordered(tree, bins, signs) for tree in scorer.trees)
        yield from _rise(scorer.first, schema, signs) if scorer.first else ()
    elif isinstance(scorer, MergedScorer):
        yield from (each for part in scorer.parts for one in part.scorers for each in _rise(one, schema, signs))
    elif isinstance(scorer, RankedModel):
        yield from _ranks_rise(scorer, schema, signs)
    elif isinstance(scorer, LinearModel | LogisticModel):
        for form, (encoding, weights) in zip(scorer.forms, scorer.encoded(schema), strict=True):
            for name in signs.keys() & set(form.columns):
                own = signs[name] * weights[encoding.positions((name,))]
                yield bool((np.diff(own) >= 0).all() if form.encoding == "binned" else (own >= 0).all())
    else:
        yield False


def _ranks_rise(scorer: RankedModel, schema: Schema, signs: Signs) -> Iterator[bool]:
    encoding, heights = scorer.encoding(schema), dict(scorer.curved)
    yield len(scorer.weights) == 1 and scorer.radius == encoding.unclipped
    for name, start in zip(encoding.columns, encoding.starts, strict=False):
        if name in signs:
            first, *others = scorer.weights[0][start : start + 1 + encoding.quadratic]
            rises = np.diff(heights.get(name, (0.0, 1.0)))
            yield not any(others) and bool((signs[name] * first * rises >= 0).all())
    yield from (each for one in scorer.public_models() for each in _rise(one, schema, signs))

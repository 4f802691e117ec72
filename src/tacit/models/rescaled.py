"""Scorers whose log-odds are multiplied and raised, as calibration asks: the same kinds, other numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

import numpy as np

from tacit.models.boosted_trees import STEPS, BoostedTreesModel, ObliviousTree
from tacit.models.linear import LinearForm, LinearModel, LogisticModel, on_grid
from tacit.models.links import Link
from tacit.models.literal_votes import LiteralVoteModel
from tacit.models.naive_bayes import NaiveBayesModel
from tacit.models.noise import Noise
from tacit.models.rado_form import RadoForm
from tacit.models.ranked import RankedModel
from tacit.models.vote import VoteModel
from tacit.rules.measures import MAX_LOG_ODDS

Linkable = VoteModel | LiteralVoteModel | LinearModel | RadoForm
"""Scorers whose scores are no log-odds: they keep them, and a link says what these are worth."""
Rescalable = LogisticModel | RankedModel | BoostedTreesModel | NaiveBayesModel | Linkable


def has_log_odds(scorer: object) -> bool:
    """Return whether the scores of two classes are log-odds of the second."""
    return isinstance(scorer, Rescalable) and not isinstance(scorer, Linkable)


def log_odds_of_one(scorer: Rescalable) -> float:
    """Return what scores are multiplied by to be log-odds, before any row tells."""
    if not isinstance(scorer, Linkable):
        return 1.0
    return min(scorer.log_odds_of_one, MAX_LOG_ODDS / reach) if (reach := scorer.reach) else scorer.log_odds_of_one


def rescaled(scorer: Rescalable, slope: float, offset: float, shares: Sequence[float] = ()) -> Rescalable:
    """Return a scorer whose log-odds are the slope times these, plus the offset; noise in its effects grows along.

    Parameters
    ----------
    scorer : LogisticModel, RankedModel, BoostedTreesModel, NaiveBayesModel, or one whose scores are no log-odds
    slope : float
        Above zero.
    offset : float
        Log-odds of the second of two classes; 0 for more.
    shares : sequence of two float
        Of the classes, as a link keeps them.

    Examples
    --------
    >>> from tacit.models import LogisticModel
    >>> rescaled(LogisticModel((), 0.5), 0.5, 1.0).intercept
    1.25
    """
    if isinstance(scorer, Linkable):
        slope *= log_odds_of_one(scorer)
        return replace(scorer, link=Link(slope, offset / slope, tuple(shares)))
    if isinstance(scorer, NaiveBayesModel):
        raised = [slope * each + (offset if at == 1 else 0.0) for at, each in enumerate(scorer.intercepts)]
        return replace(scorer, intercepts=tuple(raised), slope=slope * scorer.slope, noise=_noise(scorer.noise, slope))
    if isinstance(scorer, LogisticModel):
        forms = tuple(_form(form, slope) for form in scorer.forms)
        return replace(
            scorer,
            forms=forms,
            intercept=_on_grid(slope * scorer.intercept + offset),
            noise=_noise(scorer.noise, slope),
        )
    if isinstance(scorer, RankedModel):
        return _ranked(scorer, slope, offset)
    return _trees(scorer, slope, offset)


def largest_log_odds(scorer: Rescalable) -> float:
    """Return a bound of the size of the scores of any row, by the released numbers alone.

    Examples
    --------
    >>> from tacit.models import LogisticModel
    >>> largest_log_odds(LogisticModel((LinearForm(("a", "b"), (0.5, -0.75), "ordinal"),), 0.25))
    1.5
    """
    if isinstance(scorer, Linkable):
        return log_odds_of_one(scorer) * scorer.reach or inf
    if isinstance(scorer, NaiveBayesModel):
        return scorer.largest
    if isinstance(scorer, LogisticModel):
        return _largest(scorer)
    if isinstance(scorer, RankedModel):
        # Rows are no longer than the radius, and no feature is larger than one.
        weights = np.asarray(scorer.weights)
        own = scorer.radius * float(np.sqrt((weights**2).sum(axis=1)).max())
        own = min(own, float(np.abs(weights).sum(axis=1).max()))
        return own + max(map(_largest, scorer.public), default=0.0)
    first = largest_log_odds(scorer.first) if scorer.first else float(np.abs(scorer.start).max()) / STEPS
    return first + sum(float(np.abs(tree.values).max()) for tree in scorer.trees) / STEPS


def _largest(scorer: LogisticModel | LinearModel) -> float:
    # Features are at most one long.
    return abs(scorer.intercept) + sum(abs(weight) for form in scorer.forms for weight in form.weights)


def _ranked(scorer: RankedModel, slope: float, offset: float) -> RankedModel:
    weights = tuple(tuple(on_grid(slope * np.asarray(row)).tolist()) for row in scorer.weights)
    # A constant of every row: that among the features is clipped with them.
    always = (LinearModel((), 0.0),) * len(scorer.weights) if offset and not scorer.public else scorer.public
    public = tuple(
        replace(
            one,
            forms=tuple(_form(form, slope) for form in one.forms),
            intercept=_on_grid(slope * one.intercept + offset),
        )
        for one in always
    )
    return replace(scorer, weights=weights, public=public, noise=_noise(scorer.noise, slope))


def _trees(scorer: BoostedTreesModel, slope: float, offset: float) -> BoostedTreesModel:
    """Return the trees with other values; the first tree's leaves hold what is added to all rows."""
    first = _ranked(scorer.first, slope, 0.0) if scorer.first else None
    # Scores of the classes' shares stay as they are, as these say the shares.
    added = STEPS * offset + (0.0 if first else (slope - 1) * np.asarray(scorer.start, dtype=np.float64))
    added = np.broadcast_to(added, len(scorer.start))
    trees = list[ObliviousTree]()
    for at, tree in enumerate(scorer.trees):
        values = slope * np.asarray(tree.values, dtype=np.float64) + (added[:, None] if at == 0 else 0.0)
        trees.append(replace(tree, values=tuple(map(tuple, np.rint(values).astype(np.int64).tolist()))))
    return replace(scorer, trees=tuple(trees), first=first, noise=_noise(scorer.noise, slope))


def _form(form: LinearForm, slope: float) -> LinearForm:
    return replace(form, weights=tuple(on_grid(slope * np.asarray(form.weights)).tolist()))


def _noise(noise: Noise, slope: float) -> Noise:
    return tuple(one.times(slope) for one in noise)


def _on_grid(value: float) -> float:
    return float(on_grid(np.asarray(value)))

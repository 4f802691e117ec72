"""What a model says, in words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any, Protocol, runtime_checkable

import numpy as np

from tacit.features import LinearEncoding
from tacit.models import LinearRule, Model, RegressionModel, VoteModel
from tacit.models.merged_scorer import MergedScorer
from tacit.privacy import Guarantee
from tacit.schema import Numeric, Schema


@dataclass(frozen=True)
class Direction:
    """How far a feature moves the score on average: above zero towards the class, at most 1 in size."""

    feature: str
    column: str
    weight: float


@dataclass(frozen=True)
class ScorerSummary:
    """What one scorer says: sentences, its directions with the strongest first, and lines in the scorer's own words."""

    sentences: tuple[str, ...]
    directions: tuple[Direction, ...] = ()
    lines: tuple[str, ...] = ()


@runtime_checkable
class SaysInWords(Protocol):
    """A scorer that can say what it decides."""

    def words(self, schema: Schema) -> tuple[str, ...]:
        """Return lines, the weightiest first."""
        ...


@singledispatch
def summarized(scorer: Any, schema: Schema) -> ScorerSummary:
    """Return what a scorer says: in its own `words` if it has them, or as registered for its kind."""
    if isinstance(scorer, MergedScorer):
        return ScorerSummary((f"The mean of {len(scorer.parts)} parts.",), lines=scorer.words(schema))
    if isinstance(scorer, SaysInWords):
        return ScorerSummary((), lines=scorer.words(schema))
    return ScorerSummary((f"A scorer of kind {getattr(scorer, 'kind', type(scorer).__name__)!r}.",))


@summarized.register
def _(scorer: VoteModel, schema: Schema) -> ScorerSummary:
    n_votes = len(scorer.votes)
    paid = sum(vote.source == "private" for vote in scorer.votes)
    trees = sum(not isinstance(vote.rule, LinearRule) for vote in scorer.votes)
    sentences = [f"{_classifiers(n_votes)} each with a weight of its own."]
    if paid:
        sentences.append(f"Tried on protected data, with noise in the weight: {paid}.")
    if paid < n_votes:
        sentences.append(f"From public columns alone, exact: {n_votes - paid}.")
    if trees:
        sentences.append(f"Decision trees, which the list of columns below leaves out: {trees}.")
    return ScorerSummary(tuple(sentences), _leanings(scorer, schema), scorer.offset_words)


def _classifiers(number: int) -> str:
    return "1 classifier votes," if number == 1 else f"{number} classifiers vote,"


def _leanings(scorer: VoteModel, schema: Schema) -> tuple[Direction, ...]:
    """Average the votes' directions, each at length one, weighted by its coefficient."""
    encoding = LinearEncoding(schema, schema.names, scorer.encoding)
    total = np.zeros(encoding.n_features)
    for vote in scorer.votes:
        if isinstance(vote.rule, LinearRule):
            weights = np.asarray(vote.rule.weights)
            # By the largest first, as a square of it may be beyond the floats.
            directed = weights / max(float(np.abs(weights).max(initial=0.0)), 1e-12)
            total += vote.coefficient * directed / max(float(np.linalg.norm(directed)), 1e-12)
    largest = float(np.abs(total).max(initial=0.0))
    if largest == 0:
        return ()
    owners = [name for name in schema.names for _ in encoding.positions((name,))]
    order = np.argsort(-np.abs(total), kind="stable")
    return tuple(
        Direction(encoding.feature_names[at], owners[at], float(total[at] / largest)) for at in order if total[at]
    )


def in_words(direction: Direction, schema: Schema, towards: Any, away: Any) -> str:
    """Return a direction as half a sentence."""
    chosen = towards if direction.weight > 0 else away
    if direction.feature != direction.column:
        return f"{direction.feature} raises the score of {chosen}"
    if isinstance(schema.column(direction.column), Numeric):
        return f"higher {direction.feature} raises the score of {chosen}"
    return f"later categories of {direction.feature} raise the score of {chosen}"


def summaries(model: Model | RegressionModel) -> list[tuple[Any, Any, ScorerSummary]]:
    """Return for each scorer the class above zero, what is below, and what it says; of a number larger and smaller."""
    if isinstance(model, RegressionModel):
        name = model.target.name
        return [(f"larger {name}", f"smaller {name}", summarized(model.main_scorer, model.schema))]
    classes = model.classes.tolist()
    if len(model.scorers) == 1:
        return [(classes[-1], classes[0], summarized(model.scorers[0], model.schema))]
    return [
        (each, f"another class than {each}", summarized(scorer, model.schema))
        for each, scorer in zip(classes, model.scorers, strict=True)
    ]


def measured_lines(model: Model | RegressionModel, measured: Any, counted: str) -> tuple[str, ...]:
    """Return what held-out rows say of a model, in words; of ``counted``, rows or persons."""
    if isinstance(model, RegressionModel):
        found: tuple[str, ...] = measured.lines(counted)
    else:
        found = measured.lines(tuple(model.classes.tolist()), counted, model.class_weights)
    return found


def guarantee_document(guarantee: Guarantee) -> dict[str, Any]:
    """Return the certificate for a program."""
    from pydantic import TypeAdapter

    document: dict[str, Any] = TypeAdapter(type(guarantee)).dump_python(guarantee, mode="json")
    return document

"""A weighted vote of classifiers, as boosting releases it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.checks import check_bounded
from tacit.errors import ModelFileError
from tacit.features import LinearEncoding
from tacit.kept import kept
from tacit.models.links import Link, LinkedScorer
from tacit.models.noise import Noise
from tacit.models.rules import LinearRule, Rule
from tacit.rules.measures import LOG_ODDS_OF_VOTES
from tacit.schema import Schema
from tacit.table import Rows

COEFFICIENT_GRID = 2.0**-30
"""Released coefficients are rounded to this step, so that votes add up exactly in any order."""

MAX_COEFFICIENT = 512.0
"""A thousand times the largest true edge: more is noise, and ten thousand such votes would not add up exactly."""

# Rows whose features are written out at a time, so that memory does not grow with the table.
_CHUNK = 16_384


@dataclass(frozen=True)
class Vote:
    """One classifier's voice: a coefficient times +1 (second class) or -1."""

    coefficient: float
    """Released with noise if ``source`` is ``"private"``, exact if it is ``"public"``."""
    rule: Rule
    source: Literal["private", "public"]

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "allow_inf_nan": False}

    @classmethod
    def of(cls, coefficient: float, rule: Rule, source: Literal["private", "public"]) -> Vote:
        """Return the vote with its coefficient on the grid and within bounds."""
        bounded = np.clip(coefficient, -MAX_COEFFICIENT, MAX_COEFFICIENT)
        return cls(float(np.rint(bounded / COEFFICIENT_GRID) * COEFFICIENT_GRID), rule, source)


@dataclass(frozen=True)
class VoteModel(LinkedScorer):
    """The sign of a sum of votes and an offset; zero counts for the first class.

    Features and coefficients lie on grids on which every sum is exact in float64, so a model read from a file
    gives the same scores bit for bit, on any machine and for any number of rows at a time.
    """

    votes: tuple[Vote, ...]
    encoding: Literal["ordinal", "one-hot"]
    """How the schema's columns become the rules' features."""
    noise: Noise = ()
    """How sure what is said of each column is; empty where that is not known."""
    link: Link | None = None
    kind: Literal["vote"] = "vote"

    multiclass: ClassVar[bool] = False
    log_odds_of_one: ClassVar[float] = LOG_ODDS_OF_VOTES
    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "allow_inf_nan": False}

    def scores(self, rows: Rows, schema: Schema) -> NDArray[np.float64]:
        """Return the sum of votes and offset, shape (n_rows,)."""
        return np.asarray((2.0 * self.decisions(rows, schema) - 1.0) @ self._coefficients + self.offset)

    def staged_scores(self, rows: Rows, schema: Schema) -> Iterator[NDArray[np.float64]]:
        """Yield the sum of the first 1, 2, ... votes, each of shape (n_rows,), with as large a part of the offset."""
        total = np.zeros(rows.n_rows)
        each = zip(self._coefficients, self.decisions(rows, schema).T, strict=True)
        for at, (coefficient, decisions) in enumerate(each, start=1):
            # A new array: callers may keep what was yielded before.
            total = total + coefficient * (2.0 * decisions - 1.0)
            # All of it at the last vote, which is then the decision; at once, it would outvote the first ones.
            yield total + self.offset * (at / len(self.votes))

    @property
    def _coefficients(self) -> NDArray[np.float64]:
        return np.asarray([vote.coefficient for vote in self.votes])

    def decisions(self, rows: Rows, schema: Schema) -> NDArray[np.bool_]:
        """Return each classifier's decision for each row, shape (n_rows, n_votes)."""
        columns = self._encoding(schema)
        decided = np.zeros((rows.n_rows, len(self.votes)), dtype=bool)
        linear = {at: vote.rule for at, vote in enumerate(self.votes) if isinstance(vote.rule, LinearRule)}
        weights = np.asarray([rule.weights for rule in linear.values()]).T
        offsets = np.asarray([-rule.intercept for rule in linear.values()])
        for start in range(0, rows.n_rows, _CHUNK):
            chunk = slice(start, min(start + _CHUNK, rows.n_rows))
            features = columns.transform(rows.slice(chunk.start, chunk.stop))
            if linear:
                decided[chunk, list(linear)] = features @ weights > offsets
            for position, vote in enumerate(self.votes):
                if not isinstance(vote.rule, LinearRule):
                    decided[chunk, position] = vote.rule.decide(features)
        return decided

    @property
    def reach(self) -> float:
        """The largest score there can be: the sum of the coefficients' sizes."""
        return float(sum(abs(vote.coefficient) for vote in self.votes))

    def check(self, schema: Schema) -> None:
        """Raise ModelFileError unless every rule fits the schema's features."""
        n_features = self._encoding(schema).n_features
        if not all(vote.rule.fits(n_features) for vote in self.votes):
            raise ModelFileError("Expected rules that fit the schema's features. The file is damaged.")
        check_bounded(*(vote.coefficient for vote in self.votes))

    @kept
    def _encoding(self, schema: Schema) -> LinearEncoding:
        return LinearEncoding(schema, schema.names, self.encoding)

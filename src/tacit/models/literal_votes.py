"""A majority vote of rules about one cell each, as smooth boosting releases it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ModelFileError
from tacit.features import BinEncoding, LinearEncoding
from tacit.features.bin_encoding import Codes
from tacit.features.encoding import Cuts, check_cuts
from tacit.features.literals import Literal
from tacit.kept import kept
from tacit.models.links import Link, LinkedScorer
from tacit.models.literal_tree import LiteralTreeRule
from tacit.models.noise import Noise
from tacit.models.rules import LinearRule
from tacit.rules.measures import LOG_ODDS_OF_LITERAL_VOTES
from tacit.schema import Numeric, Schema
from tacit.table import Rows

STEPS_PER_VOTE = 4
"""A public start is rounded to quarters of a vote, so that margins stay integers."""

MAX_START = 2**31
"""Quarters of a vote: a margin that adds up exactly with those of any number of votes."""

_STRICT: dict[str, Any] = {"extra": "forbid", "allow_inf_nan": False}


@dataclass(frozen=True)
class LiteralRule:
    """Decides for the second class where a literal holds; if negated, where it does not."""

    literal: Literal
    negated: bool = False
    kind: OneOf["literal"] = "literal"

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    def decide(self, codes: Codes, encoding: BinEncoding) -> NDArray[np.bool_]:
        """Return whether each row goes into the second class, shape (n_rows,)."""
        holds = self.literal.holds(codes[:, encoding.positions[self.literal.column]])
        return ~holds if self.negated else holds

    def check(self, encoding: BinEncoding) -> None:
        """Raise ModelFileError unless the literal is one of the encoding."""
        literal = self.literal
        if literal.column not in encoding.positions:
            raise ModelFileError("Expected rules about the schema's columns. The file is damaged.")
        bins = encoding.bins_of[literal.column]
        numeric = isinstance(encoding.schema.column(literal.column), Numeric)
        if not 0 <= literal.first <= literal.last < bins or (numeric and literal.last - literal.first + 1 == bins):
            raise ModelFileError("Expected rules about bins that the columns have. The file is damaged.")


@dataclass(frozen=True)
class ConstantRule:
    """Decides for one class, whatever the row."""

    second: bool
    kind: OneOf["constant"] = "constant"

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    def decide(self, codes: Codes, encoding: BinEncoding) -> NDArray[np.bool_]:
        """Return whether each row goes into the second class, shape (n_rows,)."""
        return np.full(len(codes), self.second)

    def check(self, encoding: BinEncoding) -> None:
        """Fits every encoding."""


VotingRule = LiteralRule | ConstantRule | LiteralTreeRule
"""Classifiers of one row that may vote; each reads codes of bins, and has a literal ``kind``."""


@dataclass(frozen=True)
class PublicStart:
    """The margin of a public model, in quarters of a vote, before the first private round."""

    rule: LinearRule
    """Of the public columns' one-hot features; its value is in votes."""
    reach: int
    """Margins are clipped to plus or minus so many quarters."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    def margins(self, features: NDArray[Any]) -> NDArray[np.int64]:
        """Return margins towards the second class, shape (n_rows,)."""
        votes = features.astype(np.float64) @ np.asarray(self.rule.weights) + self.rule.intercept
        return np.asarray(np.clip(np.rint(votes * STEPS_PER_VOTE), -self.reach, self.reach), dtype=np.int64)


@dataclass(frozen=True)
class LiteralVoteModel(LinkedScorer):
    """The sign of a sum of votes, one vote a rule, and an offset; zero counts for the first class.

    Examples
    --------
    >>> from tacit.schema import Categorical, Label
    >>> schema = Schema([Categorical("sky", ["clear", "gray"])], label=Label("rain", ["no", "yes"]))
    >>> LiteralVoteModel((LiteralRule(Literal("sky", 1, 1)),) * 2).words(schema)
    ('+2 sky is gray',)
    """

    votes: tuple[VotingRule, ...]
    """Each adds +1 for the second class or -1; the same rule may vote more than once."""
    n_bins: int = 32
    """See ``BinEncoding``."""
    cuts: Cuts = ()
    """Cut points of numeric columns that are not the schema's: released privately, or of public columns."""
    start: PublicStart | None = None
    noise: Noise = ()
    """How sure what is said of each column is; empty where that is not known."""
    link: Link | None = None
    kind: OneOf["literal-votes"] = "literal-votes"

    multiclass: ClassVar[bool] = False
    log_odds_of_one: ClassVar[float] = LOG_ODDS_OF_LITERAL_VOTES
    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    def scores(self, rows: Rows, schema: Schema) -> NDArray[np.float64]:
        """Return the sum of votes and offset, shape (n_rows,)."""
        encoding = self.encoding(schema)
        codes = encoding.transform(rows)
        total = self._start(rows, schema)
        # Late rounds often repeat a rule: each is decided once.
        for rule, repeats in self.distinct().items():
            total += repeats * (2.0 * rule.decide(codes, encoding) - 1.0)
        return total + self.offset

    def staged_scores(self, rows: Rows, schema: Schema) -> Iterator[NDArray[np.float64]]:
        """Yield the sum of the first 1, 2, ... votes, each of shape (n_rows,), with as large a part of the offset."""
        encoding = self.encoding(schema)
        codes = encoding.transform(rows)
        total = self._start(rows, schema)
        for at, rule in enumerate(self.votes, start=1):
            # A new array: callers may keep what was yielded before.
            total = total + (2.0 * rule.decide(codes, encoding) - 1.0)
            # All of it at the last vote, which is then the decision; at once, it would outvote the first ones.
            yield total + self.offset * (at / len(self.votes))

    @property
    def reach(self) -> float:
        """The largest score there can be."""
        return len(self.votes) + (self.start.reach / STEPS_PER_VOTE if self.start else 0.0)

    def words(self, schema: Schema) -> tuple[str, ...]:
        """Return the votes in words, most votes first: for the second class where positive, else for the first.

        Before them what counts add for every row, if anything.

        A rule's denial counts as minus the rule, and where a rule does not hold its votes go to the other class.
        """
        encoding = self.encoding(schema)
        tally: dict[str, int] = {}
        for rule in self.votes:
            sign, words = _signed_words(rule, encoding, sorted(schema.classes))
            tally[words] = tally.get(words, 0) + sign
        # Ties go by the words, so that the list is the same whatever the order of the rounds.
        ranked = sorted(((votes, words) for words, votes in tally.items() if votes), key=lambda x: (-abs(x[0]), x[1]))
        return (*self.offset_words, *(f"{votes:+d} {words}" for votes, words in ranked))

    @kept
    def encoding(self, schema: Schema) -> BinEncoding:
        """Return the encoding whose codes the rules read."""
        return BinEncoding(schema, schema.names, self.n_bins, released=self.cuts)

    def check(self, schema: Schema) -> None:
        """Raise ModelFileError unless every rule fits the schema."""
        check_cuts(schema, self.cuts)
        encoding = self.encoding(schema)
        for rule in self.votes:
            rule.check(encoding)
        if self.start and not self.start.rule.fits(start_encoding(schema).n_features):
            raise ModelFileError("Expected a public start that fits the schema. The file is damaged.")
        if self.start and not 0 <= self.start.reach <= MAX_START:
            raise ModelFileError("Expected a public start of a bounded margin. The file is damaged.")

    def _start(self, rows: Rows, schema: Schema) -> NDArray[np.float64]:
        if self.start is None:
            return np.zeros(rows.n_rows)
        features = start_encoding(schema).transform(rows)
        return self.start.margins(features) / STEPS_PER_VOTE

    def distinct(self) -> dict[VotingRule, int]:
        """Return how often each rule votes."""
        counts: dict[VotingRule, int] = {}
        for rule in self.votes:
            counts[rule] = counts.get(rule, 0) + 1
        return counts


@kept
def start_encoding(schema: Schema) -> LinearEncoding:
    """Return the features of a public start: the public columns, categories one-hot."""
    return LinearEncoding(schema, schema.public_columns, "one-hot")


def _signed_words(rule: VotingRule, encoding: BinEncoding, classes: list[Any]) -> tuple[int, str]:
    if isinstance(rule, LiteralTreeRule):
        return 1, " | ".join(rule.words(encoding, (classes[0], classes[-1])))
    if isinstance(rule, ConstantRule):
        return (1 if rule.second else -1), "always"
    return (-1 if rule.negated else 1), rule.literal.words(encoding)

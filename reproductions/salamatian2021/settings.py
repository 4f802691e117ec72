"""Settings and figures of Salamatian (2021), "Private Boosted Decision Trees via Smooth Re-Weighting".

Sparsity, margins, advantage, Rademacher estimates; the artefacts are in `reproductions.framework`.

What reads the rows here reads them without noise: for studies on public tables, never for a private one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from math import log, sqrt
from typing import Any

import numpy as np

from tacit.boosting.one_rule import candidates
from tacit.boosting.smooth_weights import project, reweight
from tacit.features import BinEncoding
from tacit.models import LiteralRule, LiteralVoteModel, Model, VotingRule
from tacit.queries import Margins, literal_errors
from tacit.table import Block, Table

SETTINGS: dict[str, dict[float, tuple[float, float, int]]] = {
    "adult": {
        0.05: (0.50, 0.50, 5), 0.1: (0.45, 0.50, 5), 0.15: (0.50, 0.40, 5), 0.2: (0.50, 0.30, 5), 0.25: (0.35, 0.50, 9),
        0.3: (0.40, 0.40, 19), 0.35: (0.30, 0.45, 9), 0.4: (0.35, 0.50, 9), 0.45: (0.40, 0.45, 25),
        0.5: (0.35, 0.50, 15), 1.0: (0.35, 0.45, 39), 3.0: (0.35, 0.45, 99), 5.0: (0.35, 0.45, 75),
    },
    "cod-rna": {
        0.05: (0.50, 0.50, 9), 0.1: (0.50, 0.35, 19), 0.15: (0.50, 0.50, 29), 0.2: (0.40, 0.50, 25),
        0.25: (0.50, 0.45, 25), 0.3: (0.50, 0.45, 25), 0.35: (0.45, 0.35, 49), 0.4: (0.45, 0.45, 39),
        0.45: (0.50, 0.40, 65), 0.5: (0.45, 0.50, 49), 1.0: (0.40, 0.50, 99), 3.0: (0.30, 0.40, 99),
        5.0: (0.35, 0.40, 99),
    },
    "mushroom": {
        0.05: (0.45, 0.50, 5), 0.1: (0.50, 0.40, 9), 0.15: (0.50, 0.45, 9), 0.2: (0.50, 0.40, 15),
        0.25: (0.30, 0.40, 9), 0.3: (0.35, 0.50, 9), 0.35: (0.40, 0.35, 15), 0.4: (0.45, 0.40, 19),
        0.45: (0.35, 0.20, 19),
        0.5: (0.45, 0.25, 25), 1.0: (0.25, 0.30, 29), 3.0: (0.20, 0.20, 75), 5.0: (0.20, 0.50, 29),
    },
}  # fmt: skip
"""Tables B.1 to B.3: density, learning rate and rounds by epsilon."""


@dataclass(frozen=True)
class Sparsity:
    """How many of the schema's literals a model uses (tables 5.2, A.1 to A.3), and its votes (table 5.3)."""

    features: int
    share: float
    columns: tuple[str, ...]
    votes: tuple[str, ...]


def settings(name: str, epsilon: float) -> dict[str, Any]:
    """Return the thesis's parameters of LazyBBClassifier.

    Examples
    --------
    >>> settings("adult", 1.0)
    {'density': 0.35, 'learning_rate': 0.45, 'rounds': 39}
    """
    density, learning_rate, rounds = SETTINGS[name][epsilon]
    return {"density": density, "learning_rate": learning_rate, "rounds": rounds}


def sparsity(model: Model, numeric: Any = "thresholds") -> Sparsity:
    """Return what a model of two classes uses; reads the released model alone."""
    [scorer] = model.scorers
    assert isinstance(scorer, LiteralVoteModel)
    used = {rule.literal for rule in scorer.votes if isinstance(rule, LiteralRule)}
    offered = candidates(scorer.encoding(model.schema), numeric).literals
    columns = tuple(sorted({literal.column for literal in used}))
    return Sparsity(len(used), len(used) / len(offered), columns, scorer.words(model.schema))


def votes(model: Model) -> dict[str, int]:
    """Return the votes of each rule in words, for the second class where positive, most votes first: table 5.3."""
    lines = sparsity(model).votes
    return {words: int(count) for count, words in (line.split(" ", 1) for line in lines)}


def boosting_curve(table: Table, scorer: LiteralVoteModel, *, density: float, learning_rate: float) -> np.ndarray:
    """Return each round's advantage over guessing under its weights, shape (rounds,): figure 5.1, exact."""
    encoding, found = scorer.encoding(table.schema), []
    margins = Margins(table, rounds=len(scorer.votes))
    for rule in scorer.votes:
        before = project(reweight(margins, learning_rate), density).values

        def agreement(block: Any, rule: Any = rule, before: Any = before) -> np.ndarray:
            right = rule.decide(block.codes(encoding), encoding) == block.labels.astype(bool)
            return np.asarray([before[margins.positions(block)] @ right])

        found.append(float(table.sum(agreement)[0]) - 0.5)
        margins.vote(partial(_decisions, rule, encoding))
    return np.asarray(found)


def _decisions(rule: VotingRule, encoding: BinEncoding, block: Block) -> np.ndarray:
    return rule.decide(block.codes(encoding), encoding)


def normalized_margins(scores: np.ndarray, labels: np.ndarray, rounds: int) -> np.ndarray:
    """Return y F(x) / rounds for labels 0 and 1, in [-1, 1]: the histogram of figure 5.1, exact."""
    return np.where(labels == 1, scores, -scores) / rounds


def rademacher_estimate(
    table: Table,
    margins: np.ndarray,
    *,
    thresholds: Sequence[float],
    draws: int = 20,
    seed: int = 0,
    failure: float = 0.05,
) -> float:
    """Return the best lower bound on test accuracy that margins and Rademacher complexity give (table 5.4).

    With probability 1 - failure, the test error is at most the share of margins below theta, plus
    2 R / theta, plus 3 sqrt(ln(2/failure)/(2n)), for each theta given; R is the empirical Rademacher complexity of
    one-rules, the mean over random signs of the largest agreement of a rule with them.
    """
    complexity = float(np.mean([_agreement(table, seed + draw) for draw in range(draws)]))
    slack = 3 * sqrt(log(2 * len(thresholds) / failure) / (2 * table.n_rows))
    errors = [np.mean(margins <= theta) + 2 * complexity / theta + slack for theta in thresholds]
    return float(1 - min(errors))


def best_single_rule(table: Table, numeric: Any = "thresholds") -> tuple[str, float]:
    """Return the one-rule of least training error, in words, and its accuracy, without privacy: the weak baseline."""
    encoding = BinEncoding(table.schema, table.schema.names)
    rules = candidates(encoding, numeric)
    weights = project(reweight(Margins(table, rounds=1), 1.0), 1.0)
    scores = literal_errors(rules, weights, table).unreleased_value
    best, size = int(np.argmax(scores)), len(rules.literals)
    words = rules.literals[best % size].words(encoding, negated=best >= size) if best < 2 * size else "always"
    return words, 1 + float(scores[best])


def _agreement(table: Table, seed: int) -> float:
    """Return the largest mean of sign * rule(row) over one-rules, for random signs."""
    generator = np.random.default_rng(seed)
    signed = _with_labels(table, generator)
    _, accuracy = best_single_rule(signed)
    return 2 * accuracy - 1


def _with_labels(table: Table, generator: np.random.Generator) -> Table:
    def signed(block: Block, _: None) -> Block:
        return block.with_labels(generator.integers(0, 2, block.n_rows).astype(np.uint8))

    return Table(table.schema, table._shards.replaced(signed, repeat(None), table._shards.sizes))

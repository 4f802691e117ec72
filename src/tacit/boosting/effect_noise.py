"""How noisy what columns add to boosted scores is, from released values and the distributions of their noise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tacit.boosting.leaf_steps import LeafSteps
from tacit.features import BinEncoding
from tacit.features.literals import literals
from tacit.models import LiteralVoteModel, VoteModel, VotingRule
from tacit.models.boxes import Box
from tacit.models.cells import ColumnCells, Distribution, cells_of
from tacit.models.literal_tree import LiteralTreeRule, Question
from tacit.models.noise import MAX_KNOWN, ColumnNoise, Noise
from tacit.models.tree_attribution import LiteralVotes
from tacit.models.vote_attribution import Votes
from tacit.queries.leaf_sums import STEPS
from tacit.schema import Numeric, Schema

Floats = NDArray[np.float64]


def boosted_noise(
    steps: Iterable[LeafSteps], encoding: BinEncoding, n_scores: int, first: Mapping[str, Floats] | None = None
) -> Noise:
    """Return the noise of what columns add to the scores of trees that were boosted in this order.

    ``first`` has the covariance of the noise in what columns' cells add to each score before the first tree.

    Each tree adds the noise of its leaves, and takes a part of what earlier trees left wrong off the cells that it
    does not separate; columns are independent, and their cells equally frequent. A category's effect holds that of the
    others with which it was put into a random half.
    """
    distribution = Distribution.of(cells_of(encoding))
    found = dict(first or {})
    drawn: dict[str, Floats] = {}
    for step in steps:
        meets = _Meetings.of(step, encoding, distribution)
        values = np.asarray(step.tree.values)[:, step.reached] / STEPS
        effects = values @ (meets.spread - meets.likely[:, None])
        moved = step.slopes.of(meets.spread.T)
        noise = step.deviation * (moved - step.slopes.of(meets.likely[None]))
        covariance = noise @ noise.swapaxes(1, 2)
        # Of a score's error in each leaf, what is taken off in each.
        taken = moved * step.curvature[:, None] @ meets.means
        for name, kinds in meets.kinds.items():
            drawn[name] = drawn.get(name, 0.0) + _aliased(effects[:, kinds], distribution.cells[name])
            kept = np.eye(len(kinds)) - taken[:, kinds[:, None], kinds] * distribution.shares[name]
            before = found.get(name, np.zeros((n_scores, len(kinds), len(kinds))))
            found[name] = kept @ before @ kept.swapaxes(1, 2) + covariance[:, kinds[:, None], kinds]
    kept = np.eye(n_scores) - (1 / n_scores if n_scores > 1 else 0.0)
    # Scores of classes are compared with their mean; noise of each is independent.
    both = {name: np.tensordot(kept**2, own + drawn.get(name, 0.0), axes=1) for name, own in found.items()}
    return tuple(
        ColumnNoise.of(name, distribution.shares[name], list(own), released=False) for name, own in both.items()
    )


@dataclass(frozen=True, eq=False)
class _Meetings:
    """How columns' cells and a tree's reached leaves meet; cells of a column that pass the same tests are one kind.

    Kinds are those of all columns, one column after another.
    """

    kinds: Mapping[str, NDArray[np.intp]]
    """By column, each cell's kind, (n_cells,)."""
    likely: Floats
    """The share of rows that a leaf admits, (n_reached,)."""
    means: Floats
    """For a leaf that admits the kind, one over the share of rows whose cell it admits, (n_reached, n_kinds)."""

    @property
    def spread(self) -> Floats:
        """What a leaf's value adds to rows of a kind in the mean: by the share of rows that other columns admit."""
        return self.likely[:, None] * self.means

    @classmethod
    def of(cls, step: LeafSteps, encoding: BinEncoding, distribution: Distribution) -> _Meetings:
        """Return how they meet, of columns of so few cells that their noise is worth its time."""
        kinds = dict[str, NDArray[np.intp]]()
        likely, means, n_kinds = np.ones(len(step.reached)), [np.zeros((len(step.reached), 0))], 0
        for name, patterns in step.tree.patterns(encoding).items():
            own = distribution.shares[name]
            asked = step.reached & np.bitwise_or.reduce(patterns)
            # Codes after those of the cells are of what is not listed.
            unique, of_cells = np.unique(patterns[: len(own)], return_inverse=True)
            admits = unique == asked[:, None]
            share = admits @ np.bincount(of_cells, own)
            likely *= share
            if len(own) <= MAX_KNOWN:
                kinds[name] = n_kinds + of_cells
                means.append(admits / np.maximum(share, 1e-12)[:, None])
                n_kinds += len(unique)
        return cls(kinds, likely, np.concatenate(means, axis=1))


def coin_noise(model: LiteralVoteModel, schema: Schema) -> Noise:
    """Return the noise of what columns add to a vote if noise alone had decided every round.

    The rule of a round is then as likely for one class as for the other, whatever was voted before, and about each
    column as often as the column has literals: a sum of votes has the deviation of as many fair coins.

    A rule may hold for all rows, or for none, and vote as a constant would: all that it adds may be noise, too.
    """
    encoding = model.encoding(schema)
    distribution = Distribution.of(cells_of(encoding))
    effects = _few_cells(LiteralVotes(replace(model, start=None), schema).effects(distribution))
    own = {name: len(literals(encoding.alone(name))) for name in effects}
    each = sum(map(_questions, model.votes)) / max(len(literals(encoding)), 1)
    found = {name: each * own[name] * _of_any_literal(encoding, distribution, name) for name in effects}
    found = {name: coins + np.diag(effects[name][0] ** 2) for name, coins in found.items()}
    noise = [ColumnNoise.of(name, distribution.shares[name], [one], released=False) for name, one in found.items()]
    for name in schema.public_columns if model.start else ():
        if name not in found:  # what a public start adds is exact
            nothing = np.zeros((len(distribution.shares[name]), len(distribution.shares[name])))
            noise.append(ColumnNoise.of(name, distribution.shares[name], [nothing], released=False))
    return tuple(noise)


def _questions(rule: VotingRule) -> int:
    return sum(isinstance(node, Question) for node in rule.nodes) if isinstance(rule, LiteralTreeRule) else 1


def _few_cells(effects: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return the effects, (n_scores, n_cells), of columns of so few cells that their noise is worth its time."""
    return {name: own for name, own in effects.items() if own.shape[-1] <= MAX_KNOWN}


def _aliased(effects: Floats, cells: ColumnCells) -> Floats:
    """Return the variance of effects, (n_scores, n_cells), that categories got by chance, with others or as others."""
    if isinstance(cells.column, Numeric):
        return np.zeros((*effects.shape, effects.shape[1]))
    # Of two categories one is the other's denial, and nothing is by chance.
    part = 1 - 2 / max(effects.shape[1], 2)
    return np.asarray(part * effects[:, :, None] ** 2 * np.eye(effects.shape[1]))


def _of_any_literal(encoding: BinEncoding, distribution: Distribution, name: str) -> Floats:
    """Return the mean square of one vote of a literal of a column, drawn at random, (n_cells, n_cells)."""
    own = encoding.alone(name)
    effects = []
    for literal in literals(own):
        [(_, weights)] = Box(np.ones(1), {name: literal.holds(own.codes_of(name))}).weights(distribution)
        effects.append(2 * weights)
    return np.asarray(np.mean([np.outer(each, each) for each in effects], axis=0))


def vote_noise(model: VoteModel, deviation: float, schema: Schema) -> Noise:
    """Return the noise of what columns add to a weighted vote whose private coefficients have this deviation.

    Private rules were drawn at random, and others would have been as good: so what each adds counts as noise as well,
    to which the noise in its coefficient comes.
    """
    how = Votes(model, schema)
    distribution = Distribution.of(how.cells)
    linear = [vote for vote in model.votes if vote.rule.kind == "linear"]
    variances = np.asarray([vote.coefficient**2 + deviation**2 if vote.source == "private" else 0.0 for vote in linear])
    return tuple(
        ColumnNoise.centered(
            name,
            distribution.shares[name],
            ((own - distribution.shares[name] @ own) ** 2 @ variances)[None, :],
            released=False,
        )
        for name, own in how.vote_effects(distribution).items()
    )

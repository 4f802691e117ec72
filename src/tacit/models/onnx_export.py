"""Models as ONNX: the same labels and probabilities from a runtime that knows nothing of this package."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.features import GRID, BinEncoding, LinearEncoding
from tacit.features.feature_encoding import FeatureEncoding, OneHotEncoding
from tacit.features.ranked_encoding import MAX_SCORE
from tacit.models.boosted_trees import STEPS, BoostedTreesModel, ObliviousTree
from tacit.models.linear import LinearModel, LogisticModel
from tacit.models.links import has_public_link, slope_together, unit_of
from tacit.models.literal_tree import Leaf, LiteralTree, LiteralTreeRule, Node
from tacit.models.literal_votes import ConstantRule, LiteralVoteModel, VotingRule
from tacit.models.merged_scorer import MergedScorer, WeighedScorers
from tacit.models.naive_bayes import BinTable, NaiveBayesModel
from tacit.models.onnx_graph import Graph
from tacit.models.onnx_ranks import rank, ranked_scores
from tacit.models.ranked import RankedModel
from tacit.models.target_scale import TargetScale
from tacit.rules.measures import MAX_LOG_ODDS
from tacit.schema import Categorical, Numeric, Schema
from tacit.table import Rows

SUPPORTED = (LogisticModel, RankedModel, NaiveBayesModel, LiteralTree, LiteralVoteModel, BoostedTreesModel)


Lines = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Slope and intercept of each class's log-odds."""


def exported(
    schema: Schema, classes: list[Any], scorers: tuple[Any, ...], metadata: dict[str, str], lines: Lines | None = None
) -> Any:
    """Return an ``onnx.ModelProto`` with outputs ``label`` and ``probabilities``; see ``Model.to_onnx``.

    With lines, probabilities are moved onto them.
    """
    merged = scorers[0] if isinstance(scorers[0], MergedScorer) else None
    for scorer in [one for part in merged.parts for one in part.scorers] if merged else scorers:
        if not isinstance(scorer, SUPPORTED):
            raise ParameterError(
                "Expected logistic regression, naive Bayes, a tree, LazyBB or boosted trees, got a scorer of "
                f"kind {scorer.kind!r}, which is not exported. Predict with this package."
            )
        if isinstance(scorer, LiteralVoteModel) and scorer.start:
            raise ParameterError("Expected LazyBB without a public start, which is not exported, got one.")
    graph = Graph(schema)
    if merged:
        positions, likely = _of_one(graph, _merged(graph, merged, len(classes)), merged, len(classes))
    else:
        positions, likely = _decided(graph, scorers, len(classes))
    if lines is not None:
        likely = _calibrated(graph, likely, *lines)
    return graph.model(graph.labels(positions, classes), likely, classes, metadata)


def exported_number(
    schema: Schema, scorers: tuple[Any, ...], scales: tuple[TargetScale, ...], metadata: dict[str, str]
) -> Any:
    """Return an ``onnx.ModelProto`` with the output ``prediction``; see ``RegressionModel.to_onnx``."""
    graph = Graph(schema)
    each = [_number(graph, scorer, scale) for scorer, scale in zip(scorers, scales, strict=True)]
    if len(each) == 1:
        return graph.number_model(each[0], metadata)
    # The smallest first, so that quantiles never cross.
    ascending = graph.ascending(graph.add("Concat", *each, axis=1), len(each))
    return graph.number_model(ascending, metadata, len(each))


def _number(graph: Graph, scorer: Any, scale: TargetScale) -> str:
    """Return what one scorer predicts, (n_rows, 1), within the target's bounds."""
    target = graph.schema.target
    assert target is not None
    moved = graph.add("Mul", _scores(graph, scorer), graph.constant(scale.unit))
    start = graph.constant(scale.start)
    found = graph.add("Mul", graph.add("Exp", moved), start) if scale.link == "log" else graph.add("Add", moved, start)
    return graph.add("Clip", found, graph.constant(target.lower), graph.constant(target.upper))


def _calibrated(graph: Graph, likely: str, slopes: NDArray[np.float64], intercepts: NDArray[np.float64]) -> str:
    """Return probabilities moved as ``HeldOut.calibrated`` does."""
    rest = graph.add("MatMul", likely, graph.constant(1 - np.eye(len(slopes))))
    odds = graph.add("Sub", graph.add("Log", likely), graph.add("Log", rest))
    line = graph.add("Add", graph.add("Mul", odds, graph.constant(slopes)), graph.constant(intercepts))
    moved = graph.add("Sigmoid", line)
    return graph.add("Div", moved, graph.add("ReduceSum", moved, graph.constant([1], np.int64)))


def _decided(graph: Graph, scorers: tuple[Any, ...], n_classes: int) -> tuple[str, str]:
    """Return positions of classes, (n_rows,), and probabilities, of the scorers of one fit."""
    scores = [_scores(graph, scorer) for scorer in scorers]
    if len(scorers) == 1:
        return _of_one(graph, scores[0], scorers[0], n_classes)
    return _of_many(graph, scores, scorers)


def _merged(graph: Graph, scorer: MergedScorer, n_classes: int) -> str:
    """Return weighted means of log-odds, (n_rows, 1) or (n_rows, n_classes), as ``MergedScorer`` has them."""
    weighed = [
        graph.add("Mul", _log_odds(graph, part, n_classes), graph.constant(part.weight)) for part in scorer.parts
    ]
    return graph.total(weighed, np.zeros(1 if n_classes == 2 else n_classes))


def _log_odds(graph: Graph, part: WeighedScorers, n_classes: int) -> str:
    """Return the log-odds of a part's scorers, as ``log_odds_of`` has them."""
    if part.adds_up:
        odds = graph.add("Div", _scores(graph, part.scorers[0]), graph.constant(part.unit))
    else:
        _, likely = _decided(graph, part.scorers, n_classes)
        odds = graph.add("Log", graph.add("Max", likely, graph.constant(part.least)))
        if n_classes == 2:
            return graph.add("MatMul", odds, graph.constant([[-1.0], [1.0]]))
    return odds if n_classes == 2 else graph.add("MatMul", odds, graph.constant(np.eye(n_classes) - 1 / n_classes))


def _of_one(graph: Graph, scores: str, scorer: Any, n_classes: int) -> tuple[str, str]:
    """Return positions of classes, (n_rows,), and probabilities, of a scorer of all classes."""
    if isinstance(scorer, LiteralTree):
        # As for any two classes: the second wins where it is the larger.
        return graph.add("ArgMax", scores, axis=1, keepdims=0), scores
    if n_classes > 2:
        return graph.add("ArgMax", scores, axis=1, keepdims=0), graph.add("Softmax", scores, axis=1)
    flat = graph.add("Reshape", scores, graph.constant([-1], np.int64))
    positions = graph.add("Cast", graph.add("Greater", flat, graph.constant(0.0)), to=7)
    odds = scores
    if has_public_link([scorer]):
        bent = graph.add("Tanh", graph.add("Mul", scores, graph.constant(scorer.log_odds_of_one / MAX_LOG_ODDS)))
        odds = graph.add("Mul", bent, graph.constant(MAX_LOG_ODDS))
    elif isinstance(scorer, LiteralVoteModel):
        odds = graph.add("Div", scores, graph.constant(unit_of(scorer)))
    sides = [graph.add("Sigmoid", graph.add("Neg", odds)), graph.add("Sigmoid", odds)]
    return positions, graph.add("Concat", *sides, axis=1)


def _of_many(graph: Graph, scores: list[str], scorers: tuple[Any, ...]) -> tuple[str, str]:
    """Return positions and probabilities of one scorer for each class against the rest."""
    units = map(unit_of, scorers)
    each = [graph.add("Div", one, graph.constant(unit)) for one, unit in zip(scores, units, strict=True)]
    together = graph.add("Concat", *each, axis=1)
    positions = graph.add("ArgMax", together, axis=1, keepdims=0)
    if has_public_link(scorers):
        slope = graph.constant(slope_together(scorers))
        return positions, graph.add("Softmax", graph.add("Mul", together, slope), axis=1)
    positive = graph.add("Add", graph.add("Sigmoid", together), graph.constant(1e-12))
    return positions, graph.add("Div", positive, graph.add("ReduceSum", positive, graph.constant([1], np.int64)))


def _scores(graph: Graph, scorer: Any) -> str:
    """Return a scorer's scores, (n_rows, 1) or (n_rows, n_classes); of a tree, its probabilities."""
    if isinstance(scorer, MergedScorer):
        return _merged(graph, scorer, n_classes=2)  # of a number, which has one score, too
    if isinstance(scorer, LogisticModel):
        return _forms(graph, scorer)
    if isinstance(scorer, RankedModel):
        return _ranked(graph, scorer)
    if isinstance(scorer, NaiveBayesModel):
        return _naive_bayes(graph, scorer)
    encoding = scorer.encoding(graph.schema)
    if isinstance(scorer, LiteralTree):
        return _tree(graph, scorer.nodes, encoding)
    if isinstance(scorer, LiteralVoteModel):
        votes = [_vote(graph, rule, encoding) for rule in scorer.votes]
        return graph.total([*votes, _nothing(graph, encoding)], np.asarray([scorer.offset]))
    trees = [_oblivious(graph, tree, encoding) for tree in scorer.trees]
    if scorer.first:
        return graph.total([_in_steps(graph, _ranked(graph, scorer.first)), *trees], np.zeros(len(scorer.start)))
    return graph.total(trees, np.asarray(scorer.start, dtype=np.float64) / STEPS)


def _in_steps(graph: Graph, scores: str) -> str:
    """Return scores rounded to the grid, as boosting starts from them."""
    bounded = graph.add("Clip", scores, graph.constant(-MAX_SCORE), graph.constant(MAX_SCORE))
    steps = graph.add("Round", graph.add("Mul", bounded, graph.constant(float(STEPS))))
    return graph.add("Div", steps, graph.constant(float(STEPS)))


def _ranked(graph: Graph, scorer: RankedModel) -> str:
    public = [_forms(graph, one) for one in scorer.public_models()]
    own = ranked_scores(graph, scorer)
    return graph.add("Add", own, graph.add("Concat", *public, axis=1)) if public else own


def _forms(graph: Graph, scorer: LinearModel | LogisticModel) -> str:
    parts = [part for each in scorer.encoded(graph.schema) for part in _form(graph, *each)]
    return graph.total(parts, np.asarray([scorer.intercept]))


def _form(graph: Graph, encoding: FeatureEncoding, weights: NDArray[np.float64]) -> list[str]:
    parts, start = [], 0
    one_hot = encoding if isinstance(encoding, OneHotEncoding) else None
    bins = one_hot.bins if one_hot else BinEncoding(encoding.schema, encoding.columns)
    for name, width in zip(encoding.columns, encoding.widths, strict=True):
        own, column = weights[start : start + width], encoding.by_name[name]
        start += width
        if isinstance(column, Numeric) and not one_hot:
            ranked = isinstance(encoding, LinearEncoding) and encoding.is_ranked(column)
            steps = graph.add("Div", rank(graph, column), graph.constant(GRID)) if ranked else None
            feature = graph.on_grid(steps) if steps else graph.feature(column)
            parts.append(graph.add("Mul", feature, graph.constant(float(own[0]))))
            continue
        table = np.append(own, 0.0)  # a category that is not listed has no feature
        if isinstance(encoding, LinearEncoding) and encoding.categorical == "ordinal":
            assert isinstance(column, Categorical)  # numbers that are not binned are done with
            codes = np.asarray([*range(column.n_codes), -1], dtype=np.int32)
            table = encoding.alone(name).transform(Rows({name: codes}, len(codes)))[:, 0] * own[0]
        parts.append(graph.lookup(graph.bins(bins, name), table[:, None]))
    return parts


def _naive_bayes(graph: Graph, scorer: NaiveBayesModel) -> str:
    encoding, parts = scorer.encodings(graph.schema)[0], []
    for table in scorer.tables:
        if isinstance(table, BinTable):
            ratios = np.asarray(table.log_ratios)
            padded = np.concatenate([ratios, np.zeros((1, ratios.shape[1]))])
            parts.append(graph.lookup(graph.bins(encoding, table.column), scorer.slope * _contrasts(padded)))
            continue
        column = graph.schema.column(table.column)
        assert isinstance(column, Numeric)
        feature = graph.feature(column)
        means, variances = np.asarray(table.means), np.asarray(table.variances)
        square, linear = _contrasts(-1 / (2 * variances)), _contrasts(means / variances)
        constant = _contrasts(-(np.log(variances) + means**2 / variances) / 2)
        inner = graph.add("Add", graph.add("Mul", feature, graph.constant([square])), graph.constant([linear]))
        whole = graph.add("Add", graph.add("Mul", inner, feature), graph.constant([constant]))
        parts.append(graph.add("Mul", whole, graph.constant(scorer.slope)))
    return graph.total(parts, _contrasts(np.asarray(scorer.intercepts)))


def _contrasts(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values of all classes, or of the second of two less the first, along the last axis."""
    return np.asarray(values[..., 1:] - values[..., :1] if values.shape[-1] == 2 else values)


def _tree(graph: Graph, nodes: tuple[Node, ...], encoding: BinEncoding, *, votes: bool = False) -> str:
    """Return what the leaf that a row reaches holds, from the last node to the root: parents come first."""
    found: dict[int, str] = {}
    for at in reversed(range(len(nodes))):
        node = nodes[at]
        if isinstance(node, Leaf):
            chances = node.probabilities
            held = [1.0 if chances[1] > chances[0] else -1.0] if votes else list(chances)
            found[at] = graph.constant([held])
        else:
            holds = _holds(graph, node.literal, encoding)
            found[at] = graph.add("Where", holds, found.pop(node.yes), found.pop(node.no))
    return graph.add("Add", found[0], _nothing(graph, encoding))


def _nothing(graph: Graph, encoding: BinEncoding) -> str:
    """Return zero for each row, by a column: what is added to it, and may be the same for all rows, has as many."""
    return graph.lookup(graph.bins(encoding, encoding.columns[0]), np.zeros((encoding.n_codes[0] + 1, 1)))


def _holds(graph: Graph, test: Any, encoding: BinEncoding) -> str:
    """Return whether a literal or subset holds for each row, shape (n_rows, 1)."""
    answers = test.holds(encoding.codes_of(test.column))
    return graph.add("Cast", graph.lookup(graph.bins(encoding, test.column), answers[:, None].astype(float)), to=9)


def _vote(graph: Graph, rule: VotingRule, encoding: BinEncoding) -> str:
    if isinstance(rule, ConstantRule):
        return graph.constant([[1.0 if rule.second else -1.0]])
    if isinstance(rule, LiteralTreeRule):
        return _tree(graph, rule.nodes, encoding, votes=True)
    codes = encoding.codes_of(rule.literal.column)
    signs = 2.0 * (rule.literal.holds(codes) != rule.negated) - 1.0
    return graph.lookup(graph.bins(encoding, rule.literal.column), signs[:, None])


def _oblivious(graph: Graph, tree: ObliviousTree, encoding: BinEncoding) -> str:
    """Return what a tree adds: its leaf's number is a sum over columns of a number that follows from the code."""
    number = None
    for name, pattern in tree.patterns(encoding).items():
        own = graph.add("Gather", graph.constant(np.append(pattern, 0), np.int64),
                        graph.bins(encoding, name), axis=0)  # fmt: skip
        number = own if number is None else graph.add("Add", number, own)
    assert number is not None
    return graph.lookup(number, np.asarray(tree.values, dtype=np.float64).T / STEPS)

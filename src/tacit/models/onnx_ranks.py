"""Ranks, quadratic terms, centered categories and a row's length in an ONNX graph, as ``RankedEncoding`` has them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.features import BinEncoding
from tacit.features.number_scale import knots
from tacit.features.ranked_encoding import CURVE_RANKS, SHORTENED, RankedEncoding
from tacit.features.ranked_rows import FEATURE_STEPS
from tacit.models.onnx_graph import Graph
from tacit.models.ranked import RankedModel
from tacit.rules.priors import CONSTANT, QUADRATIC
from tacit.schema import Categorical, Numeric


def ranked_scores(graph: Graph, scorer: RankedModel) -> str:
    """Return a row's features times the weights, (n_rows, n_outputs), without what public columns add."""
    encoding, weights = scorer.encoding(graph.schema), np.asarray(scorer.weights).T
    parts, squares = [(graph.constant([[CONSTANT]]), weights[:1])], graph.constant([[CONSTANT**2]])
    for name, start, stop in zip(scorer.columns, encoding.starts, encoding.starts[1:], strict=False):
        column = encoding.by_name[name]
        if isinstance(column, Numeric):
            features, square = _number(graph, encoding, column)
            if (length := encoding.length_of(name)) < 1:
                features, square = (
                    graph.add("Mul", each, graph.constant(factor))
                    for each, factor in ((features, length), (square, length**2))
                )
        else:
            features, square = _category(graph, encoding, column)
        parts.append((features, weights[start:stop]))
        # Column after column, as there: another order would round to other features.
        squares = graph.add("Add", squares, square)
    short = graph.add("Div", graph.constant(scorer.radius), graph.add("Sqrt", squares))
    factor = graph.add("Mul", graph.add("Min", short, graph.constant(1.0)), graph.constant(SHORTENED * FEATURE_STEPS))
    added = [_short(graph, features, factor, own) for features, own in parts]
    return graph.total(added, np.zeros(weights.shape[1]))


def _number(graph: Graph, encoding: RankedEncoding, column: Numeric) -> tuple[str, str]:
    """Return the rank and, where there is one, the quadratic term, (n_rows, 1 or 2), and the sum of their squares."""
    own, there = rank(graph, column), None
    if (mark := encoding.mark_of.get(column.name)) is not None:
        there = graph.lookup(graph.bins(BinEncoding(encoding.schema, (mark,)), mark), np.asarray([[1.0], [0.0], [1.0]]))
        own = graph.add("Mul", own, there)
    square = graph.add("Mul", own, own)
    if heights := dict(encoding.curved).get(column.name):
        own = _along(graph, own, CURVE_RANKS, np.asarray(heights))
        own = own if there is None else graph.add("Mul", own, there)
    if not encoding.quadratic:
        return own, square
    three_halves = graph.add("Mul", graph.constant(1.5), square)
    quadratic = graph.add("Mul", graph.constant(QUADRATIC), graph.add("Sub", three_halves, graph.constant(0.5)))
    if there is not None:
        quadratic = graph.add("Mul", quadratic, there)
    both = graph.add("Concat", own, quadratic, axis=1)
    return both, graph.add("Add", square, graph.add("Mul", quadratic, quadratic))


def rank(graph: Graph, column: Numeric) -> str:
    """Return the rank, (n_rows, 1), linear from knot to knot."""
    found = _along(graph, graph.scaled(column), *knots(column))
    if len(cuts := column.cut_points or ()) == 1:
        above = graph.add("Greater", graph.number(column), graph.constant(cuts[0]))
        side = graph.add("Where", above, graph.constant(0.5), graph.constant(-0.5))
        found = graph.add("Div", graph.add("Add", found, side), graph.constant(2.0))
    return found


def _along(graph: Graph, values: str, places: NDArray[np.float64], heights: NDArray[np.float64]) -> str:
    """Return what rises from height to height between places, linear between and level outside, (n_rows, 1)."""
    widths = np.diff(places)
    beyond = graph.add("Max", graph.add("Sub", values, graph.constant([places[:-1]])), graph.constant(0.0))
    along = graph.add("Min", beyond, graph.constant([widths]))
    risen = graph.add("MatMul", along, graph.constant((np.diff(heights) / widths)[:, None]))
    return graph.add("Add", risen, graph.constant(heights[0]))


def _category(graph: Graph, encoding: RankedEncoding, column: Categorical) -> tuple[str, str]:
    """Return centered features, (n_rows, n_codes), none of a category not listed, and the sum of their squares."""
    codes = graph.bins(BinEncoding(encoding.schema, (column.name,)), column.name)
    centered = encoding.length_of(column.name) * (np.eye(column.n_codes) - encoding.center_of(column))
    squares = np.append(np.full(column.n_codes, encoding.square_of(column)), 0.0)
    if encoding.is_mark(column):
        # Only that a cell is empty has a feature.
        centered, squares[0] = centered[:, 1:], 0.0
    features = graph.lookup(codes, np.concatenate([centered, np.zeros((1, centered.shape[1]))]))
    return features, graph.lookup(codes, squares[:, None])


def _short(graph: Graph, features: str, factor: str, weights: NDArray[np.float64]) -> str:
    """Return features times the factor, cut to their grid toward zero, times the weights."""
    steps = graph.add("Mul", features, factor)
    whole = graph.add("Mul", graph.add("Floor", graph.add("Abs", steps)), graph.add("Sign", steps))
    return graph.add("MatMul", whole, graph.constant(weights / FEATURE_STEPS))

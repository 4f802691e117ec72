"""The boolean view: which questions there are, what they hold of, and how they read."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.errors import ParameterError
from tacit.features import BinEncoding
from tacit.features.literals import Literal, literals
from tacit.schema import Categorical, Label, Numeric, Schema

SCHEMA = Schema(
    [
        Numeric("age", 0, 100, cuts=[18, 40, 65]),
        Categorical("color", ["red", "green", "blue"], other=True),
        Categorical("sex", ["f", "m"]),
        Categorical("only", ["one"]),
        Numeric("day", "2020-01-01", "2020-12-31", cuts=["2020-07-01"]),
    ],
    label=Label("y", [0, 1]),
)
ENCODING = BinEncoding(SCHEMA, SCHEMA.names)


def ranges(numeric: str, column: str) -> list[tuple[int, int]]:
    return [(one.first, one.last) for one in literals(ENCODING, numeric) if one.column == column]


def test_thresholds_are_the_cuts():
    assert ranges("thresholds", "age") == [(0, 0), (0, 1), (0, 2)]


def test_bins_and_both_hold_no_question_twice():
    assert ranges("bins", "age") == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert ranges("both", "age") == [(0, 0), (0, 1), (0, 2), (1, 1), (2, 2)]
    assert ranges("bins", "day") == ranges("both", "day") == [(0, 0)]


def test_categories_are_asked_one_by_one():
    assert ranges("thresholds", "color") == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert ranges("thresholds", "sex") == [(0, 0)]
    assert ranges("thresholds", "only") == []


@pytest.mark.parametrize("numeric", ["thresholds", "bins", "both"])
def test_no_two_questions_split_the_codes_alike(numeric):
    splits = set()
    found = literals(ENCODING, numeric)
    for one in found:
        bins = ENCODING.n_codes[ENCODING.columns.index(one.column)]
        codes = bins - (0 if isinstance(SCHEMA.column(one.column), Numeric) else 1)
        answers = one.holds(np.arange(codes, dtype=np.uint8))
        assert answers.any() and not answers.all()
        splits.add((one.column, frozenset([tuple(answers), tuple(~answers)])))
    assert len(splits) == len(found)


def test_a_range_holds_its_ends():
    codes = np.arange(5, dtype=np.uint8)
    assert Literal("age", 1, 3).holds(codes).tolist() == [False, True, True, True, False]
    assert Literal("age", 2, 2).holds(codes).tolist() == [False, False, True, False, False]
    assert Literal("age", 0, 1).holds(codes).tolist() == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("literal", "said", "denied"),
    [
        (Literal("age", 0, 1), "age at most 40", "age above 40"),
        (Literal("age", 3, 3), "age above 65", "age at most 65"),
        (Literal("age", 1, 1), "age above 18 and at most 40", "age not above 18 and at most 40"),
        (Literal("color", 1, 1), "color is green", "color is not green"),
        (Literal("color", 3, 3), "color is another value", "color is not another value"),
        (Literal("day", 0, 0), "day at most 2020-07-01", "day above 2020-07-01"),
    ],
)
def test_words(literal, said, denied):
    assert literal.words(ENCODING) == said
    assert literal.words(ENCODING, negated=True) == denied


def test_next_to_zero_a_logarithmic_scale_reads_as_below_or_at_least_zero():
    schema = Schema([Numeric("money", -100, 100, scale="log")], label=Label("y", [0, 1]))
    encoding = BinEncoding(schema, schema.names)
    below = int(np.searchsorted(encoding.cuts[0], -1e-300))  # the cut just below zero
    assert encoding.cuts[0][below + 1] == 0.0
    last = len(encoding.cuts[0])
    for literal, said, denied in (
        (Literal("money", 0, below), "money below 0", "money at least 0"),
        (Literal("money", 0, below + 1), "money at most 0", "money above 0"),
        (Literal("money", below + 1, last), "money at least 0", "money below 0"),
        (Literal("money", below + 1, below + 1), "money is 0", "money is not 0"),
    ):
        assert literal.words(encoding) == said
        assert literal.words(encoding, negated=True) == denied


def test_a_schema_without_a_question_is_refused():
    lonely = Schema([Categorical("only", ["one"])], label=Label("y", [0, 1]))
    with pytest.raises(ParameterError, match="in which rows differ"):
        literals(BinEncoding(lonely, lonely.names))


def test_another_kind_is_refused():
    with pytest.raises(ParameterError, match="thresholds"):
        literals(ENCODING, "intervals")

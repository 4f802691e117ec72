"""Whether a draft takes the column to predict for classes or for a number, and what it says of the latter."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit.errors import SchemaError
from tacit.schema import Label, Numeric, Schema, Target, draft_toml
from tacit.schema.decisions import accepted
from tacit.schema.dictionary import DictionaryEntry, draft_of_dictionary
from tacit.schema.draft import draft_of
from tacit.schema.guesses import reasons

N = 600
AGES = np.arange(N) % 70 + 18.0


def drafted(values, name="y"):
    return draft_of(pl.DataFrame({"age": AGES[: len(values)], name: values}, strict=False), name)


def reason(draft):
    return next(entry.reason for entry in draft.entries if entry.section == "label")


@pytest.mark.parametrize(
    ("values", "name", "kind", "why"),
    [
        ([0, 1] * 300, "y", Label, reasons.TWO_CLASSES),
        ([1.5, 2.5] * 300, "y", Label, reasons.TWO_CLASSES),
        ([1.5, 2.5, 3.0] * 200, "y", Target, reasons.FRACTIONS),
        ([1, 2, 3] * 200, "y", Label, reasons.CODES_TO_PREDICT),
        ([1, 2, 3] * 2, "y", Label, reasons.FEW_TO_PREDICT),
        ([120, 340, 560], "y", Target, reasons.MANY_TO_PREDICT),
        (list(range(20)) * 30, "y", Target, reasons.MANY_TO_PREDICT),
        (list(range(20)) * 30, "site_code", Label, reasons.CODES_TO_PREDICT),
        (list(range(N)), "y", Target, reasons.MANY_TO_PREDICT),
        (["low", "high"] * 300, "y", Label, reasons.CLASSES),
        ([True, False] * 300, "y", Label, reasons.CLASSES),
        ([f"{k},5 €" for k in range(20)] * 30, "y", Target, reasons.FRACTIONS),
    ],
)
def test_numbers_of_many_values_are_a_target_and_the_draft_says_why(values, name, kind, why):
    draft = drafted(values, name)
    assert isinstance(draft.schema.label, kind)
    assert reason(draft) == why
    assert (why in draft.to_toml()) == (why != reasons.CLASSES)


def test_bounds_are_rounded_outward_and_marked_as_guessed_as_those_of_a_column():
    numbers = np.linspace(103.5, 4321.0, N)
    draft = drafted(numbers.tolist())
    column = Schema.from_data(pl.DataFrame({"x": numbers, "y": [0, 1] * 300}), "y").column("x")
    assert isinstance(column, Numeric)
    assert draft.schema.label == Target("y", column.low, column.high)
    assert "y" in draft.schema.guessed
    assert Schema.from_toml(draft.to_toml()) == draft.schema
    assert accepted(draft.schema, ["y"]).guessed == ("age",)


def test_how_numbers_are_written_and_which_are_missing_is_kept():
    values = [f"{k}.250,5 €" for k in range(1, 21)] * 29 + [None] * 19 + ["?"]
    target = drafted(values).schema.target
    assert (target.decimal, target.thousands, target.signs) == (",", ".", ("€",))
    assert target.missing == "drop"
    assert target.missing_codes == ("?",)
    assert drafted([*range(100, 699), None]).schema.target == Target("y", 100, 1000, whole=True, missing="drop")


def test_what_is_inferred_for_a_classifier_has_classes_alone():
    assert Schema.from_data(np.zeros((6, 1)), [10, 20, 30, 40, 50, 60]).classes == (10, 20, 30, 40, 50, 60)


def test_a_number_of_a_dictionary_has_open_bounds_which_are_not_accepted():
    pay = DictionaryEntry("pay", "number", has_missing=True)
    schema = draft_of_dictionary([DictionaryEntry("sex", "number", ("m", "f"), True), pay], "pay").schema
    assert schema.label == Target("pay", missing="drop")
    assert schema.open == ("pay",)
    assert Schema.from_toml(schema.to_toml()) == schema
    with pytest.raises(SchemaError, match="low and high of 'pay'"):
        accepted(schema, ["pay"])


def test_an_infinite_number_is_one_error_without_a_cell():
    with pytest.raises(SchemaError, match="finite numbers"):
        draft_toml(pl.DataFrame({"age": AGES[:3], "y": [1.0, 2.5, float("inf")]}), "y")

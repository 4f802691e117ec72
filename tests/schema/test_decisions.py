"""What a review may decide: from a schema to the next."""

import pytest

from tacit.errors import SchemaError
from tacit.schema import Categorical, Identifier, Label, Numeric, Schema
from tacit.schema.decisions import accepted, left_out, reviewed_toml, with_entry, with_privacy_turned

AGE, SEX, INCOME = Numeric("age", 10, 100), Categorical("sex", ["F", "M"]), Label("income", ["a", "b"])
DRAFT = Schema([AGE, SEX], label=INCOME, guessed=["age", "sex", "income"], ignored={"who": "persons"})


def test_accepted_entries_are_no_longer_guessed():
    assert accepted(DRAFT, ["age", "income"]) == Schema(
        [AGE, SEX], label=INCOME, guessed=["sex"], ignored=DRAFT.ignored
    )


def test_left_out_columns_are_listed_or_not_named():
    named = left_out(DRAFT, ["age"])
    assert named.names == ("sex",) and named.guessed == ("sex", "income")
    assert named.ignored == (("who", "persons"), ("age", "left out in the review"))
    assert left_out(DRAFT, ["age", "who"], reason=None).ignored == ()
    with pytest.raises(SchemaError, match="at least one column"):
        left_out(DRAFT, ["age", "sex"])


def test_an_entry_takes_the_place_of_its_name_and_a_new_one_comes_last():
    assert with_entry(DRAFT, Categorical("age", [1, 2])).columns == (Categorical("age", [1, 2]), SEX)
    used = with_entry(DRAFT, Numeric("who", 0, 1))
    assert used.names == ("age", "sex", "who") and used.ignored == () and used.guessed == DRAFT.guessed
    assert with_entry(DRAFT, Label("income", ["c", "d"])).guessed == ("age", "sex")
    persons = with_entry(DRAFT, Identifier("who"))
    assert persons.identifier == Identifier("who") and persons.ignored == ()
    assert left_out(persons, ["who"]).identifier is None


def test_privacy_is_turned_and_decides_nothing():
    turned = with_privacy_turned(DRAFT, ["sex", "income"])
    assert (turned.private_columns, turned.label.private, turned.guessed) == (("age",), False, DRAFT.guessed)
    assert with_privacy_turned(turned, ["sex", "income"]) == DRAFT


def test_a_number_with_an_indicator_is_decided_with_it():
    weight = Numeric("weight", 0, 300, missing="indicator")
    schema = Schema([weight, SEX], label=INCOME, guessed=["weight"])
    assert left_out(schema, ["weight"]).names == ("sex",)
    assert with_privacy_turned(schema, ["weight"]).public_columns == ("weight", "weight is missing")
    assert with_entry(schema, Numeric("weight", 0, 1)).names == ("weight", "sex")
    assert with_entry(schema, Categorical("sex", ["X"])).inputs == (weight, Categorical("sex", ["X"]))


def test_the_file_says_what_is_left():
    assert (
        reviewed_toml(DRAFT).startswith("# NOT PRIVATE YET: 3 entries")
        and Schema.from_toml(reviewed_toml(DRAFT)) == DRAFT
    )
    assert reviewed_toml(accepted(DRAFT, DRAFT.guessed)).startswith("# Reviewed.\n")

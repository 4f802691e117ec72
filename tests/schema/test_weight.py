"""The schema's weight: TOML, what is refused, and what it leaves as it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tacit import Categorical, Identifier, Label, Numeric, Schema, Weight
from tacit.errors import LedgerError, SchemaError
from tacit.ledger.account import AccountUnit

COLUMNS, LABEL = [Numeric("a", 0, 1), Categorical("c", ["u", "v"])], Label("y", ["no", "yes"])
BASE = Schema(COLUMNS, label=LABEL)


@pytest.mark.parametrize(
    "weight",
    [
        Weight("w", 8),
        Weight("w", 8.5, mean=1.25),
        Weight("w", 3, whole=True, private=False),
        Weight("w", 9, decimal=",", thousands="."),
    ],
    ids=repr,
)
def test_toml_makes_the_equal_schema_again(weight):
    schema = replace(BASE, weight=weight)
    assert Schema.from_toml(schema.to_toml()) == schema
    assert "[weight]" in schema.to_toml() and "private = " in schema.to_toml()
    assert eval(repr(weight), {"Weight": Weight}) == weight
    assert "weight=Weight('w'" in repr(schema)


def test_a_schema_without_one_is_written_as_before():
    assert "weight" not in BASE.to_toml()
    assert "weight" not in repr(BASE)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cap": 0}, "above 0 for cap"),
        ({"cap": float("inf")}, "above 0 for cap"),
        ({"cap": True}, "above 0 for cap"),
        ({"cap": 8, "mean": 9}, "at most the cap"),
        ({"cap": 8, "mean": -1}, "above 0 for mean"),
        ({"cap": 8.5, "whole": True}, "whole number as the cap"),
        ({"cap": 8, "private": "no"}, "true or false for private"),
        ({"cap": 8, "decimal": ";"}, "Expected decimal to be one of"),
        ({"cap": 8, "decimal": ",", "thousands": ","}, "different marks"),
    ],
)
def test_a_field_of_the_wrong_kind_is_refused(given, message):
    with pytest.raises(SchemaError, match=message):
        Weight("w", **given)


@pytest.mark.parametrize("name", ["a", "y", "person"])
def test_a_weight_has_a_name_of_its_own(name):
    with pytest.raises(SchemaError, match="no column, label or identifier"):
        Schema(COLUMNS, label=LABEL, identifier=Identifier("person"), weight=Weight(name, 8))
    with pytest.raises(SchemaError, match="'w' twice"):
        replace(BASE, weight=Weight("w", 8), ignored={"w": "survey"})
    with pytest.raises(SchemaError, match="Write Weight"):
        replace(BASE, weight="w")


@pytest.mark.parametrize("public", ["c", "y"])
def test_beside_a_private_weight_nothing_is_public(public):
    columns = [COLUMNS[0], replace(COLUMNS[1], private=public != "c")]
    label = replace(LABEL, private=public != "y")
    with pytest.raises(SchemaError, match=f"got the public '{public}'"):
        Schema(columns, label=label, weight=Weight("w", 8))
    assert Schema(columns, label=label, weight=Weight("w", 8, private=False)).weight.private is False


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('name = "w"', r"Expected cap in \[weight\]"),
        ('name = "w"\ncap = 8\nfeature = true', "'feature'"),
    ],
)
def test_a_file_says_which_key_is_wrong(lines, message):
    with pytest.raises(SchemaError, match=message):
        Schema.from_toml(f"{BASE.to_toml()}\n[weight]\n{lines}\n")
    with pytest.raises(SchemaError, match="Expected \\[weight\\]"):
        Schema.from_toml(f"weight = 3\n{BASE.to_toml()}")


def test_a_guessed_weight_stays_marked():
    schema = replace(BASE, weight=Weight("w", 8), guessed=["w"])
    assert Schema.from_toml(schema.to_toml()) == schema


def test_an_account_protects_a_weight_unless_it_says_that_it_is_public():
    account = AccountUnit.of(BASE)
    account.check(AccountUnit.of(replace(BASE, weight=Weight("w", 8))))
    with pytest.raises(LedgerError, match="'w' declared public"):
        account.check(AccountUnit.of(replace(BASE, weight=Weight("w", 8, private=False))))

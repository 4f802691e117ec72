"""One entry for columns alike."""

import numpy as np
import polars as pl
import pytest

from harness.messy_tables import N_DRUGS, PERSON, messy_table
from tacit.errors import SchemaError
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.schema.draft import draft_of
from tacit.schema.drafted import entries_of

MAX_DECISIONS = 12
TOML = """
format = 1
[label]
name = "y"
classes = [0, 1]
[[column]]
columns = ["b", "a"]
kind = "categorical"
categories = ["no", "yes"]
private = false
[[column]]
name = "n"
kind = "numeric"
low = 0
high = 1
"""


def test_one_entry_names_several_columns_and_is_written_back_so():
    schema = Schema.from_toml(TOML)
    assert schema.columns == (
        Categorical("b", ["no", "yes"], private=False),
        Categorical("a", ["no", "yes"], private=False),
        Numeric("n", 0, 1),
    )
    text = schema.to_toml()
    assert 'columns = ["b", "a"]' in text
    assert text.count("[[column]]") == 2
    assert Schema.from_toml(text) == schema


def test_guesses_are_of_all_columns_of_an_entry():
    schema = Schema.from_toml(TOML.replace("private = false", "guessed = true"))
    assert schema.guessed == ("b", "a")
    label, alike, alone = entries_of(schema)
    assert (alike.names, alike.guessed, alone.guessed) == (("b", "a"), True, False)
    assert "the same in all" in alike.reason
    assert "of its own" in alike.way
    assert label.names == ("y",)


def test_entries_that_differ_in_anything_are_apart():
    columns = [
        Categorical("a", [0, 1]), Categorical("b", [False, True]), Categorical("c", [False, True], private=False),
        Numeric("d", 0, 1), Numeric("e", 0, 1), Numeric("f", 0, 1, missing=0), Numeric("g", 0, 2),
    ]  # fmt: skip
    schema = Schema(columns, label=Label("y", [0, 1]))
    assert schema.to_toml().count("[[column]]") == 6
    assert Schema.from_toml(schema.to_toml()) == schema
    assert Schema(columns, label=Label("y", [0, 1]), guessed=["d", "e"]).to_toml().count("[[column]]") == 7


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('columns = ["b", "a"]', 'columns = ["b"]\nname = "a"', "name or columns"),
        ('columns = ["b", "a"]', "columns = []", "got none"),
        ('columns = ["b", "a"]', 'columns = "b"', "list for columns"),
        ('columns = ["b", "a"]', 'columns = ["b", 7]', "name of a column"),
        ('columns = ["b", "a"]', 'columns = ["b", "b"]', "twice"),
    ],
)
def test_wrong_groups_are_refused(old, new, message):
    with pytest.raises(SchemaError, match=message):
        Schema.from_toml(TOML.replace(old, new))


def test_a_draft_gathers_columns_of_the_same_or_fewer_categories():
    rows = np.arange(600)
    frame = pl.DataFrame(
        {
            "one": np.asarray(["No", "Up", "Down"])[rows % 3],
            "n": rows * 0.5,
            "two": np.asarray(["No", "Up"])[rows % 2],
            "m": rows * 0.5,
            "other": np.asarray(["No", "Yes"])[rows % 2],
            "y": rows % 2,
        }
    )
    draft = draft_of(frame, "y")
    assert [each.names for each in draft.entries] == [("y",), ("one", "two"), ("n",), ("m",), ("other",)]
    assert draft.schema.column("two") == Categorical("two", ["Down", "No", "Up"], other=True)
    assert Schema.from_toml(draft.to_toml()) == draft.schema
    assert Schema.from_data(frame, "y").names == ("one", "n", "two", "m", "other")


def test_the_messy_table_takes_a_dozen_decisions():
    """A decision is an entry that is still a guess: the label, the identifier, a column, or columns that share one."""
    messy = messy_table(20_000, seed=3)
    draft = draft_of(messy.frame.with_columns(messy.labels), messy.labels.name)
    assert sum(entry.guessed for entry in draft.entries) == MAX_DECISIONS
    assert draft.to_toml().count("\nguessed = true") == MAX_DECISIONS
    assert draft.schema.identifier.name == PERSON
    assert [len(entry.names) for entry in draft.entries if len(entry.names) > 1] == [N_DRUGS]
    assert {name for name, _ in draft.schema.ignored} == {"always one", "site"}

"""A draft entry by entry: what a review shows."""

import polars as pl

from tacit.schema import Categorical, Identifier, Label, Numeric, Schema
from tacit.schema.draft import draft_of
from tacit.schema.drafted import entries_of

FRAME = pl.DataFrame({"age": [17, 64, None], "sex": ["F", "M", "F"], "id": [7, 8, 9], "income": ["low", "high", "low"]})


def _joined(entries):
    """Entries as one file: each header of a left-out column once."""
    return "format = 1\n" + "\n".join(each.toml for each in entries)


def test_entries_follow_the_file_and_read_as_the_schema():
    draft = draft_of(FRAME, "income")
    found = [(each.section, each.kind, each.names, each.guessed) for each in draft.entries]
    assert found == [
        ("label", "label", ("income",), True),
        ("private", "numeric", ("age",), True),
        ("private", "categorical", ("sex",), True),
        ("left out", "left out", ("id",), False),
    ]
    assert Schema.from_toml(_joined(draft.entries)) == draft.schema == Schema.from_data(FRAME, "income")


def test_a_reviewed_schema_has_public_entries_and_an_identifier():
    schema = Schema(
        [Numeric("age", 0, 100, private=False), Categorical("sex", ["F", "M"])],
        label=Label("income", ["high", "low"]),
        identifier=Identifier("who", rows=2),
    )
    entries = entries_of(schema, {"age": "because"})
    assert [each.section for each in entries] == ["identifier", "label", "public", "private"]
    assert [each.name for each in entries if each.reason == "because"] == ["age"]
    assert Schema.from_toml(_joined(entries)) == schema


def test_only_the_toml_shows_what_was_read_off_rows():
    for each in draft_of(FRAME, "income").entries:
        said = each.reason + each.way + each.publishes
        assert all(said) and not any(cell in said for cell in ("17", "64", "low ", "high"))
        assert each.way.endswith(".")

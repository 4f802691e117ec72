"""A draft entry by entry: what a review shows."""

import re

import polars as pl

from tacit.schema import Categorical, Identifier, Label, Numeric, Schema
from tacit.schema.decisions import reviewed_toml
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


def test_a_reason_is_published_and_holds_no_advice():
    days = [f"2020-01-{k % 28 + 1:02d}" for k in range(1200)]
    left_out = {
        "moments": [f"{day} 10:00Z" for day in days],
        "dates": [f"{k % 12 + 1}/01/2020" for k in range(1200)],
        "thousands": [f"{k:,}" for k in range(1000, 2200)],
        "units": [f"{k} {'kg' if k % 2 else 'g'}" for k in range(1200)],
        "spelled": [str(k) for k in range(1200)],
        "codes": [f"V{k // 2}.1" for k in range(1200)],
        "constant": ["one"] * 1200,
        "empty": [None] * 1200,
    }
    rows = pl.DataFrame(left_out | {"age": range(1200), "y": [0, 1] * 600})
    draft = draft_of(rows, "y")
    ignored = {each.name: each for each in draft.entries if each.kind == "left out"}
    assert ignored.keys() >= left_out.keys() - {"codes"}
    advice = re.compile(r"\b(write|make|take|check|list|if|then|name it|change|delete)\b", re.IGNORECASE)
    published = Schema.from_toml(reviewed_toml(draft.schema)).ignored
    assert {name for name, _ in published} == ignored.keys()
    assert not [reason for _, reason in published if advice.search(reason)]
    # The draft still says what to do, as a comment, and the review beside the reason.
    text = draft.to_toml()
    assert all(each.way.endswith(".") for each in ignored.values())
    assert "# Write the day alone" in text and Schema.from_toml(text) == draft.schema


def test_only_the_toml_shows_what_was_read_off_rows():
    for each in draft_of(FRAME, "income").entries:
        said = each.reason + each.way
        assert said and not any(cell in said for cell in ("17", "64", "low ", "high"))
        assert each.way.endswith(".")

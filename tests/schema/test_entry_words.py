"""What is said of an entry as it is, and that every field of a schema has its place in a review."""

from __future__ import annotations

from dataclasses import fields

import pytest

from harness.review_answers import TYPED
from tacit.schema import Categorical, FileFormat, Identifier, Label, Numeric, Schema, Target
from tacit.schema.drafted import entries_of, table_entry
from tacit.schema.entry_fields import FIELDS
from tacit.schema.entry_words import is_accepted_alone, lacks

# What no person types: names are the columns', marks follow from decisions, and the rest is made by the schema.
UNTYPED = {
    "numeric": {"name", "from_table"},
    "categorical": {"name", "indicates", "from_table"},
    "label": {"name", "listed"},
    "target": {"name", "cuts", "dates", "date_part", "from_table"},
    "identifier": {"name"},
    "table": {
        "columns",
        "label",
        "ignored",
        "guessed",
        "identifier",
        "learned",
        "file",
        "delta",
        "tables",
        "group_columns",
        "weight",
    },
}
CLASSES = {
    "numeric": Numeric,
    "categorical": Categorical,
    "label": Label,
    "target": Target,
    "identifier": Identifier,
    "table": Schema,
}


@pytest.mark.parametrize("kind", CLASSES)
def test_every_field_of_a_schema_can_be_said_in_a_review(kind):
    declared = {field.name for field in fields(CLASSES[kind])} - UNTYPED[kind]
    if kind == "table":
        declared |= {f"file.{field.name}" for field in fields(FileFormat)} | {"privacy.delta"}
    assert declared <= {field.name for field in FIELDS[kind]}
    typed = {field.name for field in FIELDS[kind] if field.editor != "kept"} - {"private"}
    assert typed == {name for of, name in TYPED if of == kind}, "tests go through each"


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (
            Numeric("x", 0, 9.5, center=3, cuts=[1, 2], scale="log", missing="indicator", missing_codes=["N", -9]),
            "the column's name; its low bound 0; its high bound 9.5; that an empty cell is a category of its own; the "
            "codes of a missing cell (2): N, -9; its center 3; the cut points (2): 1, 2; that its scale is logarithmic",
        ),
        (
            Numeric("x", "2000-01-31", "2001-01-31", missing="2000-02-01", dates="%d.%m.%Y", private=False),
            "the column's name; its low bound 2000-01-31; its high bound 2001-01-31; that an empty cell counts as "
            "2000-02-01; how its dates are written, %d.%m.%Y; that everybody may know it of every single person",
        ),
        (
            Categorical("x", [*"abcdefg"], other=True, missing="?", match="prefix"),
            "the column's name; each category listed (7); that what is not listed counts as one more; that these are "
            "beginnings of cells; that an empty cell counts as ?",
        ),
        (Categorical("x", [False, True], center=True), "the column's name; each category listed (2): false, true; its "
            "typical category true"),
        (Categorical("x", ["f", "m"], feature=False), "the column's name; each category listed (2): f, m; that rows "
            "are counted by it, and that no model reads it"),
        (Categorical("x", buckets=8, salt="s"), "the column's name; the number of its buckets, 8, and no value of it; "
            "its salt s"),
        (
            Label("y", ["a", "b", "c"], positive=["c"], prevalence=[0.9, 0.1]),
            "the label's name; each class listed (3): a, b, c; which of them are one class together (1): c; the share "
            "of each class (2): 0.9, 0.1",
        ),
        (Identifier("who"), "the column's name; that its values say which rows are of one person, and none of them; "
            "that each person has weight one"),
        (Identifier(["who", "at"], rows=3), "the columns' names; that their values together say which rows are of one "
            "person, and none of them; that at most 3 rows of a person are read"),
    ],
)  # fmt: skip
def test_what_is_published_is_said_of_the_entry_as_it_is(schema, said):
    own = {"label": schema} if isinstance(schema, Label) else {"label": Label("y", [0, 1])}
    own |= {"identifier": schema} if isinstance(schema, Identifier) else {}
    columns = [*([schema] if isinstance(schema, Numeric | Categorical) else []), Numeric("n", 0, 1)]
    found = {entry.names: entry for entry in entries_of(Schema(columns, **own))}
    assert found[getattr(schema, "names", (schema.name,))].publishes == said


def test_what_is_said_of_columns_that_share_an_entry_and_of_the_table():
    alike = [Categorical(name, ["no", "yes"]) for name in "ab"]
    schema = Schema(alike, label=Label("y", [0, 1]), rows_per_person=3, ignored={"z": "why"}, file=FileFormat("cp1252"))
    _, shared, left_out = entries_of(schema)
    assert shared.publishes == "the columns' names; of each; each category listed (2): no, yes"
    assert shared.reason == "a column of few different values, the same in all of these columns"
    assert left_out.publishes == "the column's name; this reason" and left_out.reason == "why"
    whole = table_entry(schema)
    assert whole.publishes == "the most rows that one person has, 3; the encoding of its files, cp1252"
    assert (
        Schema.from_toml(f"format = 1\n{whole.toml}\n" + shared.toml + entries_of(schema)[0].toml).file == schema.file
    )


@pytest.mark.parametrize(
    "texts",
    [
        ["Anna Meier", "x"], ["Meier, Anna"], ["0171-2345678"], ["+49 30 901820"], ["a\nb"], ["(030) 12 34 56"],
        ["averyverylongwordindeed"], ["came back after two days"], ["fell\u00a0ill"], ["a@example.org.example.com"],
    ],
)  # fmt: skip
def test_texts_that_may_name_somebody_are_accepted_by_themselves(texts):
    for pairs in ({"categories": texts}, {"categories": ["a"], "missing": texts[0]}, {"replace": {texts[0]: "a"}}):
        assert is_accepted_alone("categorical", pairs)
    assert is_accepted_alone("label", {"classes": texts}) and is_accepted_alone("numeric", {"missing_codes": texts})


def test_codes_and_words_are_accepted_with_others():
    for texts in (["Never-married", "<=50K"], ["I21.4", "E11"], ["female", "männlich"], ["12345"], [True], [123456789]):
        assert not is_accepted_alone("categorical", {"categories": texts, "missing": texts[0]})
    assert not is_accepted_alone("numeric", {"dates": "%d.%m.%Y %H:%M", "low": 1000000, "high": 2000000})


def test_an_entry_that_lacks_bounds_says_so():
    assert [field.name for field in lacks("numeric", {"name": "x", "high": 3})] == ["low"]
    assert lacks("label", {"classes": [0, 1]}) == lacks("categorical", {"buckets": 3}) == []

"""Side tables in a schema: written, read back, and refused where they contradict themselves or the columns."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path

import pytest

from harness.side_tables import VISITS, schema_of
from tacit.errors import SchemaError
from tacit.models.document import as_plain, canonical, validated
from tacit.schema import Categorical, Feature, Identifier, Label, Numeric, Schema, SideTable

SCHEMA = schema_of()
TABLE = SideTable("t", [Numeric("x", 0, 9), Categorical("c", ["a", "b"]), Numeric("d", "2000-01-01", "2009-12-31")],
                  key="k", date="d")  # fmt: skip


def schema(column, table=TABLE, *others, **given):
    return Schema([column, *others], label=Label("y", [0, 1]), tables=[table], **given)


def number(take, *of, **given):
    return Numeric("f", 0, 9, **{"missing": 0} | given, from_table=Feature("t", take, *of))


@pytest.mark.parametrize("table", [
    VISITS, replace(VISITS, as_of=dt.date(2015, 1, 1), file="v.csv"), replace(VISITS, main_key="id", days=None),
])  # fmt: skip
def test_a_schema_makes_the_equal_one_as_toml_and_as_json(table):
    made = schema_of(table)
    assert Schema.from_toml(made.to_toml()) == made
    assert validated(Schema, canonical(as_plain(made))) == made
    scope = {"Schema": Schema, "Numeric": Numeric, "Categorical": Categorical, "Feature": Feature, "Label": Label}
    assert eval(repr(made), scope | {"SideTable": SideTable, "datetime": dt}) == made


def test_two_schemas_differ_where_a_definition_does():
    column = number("max", "x")
    assert schema(column) != schema(replace(column, from_table=Feature("t", "min", "x")))
    assert schema(column) != schema(column, replace(TABLE, key="other"))


def test_a_schema_file_is_read_from_its_own_folder(tmp_path, monkeypatch):
    (tmp_path / "s.toml").write_text(schema(number("count"), replace(TABLE, file="t.csv")).to_toml())
    assert Path(Schema.from_toml(tmp_path / "s.toml").tables[0].file) == tmp_path / "t.csv"
    monkeypatch.chdir(tmp_path)
    assert Schema.from_toml("s.toml").tables[0].file == "t.csv"


def test_a_feature_that_is_public_is_refused():
    with pytest.raises(SchemaError, match="Expected a private column 'f'"):
        number("count", private=False)
    with pytest.raises(SchemaError, match="Expected a private column 'f'"):
        Categorical("f", [False, True], private=False, from_table=Feature("t", "any"))
    with pytest.raises(SchemaError, match="Expected a private column"):
        SCHEMA.with_private([])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("t", "median", "x"), "take to be one of count, any"),
        (("t", "mean"), "Expected of with take='mean'"),
        (("t", "share", "c"), "Expected value with take='share'"),
        (("t", "mean", "x", 3), "Expected value, a category"),
        (("", "count"), "Expected the name of a side table"),
    ],
)
def test_a_feature_says_what_it_needs(given, said):
    with pytest.raises(SchemaError, match=said):
        Feature(*given)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: schema(Numeric("f", 0, 9, from_table=Feature("v", "count"))), "Did you mean|Use one of 't'"),
        (lambda: schema(number("mean", "z")), "In side table 't': Expected the name of a column, got name='z'"),
        (lambda: schema(number("mean", "c")), "Expected numbers or dates"),
        (lambda: schema(number("sum", "d")), "of which there is no sum"),
        (lambda: schema(number("latest", "d")), "Expected dates as bounds"),
        (lambda: schema(number("share", "c", "z")), "among the categories of 'c'"),
        (lambda: schema(number("mean", "x", missing=None)), "Expected missing for"),
        (lambda: schema(number("max", "x", decimal=",")), "no fields about how cells are written"),
        (lambda: schema(number("latest", "x"), replace(TABLE, date=None)), "Expected a date of the side table"),
        (lambda: schema(number("span"), replace(TABLE, date=None)), "Expected of for"),
        (lambda: schema(Categorical("f", ["a"], missing="a", from_table=Feature("t", "first", "c"))), "the categories"),
        (lambda: schema(Categorical("f", ["a"], from_table=Feature("t", "count"))), "Expected a numeric column"),
        (lambda: schema(number("count"), TABLE, identifier=Identifier("k")), "one row of each person"),
        (lambda: schema(number("count"), TABLE, rows_per_person=2), "one row of each person"),
        (lambda: schema(number("count"), TABLE, Numeric("k", 0, 1)), "neither a column nor the label, got 'k'"),
        (lambda: schema(number("count"), TABLE, Numeric("f", 0, 1)), "got column 'f' twice"),
        (lambda: schema(number("count"), replace(TABLE, as_of="admitted")), "a column of the main table with dates"),
        (lambda: Schema([Numeric("a", 0, 1)], label=Label("y", [0, 1]), tables=[TABLE, TABLE]), "got 't' twice"),
        (lambda: replace(TABLE, as_of="2011-01-01"), "within the bounds of column 'd'"),
        (lambda: replace(TABLE, days=3), "Expected as_of with days"),
        (lambda: replace(TABLE, as_of="2005-01-01", days=0), "a whole number from 1"),
        (lambda: replace(TABLE, date=None, as_of="2005-01-01"), "Expected date with as_of"),
        (lambda: replace(TABLE, date="x"), "a column with dates as bounds"),
        (lambda: replace(TABLE, key="x"), "a key of side table 't' that is no column"),
        (lambda: SideTable("t", [Numeric("x", 0, 1, private=False)], key="k"), "private as all of it is"),
        (lambda: SideTable("t", [Numeric("x")], key="k"), "got open bounds"),
    ],
)  # fmt: skip
def test_what_contradicts_itself_is_refused(made, said):
    with pytest.raises(SchemaError, match=said):
        made()


@pytest.mark.parametrize(
    ("line", "by", "said"),
    [
        ('key = "person"', "", "Expected key in [[table]] number 1"),
        ('key = "person"', 'key = "person"\nquery = "select"', "Expected only known keys in [[table]] number 1, got"),
        ('take = "count"}', 'take = "count", by = 1}', "Expected table, take, of, value under from of column 'n'"),
        ("[[table]]", "[table]", "Expected [[table]] entries"),
    ],
)  # fmt: skip
def test_a_file_with_something_else_is_refused(line, by, said):
    text = SCHEMA.to_toml().replace(line, by, 1)
    with pytest.raises(SchemaError) as error:
        Schema.from_toml(text)
    assert said in str(error.value) or "TOML" in str(error.value)


def test_columns_of_a_side_table_have_no_marks_of_the_schema():
    text = SCHEMA.to_toml().replace('name = "cost"\n', 'name = "cost"\nguessed = true\n', 1)
    with pytest.raises(SchemaError, match="Expected no guessed in a column of"):
        Schema.from_toml(text)


def test_a_model_does_not_tell_where_tables_were():
    made = schema_of(replace(VISITS, file="/home/somebody/visits.csv")).without_persons()
    assert made.tables[0].file is None
    assert made == SCHEMA

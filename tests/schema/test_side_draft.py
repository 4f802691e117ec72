"""What a draft proposes of side tables, and how it is decided: keys, features, guesses that void certificates."""

import datetime as dt

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit import Feature, NaiveBayesClassifier, Numeric, Schema
from tacit.cli.app import app
from tacit.errors import SchemaError
from tacit.schema.decisions import accepted, left_out
from tacit.schema.draft import SideFrame, draft_of, draft_toml
from tacit.schema.drafted import entries_of, n_undecided
from tacit.schema.side_features import without_tables

PERSONS = pl.DataFrame(
    {"person": [f"P{at:04}" for at in range(60)], "age": [20 + at % 40 for at in range(60)], "ill": ["yes", "no"] * 30}
)
VISITS = pl.DataFrame(
    {
        "visit_id": range(400),
        "patient": [f"P{at % 63:04}" for at in range(400)],
        "cost": [10.5 + at % 89 for at in range(400)],
        "ward": (["heart"] * 3 + ["lung"]) * 100,
        "urgent": [True, False] * 200,
        "day": [dt.date(2015, 1, 1) + dt.timedelta(days=5 * at) for at in range(400)],
    }
)
GIVEN = {"visits": SideFrame(VISITS, "visits.parquet")}
MARK = "[[table]] visits"


@pytest.fixture(scope="module")
def draft():
    return draft_of(PERSONS, "ill", tables=GIVEN)


def test_keys_by_cells_and_features_by_kind(draft):
    [table] = draft.schema.tables
    assert (table.key, table.main_key, table.date, table.file) == ("patient", "person", "day", "visits.parquet")
    assert [column.name for column in table.columns] == ["cost", "ward", "urgent", "day"]
    assert all(column.missing is None for column in table.columns)
    features = {column.name: column.from_table for column in draft.schema.inputs if column.from_table}
    assert features == {
        "visits count": Feature("visits", "count"),
        "visits cost latest": Feature("visits", "latest", "cost"),
        "visits cost mean": Feature("visits", "mean", "cost"),
        "visits ward latest": Feature("visits", "latest", "ward"),
        "visits ward share": Feature("visits", "share", "ward", "heart"),
        "visits urgent share": Feature("visits", "share", "urgent", True),
    }
    # 400 rows of 63 keys are seven rows each at most; bounds are rounded outward.
    assert draft.schema.column("visits count") == Numeric(
        "visits count", 0, 10, whole=True, from_table=Feature("visits", "count")
    )
    cost = table.column("cost")
    assert (cost.low, cost.high) == (10, 100)
    latest = draft.schema.column("visits cost latest")
    assert (latest.low, latest.high) == (10, 100)


def test_a_column_of_the_same_name_is_the_key_though_another_has_more_cells_in_common():
    persons = PERSONS.with_columns(person=pl.int_range(60))
    visits = pl.DataFrame({"age group": [at % 60 for at in range(300)], "person": [at % 7 for at in range(300)]})
    [table] = draft_of(persons, "ill", tables={"visits": SideFrame(visits)}).schema.tables
    assert (table.key, table.main_key, table.date) == ("person", None, None)


def test_of_columns_without_a_name_of_persons_the_key_has_most_values():
    persons = PERSONS.rename({"person": "a"}).with_columns(a=pl.int_range(60))
    visits = pl.DataFrame({"b": [at % 7 for at in range(300)], "c": [at % 60 for at in range(300)]})
    assert draft_of(persons, "ill", tables={"visits": SideFrame(visits)}).schema.tables[0].key == "c"


@pytest.mark.parametrize("change", ["other keys", "keys twice"])
def test_without_a_key_there_is_one_error(change):
    visits = VISITS.with_columns(patient=pl.lit("X") + pl.col("patient")) if change == "other keys" else VISITS
    persons = PERSONS if change == "other keys" else PERSONS.with_columns(person=pl.col("person").str.head(4))
    with pytest.raises(SchemaError, match="Expected a key in side table 'visits'"):
        draft_of(persons, "ill", tables={"visits": SideFrame(visits)})


def test_a_main_table_of_keys_and_a_label_has_features_alone():
    found = draft_of(PERSONS.drop("age"), "ill", tables=GIVEN).schema
    assert all(column.from_table for column in found.inputs)


def test_the_text_reads_as_the_draft_and_every_part_of_it_is_a_guess(draft):
    text = draft_toml(PERSONS, "ill", tables=GIVEN)
    read = Schema.from_toml(text)
    assert read == draft.schema
    assert read.guessed == (*read.input_names, "ill", MARK)
    assert text.count("guessed = true") == len(read.guessed) + 1  # and in its first lines
    assert Schema.from_toml(read.to_toml()) == read
    assert "not read: 'visit_id'" in text and "P00" not in text


@pytest.mark.filterwarnings("ignore::tacit.PrivacyWarning")
def test_a_guessed_side_table_voids_the_certificate(draft):
    rest = accepted(draft.schema, [*draft.schema.input_names, "ill"])
    assert rest.guessed == (MARK,) and n_undecided(rest) == 1
    for schema, status in ((rest, "void"), (accepted(rest, [MARK]), "private")):
        fit = NaiveBayesClassifier(schema, epsilon=1.0, ledger="none")
        fitted = fit.fit(PERSONS, np.asarray(PERSONS["ill"]), tables={"visits": VISITS})
        assert fitted.privacy_.status == status
    assert without_tables(rest).guessed == ()


def test_a_side_table_is_left_out_with_its_features(draft):
    found = left_out(draft.schema, [MARK])
    assert (found.input_names, found.tables, found.guessed) == (("age",), (), ("age", "ill"))
    assert dict(found.ignored) == dict(draft.schema.ignored)


def test_a_side_table_is_an_entry_that_is_decided_by_itself(draft):
    entry = next(each for each in entries_of(draft.schema) if each.kind == "side table")
    assert (entry.name, entry.guessed, entry.is_accepted_alone) == (MARK, True, True)
    assert entry.toml.startswith("[[table]]") and entry.toml.count("[[table.column]]") == 4
    assert "bounds" in entry.publishes and "as_of" in entry.way


@pytest.fixture
def files(tmp_path):
    (tmp_path / "inner").mkdir()
    PERSONS.write_csv(tmp_path / "persons.csv")
    VISITS.write_parquet(tmp_path / "visits.parquet")
    return tmp_path


def run(*words, answers=()):
    return CliRunner().invoke(app, [*map(str, words)], input="".join(f"{each}\n" for each in answers))


def test_the_command_drafts_and_a_review_decides(files, monkeypatch):
    monkeypatch.chdir(files)
    done = run("schema", "draft", "persons.csv", "-l", "ill", "--table", "visits=visits.parquet", "-o", "inner/s.toml")
    assert done.exit_code == 0, done.output
    assert 'file = "../visits.parquet"' in (files / "inner/s.toml").read_text()
    review = ("schema", "review", "persons.csv", "inner/s.toml")
    # The label, age; the count gets other bounds and stays a count; then five features, and the table.
    said = run(*review, answers=["a", "a", "c", "", "0", "30", "none", *"aaaaa", "a", ""])
    assert "side table; 1 left" in said.output and "Everything is decided" in said.output
    found = Schema.from_toml(files / "inner/s.toml")
    assert found.guessed == () and found.column("visits count").from_table == Feature("visits", "count")
    assert 'file = "../visits.parquet"' in (files / "inner/s.toml").read_text()
    assert "Every row of the table fits" in run("schema", "check", "inner/s.toml", "--table", "persons.csv").output


def test_a_dictionary_has_no_side_tables(files):
    given = ("schema", "draft", files / "persons.csv", "-l", "ill", "--table", "visits=v.csv", "--dictionary")
    done = run(*given)
    assert done.exit_code == 1 and "Expected --table without --dictionary" in done.output

"""Persons named by several columns together: joined without confusion, through every door, in every record."""

from __future__ import annotations

import json
from itertools import islice

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import AutoClassifier, Identifier, Label, NaiveBayesClassifier, Numeric, PaidSearch, Schema, evaluate
from tacit.audit.person_pairs import person_pairs
from tacit.audit.replay import replay_pair
from tacit.audit.units import pairs_of_unit
from tacit.errors import LedgerError, ParameterError, SchemaError, TableError
from tacit.estimators.beforehand import made_up
from tacit.ledger import Account, AccountUnit, Ledger
from tacit.models import from_json, to_json
from tacit.models.document import as_plain, validated
from tacit.privacy import Budget, Guarantee, Persons
from tacit.schema.decisions import accepted, left_out, with_entry
from tacit.schema.drafted import entries_of, n_undecided
from tacit.study.refusals import refusals
from tacit.table import Table
from tacit.table.persons import joined_identifiers
from tacit.table.rows import read_persons
from tacit.table.sources import opened_source, read_source

LABEL = Label("y", ["no", "yes"])
TWO = Identifier(["household", "number"])
SCHEMA = Schema([Numeric("a", 0, 16)], label=LABEL, identifier=TWO)
ALONE = Schema([Numeric("a", 0, 16)], label=LABEL, identifier=Identifier("who"))

TEXTS = st.text(alphabet="01:| \\\"'a\0é", max_size=5)


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=2, max_size=2))
def test_different_parts_are_different_persons_and_equal_ones_the_same(rows):
    """Whatever sign stands between parts in a text, a part may hold it as well."""
    one, other = joined_identifiers(list(zip(*rows, strict=True)))
    assert (one == other) == (rows[0] == rows[1])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("1", "23"), ("12", "3")), (("a|b", "c"), ("a", "b|c")), (("a b", "c"), ("a", "b c")),
        (("1:1", "2"), ("1", "1:2")), (("1 1:2", "3"), ("1", "2 1:3")), (("a,b", "c"), ("a", "b,c")),
        (("a\0b", "c"), ("a", "b\0c")), (("12", "3"), ("3", "12")), (("é", "e"), ("e", "é")),
    ],
)  # fmt: skip
def test_pairs_that_run_together_are_two_persons(one, other):
    frame = pl.DataFrame({"household": [one[0], other[0]], "number": [one[1], other[1]], "a": [1.0, 2.0]})
    assert Table.from_frame(frame, ["no", "yes"], SCHEMA).n_persons == 2


def frame(seed=0, n_persons=120, rows_each=3):
    """Return rows of people in households of up to four, whose two names together are ``who``, in one text."""
    generator = np.random.default_rng(seed)
    person = generator.permutation(np.repeat(np.arange(n_persons), rows_each))
    a = generator.uniform(0, 16, len(person))
    return pl.DataFrame(
        {
            "household": person // 4 + 1,
            "number": [f"0{number % 4}" for number in person],
            "who": [f"{number // 4 + 1}-0{number % 4}" for number in person],
            "a": a,
            "y": np.where(a > 8, "yes", "no"),
        }
    )


def persons_of(table):
    """Return which rows are of one person, as the person of each row by first appearance."""
    found = table.gather(lambda block: block.members.person)
    first = {number: place for place, number in reversed(list(enumerate(found.tolist())))}
    return [first[number] for number in found.tolist()]


def same(given, **more):
    assert persons_of(read_source(opened_source(given), SCHEMA, **more)) == WANTED


WANTED = persons_of(Table.from_frame(frame(), frame()["y"], ALONE))


def test_frames_of_every_library_and_lazy_ones_have_the_same_persons():
    rows = frame()
    whole = rows.with_columns(pl.col("household").cast(pl.String))
    cells = rows.to_pandas().astype({"household": object})
    for each in (rows, whole, rows.lazy(), rows.to_arrow(), rows.to_pandas(), cells, rows.with_columns(
        pl.col("number").cast(pl.Categorical))):  # fmt: skip
        assert persons_of(Table.from_frame(each, rows["y"], SCHEMA)) == WANTED


@pytest.mark.parametrize("place", ["memory", "disk"])
def test_files_folders_and_queries_have_the_same_persons(tmp_path, place):
    rows = frame()
    rows.write_csv(tmp_path / "t.csv")
    rows.write_parquet(tmp_path / "t.parquet")
    (tmp_path / "parts").mkdir()
    for at, part in enumerate(rows.iter_slices(100)):
        part.write_parquet(tmp_path / "parts" / f"{at}.parquet")
    for each in (tmp_path / "t.csv", tmp_path / "t.parquet", tmp_path / "parts", rows.lazy()):
        same(each, place=place)


@given(
    st.lists(
        st.tuples(st.sampled_from([7, "7", "007", "7 ", 70]), st.sampled_from([1, "1", "01", "11"])),
        min_size=1, max_size=9,
    )
)  # fmt: skip
def test_each_part_goes_by_value_as_it_does_alone(rows):
    """7 and "7" are one person's, "007" and "7 " another's; in each column, and in both together."""
    cells = pd.DataFrame({"household": [row[0] for row in rows], "number": [row[1] for row in rows]}, dtype=object)
    found = read_persons(cells, SCHEMA).person.tolist()
    alone = [
        read_persons(cells, Schema(SCHEMA.columns, label=LABEL, identifier=Identifier(name))).person.tolist()
        for name in ("household", "number")
    ]
    both = list(zip(*alone, strict=True))
    assert [found.index(each) for each in found] == [both.index(each) for each in both]


@pytest.mark.parametrize("cell", [None, "", " ", "NA", float("nan"), "null", "?", b"7", 1.5])
@pytest.mark.parametrize("name", ["household", "number"])
def test_a_missing_part_is_refused_as_a_missing_identifier_is(name, cell):
    cells = {"household": ["SECRET", "b"], "number": [1, 2], "a": [1.0, 2.0]}
    cells[name] = [cells[name][0], cell]
    with pytest.raises(TableError, match=f"identifier '{name}'") as caught:
        Table.from_frame(pd.DataFrame(cells, dtype=object), ["no", "yes"], SCHEMA, on_invalid="coerce")
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("left_out", ["household", "number"])
def test_a_column_that_is_not_there_is_named_before_anything_is_charged(tmp_path, left_out):
    book = Ledger(tmp_path / "l.db")
    book.open(Account.of("l", Budget(1.0), AccountUnit.of(SCHEMA)))
    rows = frame().drop(left_out)
    with pytest.raises(TableError, match=f"'{left_out}'"):
        NaiveBayesClassifier(SCHEMA, epsilon=1.0, ledger=tmp_path / "l.db").fit(rows, rows["y"])
    assert book.balance("l").spent == 0


# Schemas, and what they are written as.


def test_an_identifier_says_its_columns():
    assert (TWO.names, TWO.name, Identifier("who").names) == (
        ("household", "number"),
        ("household", "number"),
        ("who",),
    )
    assert repr(TWO) == "Identifier(['household', 'number'])" and eval(repr(TWO)) == TWO
    assert repr(Identifier("who", rows=3)) == "Identifier('who', rows=3)"
    assert Identifier(["who"]) == Identifier(("who",)) == Identifier("who")
    assert Identifier(pd.Index(["a", "b"])).name == ("a", "b")


@pytest.mark.parametrize(
    "names", [[], ["a", "a"], ["a", ""], ["a", 3], {"a", "b"}, {"a": 1}, b"ab", [["a"], "b"], None]
)
def test_names_that_name_nobody_are_refused(names):
    with pytest.raises(SchemaError, match="identifier"):
        Identifier(names)


@pytest.mark.parametrize("taken", ["a", "y"])
def test_no_part_is_a_column_or_the_label(taken):
    with pytest.raises(SchemaError, match=f"got identifier '{taken}'"):
        Schema(SCHEMA.columns, label=LABEL, identifier=Identifier(["household", taken]))


@pytest.mark.parametrize("schema", [
    SCHEMA, ALONE, Schema(SCHEMA.columns, label=LABEL, identifier=Identifier(["x", "y z", '"'], rows=2)),
    Schema(SCHEMA.columns, label=LABEL, identifier=TWO, guessed=["number", "a"]),
])  # fmt: skip
def test_schemas_come_back_from_toml_and_json(schema):
    assert Schema.from_toml(schema.to_toml()) == schema
    assert validated(Schema, json.dumps(as_plain(schema))) == schema


def test_the_file_writes_columns_of_several_and_a_name_of_one():
    assert '[identifier]\ncolumns = ["household", "number"]\nrows = "mean"\n' in SCHEMA.to_toml()
    assert '[identifier]\nname = "who"\nrows = "mean"\n' in ALONE.to_toml()


@pytest.mark.parametrize("lines", [
    "", 'name = "a"\ncolumns = ["b", "c"]', 'name = ["b", "c"]', 'columns = "b"', "columns = []",
    'columns = ["b", "b"]',
])  # fmt: skip
def test_other_entries_are_refused(lines):
    text = ALONE.to_toml().replace('name = "who"\n', f"{lines}\n")
    with pytest.raises(SchemaError, match=r"identifier"):
        Schema.from_toml(text)


def test_an_entry_of_several_columns_is_one_decision():
    draft = Schema(SCHEMA.columns, label=LABEL, identifier=TWO, guessed=["household"])
    assert draft.guessed == ("household", "number") and n_undecided(draft) == 1
    entry = entries_of(draft)[0]
    assert (entry.section, entry.names, entry.guessed) == ("identifier", ("household", "number"), True)
    assert entry.toml == '[identifier]\ncolumns = ["household", "number"]\nrows = "mean"\nguessed = true\n'
    assert "same in all" not in entry.reason
    assert accepted(draft, entry.names).guessed == ()
    out = left_out(draft, entry.names)
    assert out.identifier is None and [name for name, _ in out.ignored] == ["household", "number"]
    back = with_entry(out, TWO)
    assert back.identifier == TWO and back.ignored == ()
    assert draft.without_persons().guessed == ()


# What is published, and what is charged.


def test_the_certificate_names_the_columns_and_comes_back():
    rows = frame()
    # Noise decides how far log-odds move, so that calibration would scale its noise by fit.
    model = NaiveBayesClassifier(SCHEMA, epsilon=1.0, calibration=0).fit(rows, rows["y"]).model_
    text = " ".join(str(model.guarantee).split())
    whom = "all rows of one person, as 'household' and 'number' together name them, which together count as one row"
    assert f"every person with all rows of that person: {whom}" in text
    assert "Rows of one person, and of no other, have the same 'household' and 'number'" in text
    assert "Persons: 120; this number is public." in text
    assert model.guarantee.persons == Persons(("household", "number"), "mean")
    read = from_json(to_json(model))
    assert read.guarantee == model.guarantee and read.schema.identifier is None
    assert validated(Guarantee, json.dumps(as_plain(model.guarantee))) == model.guarantee
    # The noise and the rest are those of persons named in one column.
    other = NaiveBayesClassifier(ALONE, epsilon=1.0, calibration=0).fit(rows, rows["y"]).model_
    assert other.guarantee.releases == model.guarantee.releases


@pytest.mark.parametrize("identifier", [(), ("a", ""), ("a", 3), ""])
def test_persons_without_a_name_are_refused(identifier):
    with pytest.raises(ParameterError, match="name of a column"):
        Persons(identifier, "mean")


def test_an_account_of_several_columns_takes_them_in_any_order(tmp_path):
    unit = AccountUnit.of(SCHEMA)
    assert str(unit) == "all rows of one person, as 'household' and 'number' together name them; public: nothing"
    turned = AccountUnit(identifier=("number", "household"))
    assert turned == unit and AccountUnit(identifier=("who",)) == AccountUnit(identifier="who")
    for other in (AccountUnit(), AccountUnit(identifier="household"), AccountUnit(identifier=("household", "who"))):
        with pytest.raises(LedgerError, match="Expected a fit that protects"):
            unit.check(other)
        with pytest.raises(LedgerError, match="Expected a fit that protects"):
            other.check(unit)
    book = Ledger(tmp_path / "l.db")
    book.open(Account.of("l", Budget(1.0), unit))
    assert book.balance("l").account.unit == unit
    rows = frame()
    schema = Schema(SCHEMA.columns, label=LABEL, identifier=Identifier(["number", "household"]))
    fitted = NaiveBayesClassifier(schema, epsilon=0.5, ledger=tmp_path / "l.db").fit(rows, rows["y"])
    assert fitted.privacy_.charge is not None


# Fits, audits and refusals.


def test_holdouts_searches_and_evaluations_go_by_person():
    rows, others = frame(n_persons=800), frame(seed=1, n_persons=400)
    fitted = AutoClassifier(SCHEMA, epsilon=8.0, holdout=0.5).fit(rows, rows["y"])
    assert fitted.model_.held_out.n_rows == 400
    found = evaluate(fitted.model_, others, others["y"], epsilon=8.0, schema=SCHEMA)
    assert (found.measured.n_rows, found.privacy.persons.identifier) == (400, ("household", "number"))
    search = PaidSearch(NaiveBayesClassifier(SCHEMA), {"n_bins": [4, 8]}, epsilon=8.0)
    assert search.fit(rows, rows["y"]).privacy_.n_rows == 800


def test_pairs_of_an_audit_differ_in_one_person_whom_all_columns_name():
    fewer = []
    for pair in islice(person_pairs(SCHEMA, seed=2), 12):
        for (X, _), table, names in zip(pair.inputs(), pair.tables(), pair.persons, strict=True):
            assert table.n_persons == len(set(names)) == X.select(TWO.names).n_unique()
            fewer += [X[name].n_unique() < table.n_persons for name in TWO.names]
    found = replay_pair(lambda: NaiveBayesClassifier(SCHEMA, epsilon=1.0, on_invalid="coerce"), pair)
    assert found.steps and not found.refuted
    assert any(fewer[::2]) and any(fewer[1::2]), "no column alone names a person"
    assert next(pairs_of_unit(SCHEMA)).inputs()[0][0].columns == ["a", "household", "number"]


def test_learners_are_asked_whether_they_refuse_such_persons():
    assert made_up(SCHEMA).n_persons == made_up(ALONE).n_persons == 1_000
    assert refusals(SCHEMA) == refusals(ALONE)

"""Rows without a label: left out where the schema declares it public which rows have one, and nowhere else."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import (
    Categorical,
    Identifier,
    Label,
    LogisticClassifier,
    NaiveBayesClassifier,
    Numeric,
    PaidSearch,
    Schema,
    evaluate,
)
from tacit.errors import SchemaError, TableError
from tacit.features import LinearEncoding
from tacit.models import from_json, to_json
from tacit.models.document import as_plain, validated
from tacit.study.run.tables import Tables, counted_file
from tacit.study.study import DataSpec, Study
from tacit.table import MEMORY, Disk, Table, read_labels, table_faults
from tacit.table.rows import read_labeled
from tacit.table.sources import opened_source, read_source

COLUMNS = [Numeric("a", 0, 16), Categorical("b", ["x", "y"])]
LABEL = Label("y", ["no", "yes"], missing="drop")
SCHEMA = Schema(COLUMNS, label=LABEL)
PERSONS = Schema(COLUMNS, label=LABEL, identifier=Identifier("who"))
UNDECLARED = replace(SCHEMA, label=Label("y", ["no", "yes"]))


def rows(n_rows=60, seed=0):
    """Return rows of which every third to fifth has no label; nothing else of these can be read."""
    generator = np.random.default_rng(seed)
    labels = ["yes", None, "no", "no", None, "yes", "yes", "no"]
    y = [labels[at % 8] for at in range(n_rows)]
    gone = [each is None for each in y]
    a = generator.integers(0, 17, n_rows)
    who = generator.integers(0, n_rows // 3, n_rows)
    return pl.DataFrame(
        {
            "a": ["no number" if bad else str(cell) for bad, cell in zip(gone, a, strict=True)],
            "b": [None if bad else "xy"[cell % 2] for bad, cell in zip(gone, a, strict=True)],
            "who": [None if bad else f"p{cell}" for bad, cell in zip(gone, who, strict=True)],
            "y": y,
        }
    )


def kept(frame):
    """Return the rows with a label, whose cells can be read, as numbers and texts."""
    return frame.filter(pl.col("y").is_not_null()).with_columns(pl.col("a").cast(pl.Int64))


def content(table):
    """Return what a table holds, row by row."""
    features = table.gather(lambda block: block.features(LinearEncoding(table.schema, ("a", "b"))))
    parts = [features, table.gather(lambda block: block.labels)[:, None]]
    if table.schema.identifier:
        parts.append(table.gather(lambda block: block.weights)[:, None])
    return np.concatenate(parts, axis=1).tolist()


def wanted(schema, frame=None):
    frame = kept(rows() if frame is None else frame)
    declared = replace(schema, label=Label("y", ["no", "yes"]))
    return content(Table.from_frame(frame, frame["y"], declared))


# Doors.


def numbered(frame):
    """Return the rows with a number in each, as frames of numbers have it: null where there is no label."""
    return frame.with_columns(pl.col("a").cast(pl.Int64, strict=False))


FRAMES = {
    "polars": lambda frame: numbered(frame),
    "Arrow": lambda frame: numbered(frame).to_arrow(),
    "lazy": lambda frame: numbered(frame).lazy(),
    "pandas": lambda frame: numbered(frame).to_pandas(),
    "pandas objects": lambda frame: pd.DataFrame(
        {"a": [None if y is None else int(a) for a, y in zip(frame["a"], frame["y"], strict=True)],
         "b": frame["b"].to_list(), "who": frame["who"].to_list()}, dtype=object),
}  # fmt: skip


@pytest.mark.parametrize("schema", [SCHEMA, PERSONS])
@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_is_the_table_of_its_rows_with_a_label(name, schema):
    frame = rows()
    table = Table.from_frame(FRAMES[name](frame), frame["y"], schema)
    assert content(table) == wanted(schema)
    assert table.n_persons == (45 if schema is SCHEMA else kept(frame)["who"].n_unique())
    assert table.unit.labeled_public


@pytest.mark.parametrize("make", [list, np.asarray, pd.Series, pl.Series, lambda y: np.asarray(y, dtype=object)])
def test_rows_in_lists_and_arrays_go_with_labels_of_any_kind(make):
    frame = rows()
    cells = [[a if y is None else int(a), b] for a, b, y in frame.select("a", "b", "y").rows()]
    y = make(["" if each is None else each for each in frame["y"]])
    assert content(Table.from_frame(cells, y, SCHEMA)) == wanted(SCHEMA)
    assert content(Table.from_frame(np.asarray(cells, dtype=object), y, SCHEMA)) == wanted(SCHEMA)


def of_parts(folder, frame):
    folder.mkdir()
    for at, part in enumerate(frame.iter_slices(7)):  # of a part of two rows, neither may have a label
        part.write_csv(folder / f"{at:02}.csv")
    return folder


def book(path, frame):
    pytest.importorskip("xlsxwriter")
    pytest.importorskip("python_calamine")
    frame.write_excel(path, worksheet="t", autofilter=False)
    return path


def survey(path, frame):
    pytest.importorskip("pyreadstat").write_sav(frame, path)
    return path


SOURCES = {
    "CSV": lambda folder, frame: frame.write_csv(folder / "t.csv") or folder / "t.csv",
    "Parquet": lambda folder, frame: frame.write_parquet(folder / "t.parquet") or folder / "t.parquet",
    "folder": lambda folder, frame: of_parts(folder / "parts", frame),
    "dictionaries": lambda folder, frame: frame.with_columns(pl.col("a", "b").cast(pl.Categorical)).lazy(),
    "spreadsheet": lambda folder, frame: book(folder / "t.xlsx", frame),
    "SPSS": lambda folder, frame: survey(folder / "t.sav", frame),
    "LazyFrame": lambda folder, frame: numbered(frame).lazy(),
}


@pytest.mark.parametrize(("schema", "place"), [(SCHEMA, "disk"), (PERSONS, "memory")])
@pytest.mark.parametrize("name", SOURCES)
def test_a_source_is_the_table_of_its_rows_with_a_label(tmp_path, name, place, schema):
    given = SOURCES[name](tmp_path, rows())
    assert content(read_source(opened_source(given), schema, place=place)) == wanted(schema)


@pytest.mark.parametrize("schema", [SCHEMA, PERSONS])
@pytest.mark.parametrize("name", ["y", "a", "who"])
def test_names_of_folders_say_it_as_columns_do(tmp_path, name, schema):
    frame = rows().sort(name, maintain_order=True)  # nulls first, as __HIVE is before small letters
    for (cell,), part in frame.partition_by(name, as_dict=True, include_key=False, maintain_order=True).items():
        folder = tmp_path / f"{name}={'__HIVE_DEFAULT_PARTITION__' if cell is None else cell}"
        folder.mkdir()
        part.write_csv(folder / "0.csv")
    assert content(read_source(opened_source(tmp_path), schema)) == wanted(schema, frame)


def test_a_part_without_a_label_in_any_row_adds_nothing(tmp_path):
    rows().write_csv(tmp_path / "0.csv")
    rows().filter(pl.col("y").is_null()).write_csv(tmp_path / "1.csv")
    for schema in (SCHEMA, PERSONS):
        assert content(read_source(opened_source(tmp_path), schema)) == wanted(schema)


@pytest.mark.parametrize("schema", [SCHEMA, PERSONS])
def test_no_label_at_all_is_one_error(tmp_path, schema):
    frame = rows().filter(pl.col("y").is_null())
    frame.write_csv(tmp_path / "t.csv")
    with pytest.raises(TableError, match="Expected a label 'y' in some row, got none"):
        read_source(opened_source(tmp_path / "t.csv"), schema)
    with pytest.raises(TableError, match="Expected a label 'y' in some row, got none"):
        Table.from_frame(frame, frame["y"], schema)


@settings(max_examples=40)
@given(st.lists(st.sampled_from([None, "no", "yes"]), min_size=1, max_size=30), st.integers(1, 9))
def test_what_is_left_is_what_a_table_of_those_rows_holds(labels, block_rows):
    """For any pattern of labels, and persons of whom some have none."""
    n_rows = len(labels)
    frame = pl.DataFrame({"a": range(n_rows), "b": ["x"] * n_rows, "who": [f"p{at % 4}" for at in range(n_rows)]})
    frame = frame.with_columns(pl.Series("y", labels, dtype=pl.String))
    if frame["y"].null_count() == len(labels):
        return
    for schema in (SCHEMA, PERSONS):
        table = Table.from_frame(frame, frame["y"], schema, block_rows=block_rows)
        assert content(table) == wanted(schema, frame)


def test_weights_are_of_the_rows_left():
    """Of a's four rows two have a label, of b's one; c has none and is not counted."""
    frame = pl.DataFrame({"who": list("aabcacba"), "a": range(8), "b": ["x"] * 8})
    table = Table.from_frame(frame, ["no", None, "yes", None, None, None, None, "yes"], PERSONS)
    assert table.n_persons == 2
    assert table.gather(lambda block: block.weights).tolist() == [2048, 4096, 2048]


# What a missing label is.

ABSENT = [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT, Decimal("NaN"), "", "  ", "\t", "nan", "NaN", " nan "]
THERE = ["NA", "x", b"", b"x", [], "None", "null", "?", 1.5, object(), np.datetime64("2000-01-01"), float("inf")]


@pytest.mark.parametrize("classes", [["no", "yes"], [0, 1], [False, True], [0.5, 1.0]])
@pytest.mark.parametrize("cell", ABSENT, ids=lambda cell: type(cell).__name__)
def test_missing_cells_and_texts_of_blanks_are_no_label(classes, cell):
    label = Label("y", classes, missing="drop")
    codes, mask = read_labeled([classes[1], cell, classes[0]], label)
    assert (codes.tolist(), mask.tolist()) == ([1, 0], [True, False, True])


@pytest.mark.parametrize("classes", [["no", "yes"], [0, 1], [False, True]])
@pytest.mark.parametrize("cell", THERE, ids=lambda cell: type(cell).__name__)
def test_anything_else_is_a_label_and_is_refused_as_before(classes, cell):
    label = Label("y", classes, missing="drop")
    with pytest.raises(TableError, match="Expected every label 'y'"):
        read_labeled([classes[1], cell, None], label)


def test_a_class_that_spells_nothing_is_a_class():
    for name in ("", " ", "nan"):
        label = Label("y", ["yes", name], missing="drop")
        codes, mask = read_labeled([name, "yes", None], label)
        assert (sorted(codes.tolist()), mask.tolist()) == ([0, 1], [True, True, False])


@pytest.mark.parametrize(
    ("classes", "cells", "n_left"),
    [
        (["no", "yes"], ["", "no", " ", "yes", "NA"], None),  # NA is a text, as in columns of categories
        ([0, 1], ["", "0", "NA", "1", "NaN", "null", "?"], 2),
        ([False, True], ["", "false", "NA", "true"], 2),
    ],
)
def test_files_say_missing_as_they_do_in_columns(tmp_path, classes, cells, n_left):
    (tmp_path / "t.csv").write_text("a,y\n" + "".join(f"1,{cell}\n" for cell in cells))
    schema = Schema([Numeric("a", 0, 16)], label=Label("y", classes, missing="drop"))
    if n_left is None:
        with pytest.raises(TableError, match="Expected every label 'y'"):
            read_source(opened_source(tmp_path / "t.csv"), schema)
        schema = replace(schema, label=replace(schema.label, replace={"NA": ""}))
        n_left = 2
    assert read_source(opened_source(tmp_path / "t.csv"), schema).n_rows == n_left


@pytest.mark.parametrize("cell", [None, "", float("nan")])
def test_a_class_of_its_own_takes_rows_without_a_label(tmp_path, cell):
    label = Label("y", ["no", "yes", "unknown"], missing="unknown")
    codes, mask = read_labeled(["yes", cell, "no", "unknown"], label)
    assert mask is None and [sorted(label.classes)[code] for code in codes] == ["yes", "unknown", "no", "unknown"]
    (tmp_path / "t.csv").write_text("a,b,y\n1,x,yes\n2,x,\n3,x,no\n")
    table = read_source(opened_source(tmp_path / "t.csv"), replace(SCHEMA, label=label))
    assert table.n_rows == 3 and not table.unit.labeled_public
    model = NaiveBayesClassifier(replace(SCHEMA, label=label), epsilon=9.0).fit(tmp_path / "t.csv")
    assert 0 <= model.score(pl.DataFrame({"a": [1, 2], "b": ["x", "y"]}), ["yes", cell]) <= 1


# Without a declaration.


@pytest.mark.parametrize("cell", [None, "", float("nan")])
def test_one_error_names_both_ways_and_nothing_else(tmp_path, cell):
    frame = pl.DataFrame({"a": [1, 2, 3], "b": ["x", "x", "y"]})
    with pytest.raises(TableError) as caught:
        LogisticClassifier(UNDECLARED, epsilon=1.0).fit(frame, ["yes", cell, "no"])
    assert str(caught.value) == (
        "Expected a label 'y' in every row, got a row without one. Leave such rows out by missing = 'drop' of the "
        "label in the schema, which declares that everybody may know which rows have a label; or list a class of its "
        "own for them, and name it there. Some readers of CSV turn texts such as None and NA into missing cells."
    )
    (tmp_path / "t.csv").write_text("a,b,y\n1,x,yes\n2,x,\n3,y,no\n")
    with pytest.raises(TableError) as again:
        LogisticClassifier(UNDECLARED, epsilon=1.0).fit(tmp_path / "t.csv")
    assert str(again.value) == str(caught.value)


def test_where_invalid_cells_are_coerced_no_row_is_left_out():
    frame = pl.DataFrame({"a": [1, 2, 3], "b": ["x", "x", "y"]})
    table = Table.from_frame(frame, ["yes", None, "no"], UNDECLARED, on_invalid="coerce")
    assert table.n_rows == 3 and not table.unit.labeled_public
    dropped = Table.from_frame(frame, ["yes", None, b"?"], SCHEMA, on_invalid="coerce")
    assert dropped.n_rows == 2


def test_labels_that_no_row_goes_with_are_refused():
    with pytest.raises(TableError, match="alone, got some without"):
        read_labels(["yes", None], LABEL)
    with pytest.raises(TableError, match="inconsistent numbers of samples"):
        Table.from_frame(np.zeros((3, 2)), ["yes", None], SCHEMA)
    with pytest.raises(TableError, match="row without one"):
        NaiveBayesClassifier("infer", epsilon=1.0).fit(np.zeros((4, 2)), np.array(["a", None, "b", "a"], dtype=object))


# Schemas, certificates, and what is measured.


@pytest.mark.parametrize("label", [
    LABEL, Label("y", ["a", "b", "c"], positive=["c"], missing="drop"),
    Label("y", [0, 1], missing="drop", private=False),
    Label("y", ["a", "b"], missing="b", replace={"NA": ""}), Label("y", [0, 1, 9], missing=9),
    Label("y", ["a", "b", "c"], positive=["c"], missing="c"), Label("y", [False, True], missing=False),
])  # fmt: skip
def test_a_label_comes_back_from_toml_json_and_repr(label):
    schema = Schema(COLUMNS, label=label)
    assert Schema.from_toml(schema.to_toml()) == schema
    assert validated(Schema, json.dumps(as_plain(schema))) == schema
    assert eval(repr(label)) == label
    assert schema.all_private().label.missing == label.missing


@pytest.mark.parametrize("given", [
    {"missing": "Drop"}, {"missing": True}, {"missing": ["drop"]}, {"missing": "maybe"}, {"missing": 0},
    {"classes": ["drop", "yes"], "missing": "drop"}, {"replace": {"NA": ""}}, {"missing": float("nan")},
])  # fmt: skip
def test_other_ways_are_refused(given):
    with pytest.raises(SchemaError, match="label 'y'"):
        Label("y", **({"classes": ["no", "yes"]} | given))


@pytest.mark.parametrize(("schema", "which", "counted"), [
    (SCHEMA, "which rows have a label is public; rows without one were left out, and are not counted",
     "Rows: {n} with a label; this number is public."),
    (PERSONS, "which persons have rows with a label is public; rows without one were left out, and persons without any "
     "other are not counted", "Persons: {n} with labeled rows; this number is public."),
    (PERSONS.with_private(["a"]), "which rows have a label is public; rows without one were left out, and persons "
     "without any other are not counted", "Persons: {n} with labeled rows; this number is public."),
])  # fmt: skip
def test_the_certificate_says_so_and_comes_back(schema, which, counted):
    frame = rows()
    model = NaiveBayesClassifier(schema, epsilon=1.0).fit(numbered(frame), frame["y"]).model_
    text = " ".join(str(model.guarantee).split())
    n_persons = kept(frame)["who"].n_unique()
    assert which[0].upper() + which[1:] in text and counted.format(n=45 if schema is SCHEMA else n_persons) in text
    assert f", and so is which {'persons have rows with' if schema is PERSONS else 'rows have'} a label." in text
    read = from_json(to_json(model))
    assert read.guarantee == model.guarantee and read.guarantee.labeled_public
    assert read.schema.label.missing == "drop"


def test_slices_searches_and_evaluations_have_what_is_left(tmp_path):
    frame, others = rows(1600), rows(800, seed=1)
    x, labels = numbered(frame), frame["y"]
    held = LogisticClassifier(SCHEMA, epsilon=8.0, holdout=0.25, class_weight="balanced").fit(x, labels)
    assert (held.privacy_.n_rows, held.model_.held_out.n_rows) == (1200, 300)
    search = PaidSearch(NaiveBayesClassifier(SCHEMA), {"n_bins": [4, 8]}, epsilon=8.0).fit(x, labels)
    assert search.privacy_.n_rows == 1200 and search.privacy_.labeled_public
    found = evaluate(held.model_, numbered(others), others["y"], epsilon=8.0)
    assert (found.privacy.n_rows, found.privacy.labeled_public) == (600, True)
    with pytest.raises(TableError, match="row without one"):
        evaluate(held.model_, numbered(others), others["y"], epsilon=8.0, schema=UNDECLARED)
    assert len(held.predict(kept(frame).drop("y"))) == 1200


def test_storage_on_disk_gives_the_same_model():
    frame = numbered(rows())
    models = [
        NaiveBayesClassifier(PERSONS, epsilon=1.0, random_state=0).fit_table(
            Table.from_frame(frame, frame["y"], PERSONS, storage=each, block_rows=8)
        )
        for each in (MEMORY, Disk())
    ]
    assert len({to_json(each.model_, allow="simulated") for each in models}) == 1


@pytest.mark.parametrize("schema", [SCHEMA, PERSONS])
def test_studies_split_what_is_left(tmp_path, schema):
    frame = rows()
    frame.write_csv(tmp_path / "t.csv")
    (tmp_path / "s.toml").write_text(schema.to_toml())
    data = DataSpec(tmp_path / "t.csv", tmp_path / "s.toml")
    n_persons = 45 if schema is SCHEMA else kept(frame)["who"].n_unique()
    assert counted_file(data.inputs()) == (n_persons, 2)
    task = Study([data], ["naive-bayes"], [1.0], repeats=1).tasks()[0]
    split, whole = Tables().split(task), Tables().dataset(task)
    assert len(split.train) + len(split.test) == whole.frame.height == whole.target.len() == 45
    assert split.table.unit.labeled_public
    query = DataSpec.written(frame.lazy(), tmp_path / "q.parquet", schema=tmp_path / "s.toml")
    assert content(read_source(opened_source(query.path), schema)) == wanted(schema)


@pytest.mark.parametrize("schema", [SCHEMA, PERSONS])
def test_a_check_before_a_fit_reads_what_the_fit_would(tmp_path, schema):
    rows().write_csv(tmp_path / "t.csv")
    assert table_faults(opened_source(tmp_path / "t.csv"), schema) == ()
    bad = rows().with_columns(a=pl.when(pl.col("y") == "no").then(pl.lit("many")).otherwise("a"))
    bad.write_csv(tmp_path / "bad.csv")
    [fault] = table_faults(opened_source(tmp_path / "bad.csv"), schema)
    assert "column 'a'" in fault

"""Labels that some rows lack, in drafts: left out as a guess that says what it declares, never in silence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tacit import Label, Numeric, Schema
from tacit.errors import SchemaError
from tacit.schema.draft import draft_of, draft_toml
from tacit.schema.drafted import entries_of
from tacit.table import Table


def frame(labels):
    return pl.DataFrame({"age": np.arange(len(labels)) * 1.5, "y": pl.Series(labels, strict=False)})


DROP = {"missing": "drop"}


@pytest.mark.parametrize(
    ("labels", "label"),
    [
        ([0, 1, None] * 9, Label("y", [0, 1], **DROP)),
        ([0.0, 1.0, float("nan")] * 9, Label("y", [0.0, 1.0], **DROP)),
        ([True, None, False] * 9, Label("y", [False, True], **DROP)),
        (["f", "m", None] * 9, Label("y", ["f", "m"], **DROP)),
        (["f", "m", "NA"] * 9, Label("y", ["f", "m"], replace={"NA": ""}, **DROP)),
        (["f", "m", "?", "N/A"] * 9, Label("y", ["f", "m"], replace={"?": "", "N/A": ""}, **DROP)),
        (["f", "m", "nan", ""] * 9, Label("y", ["f", "m"], **DROP)),
        (["None", "mild", "severe"] * 9, Label("y", ["None", "mild", "severe"])),  # a word for a class
        (["f", "?"] * 9, Label("y", ["?", "f"])),  # else one class would be left
        (["f", "m"] * 9, Label("y", ["f", "m"])),
    ],
)
def test_rows_without_a_label_are_left_out_as_a_guess(labels, label):
    draft = draft_of(frame(labels), "y")
    assert draft.schema.label == label and "y" in draft.schema.guessed
    assert Schema.from_toml(draft.to_toml()) == draft.schema
    held = Table.from_frame(frame(labels).select("age"), frame(labels)["y"], draft.schema)
    n_missing = sum(each in (None, "NA", "N/A", "nan", "") or each != each for each in labels)
    n_missing += labels.count("?") if label.missing else 0
    assert held.n_rows == len(labels) - n_missing


@pytest.mark.parametrize("make", [pd.Series, np.asarray, list])
def test_so_are_those_of_labels_given_beside(make):
    labels = make(["f", "m", None, "m"])
    assert Schema.from_data(frame(["x"] * 4).select("age"), labels).label == Label("label", ["f", "m"], **DROP)
    numbers = Schema.from_data(np.arange(3.0)[:, None], make([0.0, 1.0, float("nan")]))
    assert numbers.label == Label("label", [0.0, 1.0], **DROP)


@pytest.mark.parametrize(("labels", "codes", "label"), [
    ([0, 1, 9] * 9, ["9"], Label("y", [0, 1], replace={"9": ""}, **DROP)),
    (["f", "m", "none"] * 9, ["none"], Label("y", ["f", "m"], replace={"none": ""}, **DROP)),
    ([0, 1, 9] * 9, ["99"], Label("y", [0, 1, 9])),
])  # fmt: skip
def test_codes_of_missing_cells_stand_for_no_label(labels, codes, label):
    assert draft_of(frame(labels), "y", codes).schema.label == label
    held = Table.from_frame(frame(labels).select("age"), frame(labels)["y"], draft_of(frame(labels), "y", codes).schema)
    assert held.n_rows == (18 if label.missing else 27)


def test_a_draft_says_what_is_declared_and_what_else_there_is():
    text = draft_toml(frame(["f", "m", None] * 9), "y")
    [line] = [line for line in text.splitlines() if line.startswith('missing = "drop"')]
    assert "everybody may know which rows have one" in line and "a class of its own" in line
    entry = entries_of(draft_of(frame(["f", "m", None] * 9), "y").schema)[0]
    assert "everybody may know which rows have a label" in entry.way
    assert "which rows have one is public" in entry.publishes
    own = Schema([Numeric("age", 0, 9)], label=Label("y", ["f", "m", "unknown"], missing="unknown"))
    assert "public" not in entries_of(own)[0].publishes


def test_a_label_without_any_class_is_one_error():
    with pytest.raises(SchemaError, match="in some row of label 'y', got none"):
        draft_of(frame([None, None]).with_columns(pl.col("y").cast(pl.String)), "y")

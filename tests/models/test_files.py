"""Model files: round trips bit for bit, and every kind of damage refused with one clear error."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import numpy as np
import pytest

import tacit.models.document as document
from tacit import BRCClassifier, Label, Numeric, Schema, load_model
from tacit.errors import ModelFileError
from tacit.models import LinearRule, Model, Vote, VoteModel, from_json, to_json
from tacit.models.document import canonical, digest
from tacit.saving import write_atomically
from tacit.table import read_rows

GENERATOR = np.random.default_rng(0)
X = GENERATOR.uniform(-1, 1, (400, 4))
SCHEMA = Schema([Numeric(name, -1, 1, private=name != "d") for name in "abcd"], label=Label("y", [0, 1], private=False))
MODEL = BRCClassifier(SCHEMA, epsilon=1.0).fit(X, (X.sum(axis=1) > 0).astype(int)).model_
TEXT = to_json(MODEL)


def test_a_model_survives_its_file_bit_for_bit(tmp_path):
    path = tmp_path / "a model.json"
    path.write_text(TEXT)
    again = load_model(path)
    assert again == MODEL
    assert again.decision_function(X).tobytes() == MODEL.decision_function(X).tobytes()
    assert to_json(again) == TEXT


def test_scores_do_not_depend_on_how_many_rows_come_together():
    together = MODEL.decision_function(X)
    assert all(MODEL.decision_function(X[i : i + 1])[0] == together[i] for i in range(0, 400, 37))


def with_body(change) -> str:
    """The file after a change to its content, its digest made to fit."""
    document = json.loads(TEXT)
    change(document["model"])
    document["digest"] = digest(canonical(document["model"]))
    return json.dumps(document)


def tree(feature, left, right):
    size = len(feature)
    nodes = {"threshold": [0.0] * size, "second": [True] * size}
    return {"kind": "tree", "feature": feature, "left": left, "right": right, **nodes}


def put(path: str, value):
    def change(body):
        *parents, last = [int(p) if p.isdigit() else p for p in path.split(".")]
        for parent in parents:
            body = body[parent]
        body[last] = value

    return change


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        TEXT[: len(TEXT) // 2],
        TEXT[:-3],
        TEXT.replace('"tacit-model"', '"other"'),
        TEXT.replace('"version": 2', '"version": 3'),
        TEXT.replace('"version": 2', '"version": true'),
        TEXT.replace('"high": 1', '"high": 2', 1),
        "[" * 100_000,
        "\x00\x01\x02",
        json.dumps({"format": "tacit-model", "version": 1, "digest": "", "model": {}}),
        json.dumps({"format": "tacit-model", "version": 1, "digest": "", "model": [], "more": 1}),
        TEXT.replace('"intercept": 0.0', '"intercept": NaN', 1),
    ],
    ids=[f"damage {i}" for i in range(15)],  # the texts differ from process to process, as the noise is secure
)
def test_damaged_and_foreign_files_are_refused(text):
    with pytest.raises(ModelFileError) as caught:
        from_json(text)
    assert "\n" not in str(caught.value)


def test_a_changed_digit_in_the_schema_is_noticed():
    with pytest.raises(ModelFileError, match="digest"):
        from_json(TEXT.replace('"low": -1', '"low": -2', 1))


@pytest.mark.parametrize(
    "change",
    [
        put("learner", 3),
        put("scorers", []),
        put("scorers.0.votes.0.coefficient", "0.5"),
        put("scorers.0.votes.0.coefficient", 1e999),
        put("scorers.0.votes.0.rule.weights", [0.5]),
        put("scorers.0.votes.0.rule.kind", "opaque"),
        put("scorers.0.votes.0.rule", {"kind": "opaque", "classifier": 1, "features": [0]}),
        put("scorers.0.votes.0.rule", tree([0], [0], [0])),  # walks in a circle
        put("scorers.0.votes.0.rule", tree([99, -1, -1], [1, -1, -1], [2, -1, -1])),  # reads no feature
        put("scorers.0.votes.0.source", "secret"),
        put("scorers.0.encoding", "binary"),
        put("scorers.0.kind", "unknown"),
        put("schema.columns.0.low", 5),
        put("schema.columns.0.name", ""),
        put("schema.label.classes", [0]),
        put("schema.columns", []),
        put("schema.surprise", 1),
        put("guarantee.epsilon", -1.0),
        put("guarantee.columns", ["another"]),
        put("guarantee.label", True),
        put("schema.guessed", ["a"]),
        put("guarantee.status", "certified"),
        put("guarantee.status", "void"),
        put("on_invalid", "run"),
        put("more", 1),
    ],
)  # fmt: skip
def test_content_that_makes_no_model_is_refused_even_with_a_fitting_digest(change):
    with pytest.raises(ModelFileError) as caught:
        from_json(with_body(change))
    assert "\n" not in str(caught.value)


def test_large_and_missing_files_are_refused_unread(tmp_path, monkeypatch):
    path = tmp_path / "m.json"
    with pytest.raises(ModelFileError, match="No such file"):
        load_model(path)
    with pytest.raises(ModelFileError):
        load_model(tmp_path)
    with pytest.raises(ModelFileError, match="no path"):
        load_model("a\0b")
    path.write_text(TEXT)
    monkeypatch.setattr(document, "MAX_FILE", 100)
    with pytest.raises(ModelFileError, match="at most 100 bytes"):
        load_model("/dev/zero")
    with pytest.raises(ModelFileError, match="at most 100 bytes"):
        load_model(path)


def test_a_write_is_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "m.json"
    path.write_text("old")

    def broken(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["m.json"]
    monkeypatch.undo()
    write_atomically(path, "new")
    assert path.read_text() == "new"


def test_a_score_of_zero_and_a_row_on_a_plane_count_for_the_first_class():
    schema = Schema([Numeric("a", -1, 1)], label=SCHEMA.label)
    rows = read_rows(np.asarray([[0.0], [0.5], [-0.5]]), schema)
    plane = Vote.of(0.5, LinearRule((1.0,), 0.0), "private")
    assert VoteModel((plane,), "ordinal").scores(rows, schema).tolist() == [-0.5, 0.5, -0.5]
    undecided = Model("brc", schema, (VoteModel((), "ordinal"),), replace(MODEL.guarantee, columns=("a",)))
    assert undecided.predict(np.asarray([[0.5]])).tolist() == [0]

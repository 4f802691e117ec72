"""Files that earlier code wrote are read for ever, and say what they said then; see docs/file-formats.md."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

from tacit import Schema, load_model
from tacit.models import to_json
from tacit.models.rado_set import read_rados
from tacit.table.files import read_features

FOLDERS = sorted(Path(__file__).parent.glob("format-*"))
MODELS = sorted(path for folder in FOLDERS for path in folder.glob("*.model.json"))
SCHEMAS = sorted(path for folder in FOLDERS for path in folder.glob("*.schema.toml"))


def named(path: Path) -> str:
    return f"{path.parent.name}/{path.name.split('.')[0]}"


@pytest.fixture(autouse=True)
def _quietly():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("path", MODELS, ids=named)
def test_a_model_of_an_earlier_format_says_what_it_said_then(path):
    model = load_model(path)
    said = json.loads((path.parent / "said.json").read_text())[path.name.split(".")[0]]
    frame = read_features(path.parent / "rows.csv", model.schema, model.on_invalid)
    np.testing.assert_allclose(model.decision_function(frame), said["scores"], rtol=1e-12, atol=1e-12)
    assert model.predict(frame).tolist() == said["classes"]
    assert str(model.guarantee)


@pytest.mark.parametrize("path", MODELS, ids=named)
def test_a_model_of_an_earlier_format_is_saved_in_the_present_one(path, tmp_path):
    model = load_model(path)
    text = to_json(model, allow=model.guarantee.status)
    (tmp_path / "again.json").write_text(text, encoding="utf-8")
    again = load_model(tmp_path / "again.json")
    assert again == model
    assert to_json(again, allow=again.guarantee.status) == text


@pytest.mark.parametrize("path", SCHEMAS, ids=named)
def test_a_schema_of_an_earlier_format_is_read(path):
    schema = Schema.from_toml(path)
    assert schema.names == ("age", "gain", "debt", "since", "sky", "rooms", "owns")
    assert Schema.from_toml(schema.to_toml()) == schema


def test_a_schema_and_the_model_of_it_agree():
    for folder in FOLDERS:
        assert Schema.from_toml(folder / "two.schema.toml") == load_model(folder / "brc.model.json").schema


def test_rados_of_an_earlier_format_are_read():
    for folder in FOLDERS:
        rados = read_rados(folder / "rados.parquet")
        assert rados.rados.shape == (20, 8)
        assert rados.description.guarantee.epsilon == 1.0


def test_there_is_a_golden_model_of_every_kind():
    kinds = {scorer["kind"] for path in MODELS for scorer in json.loads(path.read_text())["model"]["scorers"]}
    assert kinds == {
        "vote", "literal-votes", "naive-bayes", "literal-tree", "linear-model", "logistic-model", "rado-form"
    }  # fmt: skip

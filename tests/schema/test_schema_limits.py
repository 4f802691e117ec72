"""What a schema may hold, and how long its file may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.errors import ParameterError, SchemaError
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.schema.toml import MAX_BYTES, read_at_most
from tacit.study.study import Study

LABEL = Label("y", [0, 1])


def test_classes():
    assert len(Label("y", range(1000)).classes) == 1000
    with pytest.raises(SchemaError, match=r"^Expected at most 1,000 classes in label 'y', got 1,001\. "):
        Label("y", range(1001))


def test_classes_are_short_texts():
    assert Label("y", ["a", "b" * 1_000]).classes == ("a", "b" * 1_000)
    with pytest.raises(SchemaError, match=r"^Expected classes of at most 1,000 characters in label 'y', got a longer"):
        Label("y", ["a", "b" * 1_001])


def test_columns():
    columns = [Numeric(f"x{i}", 0, 1) for i in range(10_001)]
    assert len(Schema(columns[:-1], label=LABEL).columns) == 10_000
    with pytest.raises(SchemaError, match=r"^Expected at most 10,000 columns in the schema, got 10,001\. "):
        Schema(columns, label=LABEL)


def test_categories_and_cut_points_together():
    category = Categorical("c", range(60_000))
    cuts = [cut / 40_002 for cut in range(1, 40_002)]
    assert Schema([category, Numeric("x", 0, 1, cuts=cuts[:-1])], label=LABEL).names == ("c", "x")
    with pytest.raises(SchemaError, match=r"100,000 categories, buckets and cut points together .* got 100,001\. "):
        Schema([category, Numeric("x", 0, 1, cuts=cuts)], label=LABEL)


def test_a_long_file_is_not_read_to_its_end(tmp_path):
    text = Schema([Numeric("x", 0, 1)], label=LABEL).to_toml()
    path = tmp_path / "schema.toml"
    path.write_text(text + "#" * (MAX_BYTES - len(text)))
    assert Schema.from_toml(path).names == ("x",)
    with path.open("a") as stream:
        stream.write("#")
    for source in (path, path.read_text()):
        with pytest.raises(SchemaError, match=r"^Expected a schema .*of at most 4,194,304 "):
            Schema.from_toml(source)
    with pytest.raises(ParameterError, match=r"^Expected the spec of a study of at most 4,194,304 bytes"):
        Study.from_toml(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device here")
def test_a_device_without_end():
    with pytest.raises(SchemaError, match="of at most"):
        Schema.from_toml("/dev/zero")
    with pytest.raises(ParameterError, match="of at most"):
        Study.from_toml("/dev/zero")


def test_read_at_most(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    assert read_at_most(path, 3) == b"abc"
    assert read_at_most(path, 2) is None

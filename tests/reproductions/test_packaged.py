"""Packaged rows: what a store holds, written and taken again, with the version that computed it."""

from __future__ import annotations

import json

from reproductions.framework.catalog import find
from reproductions.framework.packaged import FOLDER, package_rows, take_packaged
from reproductions.framework.reproduction import compute, standing
from tacit.study.run import Outcome, Store, Task


def test_rows_are_taken_as_they_were_packaged(tmp_path, monkeypatch):
    [toy] = find("shen2022-figure1b")
    store = Store(":memory:")
    compute([toy], store, workers=1)
    store.put(Task("other", {"data": "x"}), Outcome("done", {"accuracy": 0.5}, 1.0))
    store.put(toy.tasks(True)[0], Outcome("failed", {"error": "E", "message": "m"}, 1.0))
    [file] = package_rows([toy], store, tmp_path)
    assert file.name == "shen2022.parquet"
    monkeypatch.setattr("reproductions.framework.packaged.FOLDER", tmp_path)
    other = Store(":memory:")
    take_packaged([toy], other)
    assert len(other) == 10  # what no artefact asks for is left out
    assert standing(toy, other).extent == "full"
    tasks = toy.tasks(True)
    assert other.rows(tasks).drop("seconds").equals(store.rows(tasks).drop("seconds"))
    take_packaged([toy], other)
    assert len(other) == 10


def test_packaged_rows_say_how_to_compute_them_and_are_small():
    files = sorted(FOLDER.glob("*.parquet"))
    assert sum(file.stat().st_size for file in files) < 5_000_000
    store = Store(":memory:")
    take_packaged(find("all"), store)
    for key, document in store.exported().select("key", "document").head(50).iter_rows():
        read = json.loads(document)
        assert Task(read["measure"], read["inputs"]).key == key

"""Studies of tables that are kept on disk have the results of those in memory, from files, folders and patterns."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tacit.errors import ParameterError, TableError
from tacit.schema import Categorical, Identifier, Label, Numeric, Schema
from tacit.study.run import Store, mapped_rows, run, shared_tables, tables
from tacit.study.run.shared_tables import SharedTables
from tacit.study.run.tables import Tables
from tacit.study.study import DataSpec, Study
from tacit.table.persons import key_of
from tacit.table.storage import _is_mapped

LEARNERS = ("naive-bayes", "logistic", "baseline:logistic", "baseline:majority")
MEASURED = ("status", "accuracy", "auc", "log_loss", "brier", "n_train", "n_test", "majority", "calibration")
SCHEMA = Schema([Numeric("age", 0, 100), Categorical("town", ["a", "b", "c"])], label=Label("ill", ["no", "yes"]))


@pytest.fixture
def folder(tmp_path):
    """Three hundred rows in three files, of which the first has whole numbers alone."""
    generator = np.random.default_rng(5)
    age, town = generator.integers(0, 100, 300), generator.choice(["a", "b", "c"], 300)
    ill = np.where(age + 40 * (town == "a") + generator.normal(0, 9, 300) > 70, "yes", "no")
    given = {
        "age": age + np.repeat([0.0, 0.25, 1e-9], 100),
        "town": town,
        "ill": ill,
        "who": np.arange(300) // 2,
        "of": ["one"] * 300,
    }
    (tmp_path / "events").mkdir()
    for at in range(3):
        part = pl.DataFrame(given)[100 * at : 100 * (at + 1)]
        part.write_parquet(tmp_path / "events" / f"{at}.parquet")
    (tmp_path / "s.toml").write_text(SCHEMA.to_toml())
    (tmp_path / "p.toml").write_text(replace(SCHEMA, identifier=Identifier(["of", "who"])).to_toml())
    return tmp_path


@pytest.fixture
def on_disk(monkeypatch):
    """Makes every file large, and blocks of seventy rows."""

    def small(source):
        return False

    def use():
        for module in (shared_tables, tables):
            monkeypatch.setattr(module, "is_small", small)
        for module in (mapped_rows, tables):
            monkeypatch.setattr(module, "BLOCK_ROWS", 70)

    return use


def study(path, schema, **more):
    return Study([DataSpec(path, schema)], LEARNERS, [1.0], repeats=1, **more)


@pytest.mark.parametrize("split", [{}, {"cv": 3, "balanced": True}])
@pytest.mark.parametrize("schema", ["s.toml", "p.toml"])
def test_a_study_has_the_same_results_from_disk(folder, on_disk, schema, split):
    tasks = study(folder / "events", folder / schema, **split).tasks()
    before = run(tasks, Store(":memory:"), workers=1)
    on_disk()
    after = run(tasks, Store(":memory:"), workers=1)
    assert before["status"].unique().to_list() == ["done"]
    assert after.select(MEASURED).equals(before.select(MEASURED))


def test_rows_encodings_and_state_are_mapped(folder, on_disk, tmp_path):
    on_disk()
    (task, *_) = study(folder / "events", folder / "s.toml").tasks()
    shared = SharedTables(tmp_path / "shared")
    (tmp_path / "shared").mkdir()
    shared.share([task])
    split, same = shared.split(task), Tables().split(task)
    encoding = mapped_rows.BinEncoding(split.schema, split.schema.names)
    codes = []
    split.table.visit(lambda block: codes.append(block.codes(encoding)))
    assert all(map(_is_mapped, codes))
    assert (np.concatenate(codes) == same.train.encoded(encoding)).all()
    for name in split.schema.names:
        found, own = split.train.columns[name], same.train.columns[name]
        assert found.dtype == own.dtype
        assert (found == own).all()


@pytest.mark.parametrize("large", [False, True])
def test_workers_have_the_hashes_of_persons_and_no_names(folder, on_disk, tmp_path, large):
    if large:
        on_disk()
    [task, *_] = study(folder / "events", folder / "p.toml").tasks()
    shared = SharedTables(tmp_path / "shared")
    (tmp_path / "shared").mkdir()
    shared.share([task])
    members = SharedTables(tmp_path / "shared").whole(task).members
    assert members.key.dtype == np.uint64
    assert members.key.tolist() == [key_of(f"3:one {len(str(at // 2))}:{at // 2}") for at in range(300)]
    assert shared.split(task).table.gather(lambda block: block.person_keys()).dtype == np.uint64


def test_files_folders_and_patterns_are_one_table(folder):
    pl.read_parquet(folder / "events" / "*.parquet").write_csv(folder / "events.csv")
    given = ["events.csv", "events", "events/*.parquet"]
    found = [DataSpec(folder / each, folder / "s.toml") for each in given]
    assert [each.called for each in found] == ["events"] * 3
    whole = [Tables().whole(Study([each], LEARNERS, [1.0]).tasks()[0]) for each in found]
    for each in whole[1:]:
        assert (each.labels == whole[0].labels).all()
        assert (each.rows.columns["age"] == whole[0].rows.columns["age"]).all()
    sizes = [each.inputs() for each in found]
    assert sizes[1]["files_digest"] == sizes[2]["files_digest"]
    assert "files_digest" not in sizes[0]


def test_another_file_in_the_folder_is_another_table(folder):
    tasks = study(folder / "events", folder / "s.toml").tasks()
    (folder / "events" / "2.parquet").rename(folder / "events" / "3.parquet")
    found = run(tasks[:1], Store(":memory:"), workers=1)
    assert found["message"].item().startswith("Expected events as it was when the study began")
    assert study(folder / "events", folder / "s.toml").tasks()[0].key != tasks[0].key


def test_what_cannot_be_read_onto_disk_is_not_read_into_memory(folder, on_disk, monkeypatch):
    on_disk()
    tasks = study(folder / "events", folder / "s.toml").tasks()

    def full(*given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shared_tables, "save", full)
    found = run(tasks[:1], Store(":memory:"), workers=1)
    assert found["message"].item().startswith("Expected room on disk for the rows of a study")


def test_learners_that_hold_all_rows_say_so_where_they_do_not_fit(folder, monkeypatch):
    from tacit.table.files import memory

    tasks = study(folder / "events", folder / "s.toml", seed=1).tasks()
    monkeypatch.setattr(memory, "memory_left", lambda: 20_000)
    monkeypatch.setattr(tables, "is_small", lambda given: True)
    found = run(tasks[:4], Store(":memory:"), workers=1)
    assert found["status"].to_list() == ["done", "done", "failed", "done"]
    assert found["message"][2].startswith("Expected enough memory to read the training rows for a learner without")


def test_pipes_and_paths_without_a_table_are_refused(folder):
    os.mkfifo(folder / "pipe")
    for name, message in (("pipe", "got the pipe"), ("nothing", "there is none")):
        with pytest.raises(TableError, match=message):
            DataSpec(folder / name, folder / "s.toml").inputs()


def test_a_query_is_written_for_its_owner_and_leaves_nothing_where_it_fails(folder):
    query = pl.scan_parquet(folder / "events" / "*.parquet")
    table = DataSpec.written(query.filter(pl.col("town") != "b"), folder / "q.parquet", schema=folder / "p.toml")
    assert table.path.stat().st_mode & 0o777 == 0o600
    whole = Tables().whole(Study([table], LEARNERS, [1.0]).tasks()[0])
    assert (len(whole.labels), len(whole.members)) == (query.filter(pl.col("town") != "b").collect().height,) * 2
    with pytest.raises(ParameterError, match="Expected a new file"):
        DataSpec.written(query, folder / "q.parquet", schema=folder / "p.toml")
    for broken in (query.drop("ill"), query.filter(pl.col("age") > 1000)):
        with pytest.raises(TableError):
            DataSpec.written(broken, folder / "r.parquet", schema=folder / "s.toml")
    with pytest.raises(ParameterError, match="of type DataFrame"):
        DataSpec.written(query.collect(), folder / "r.parquet", schema=folder / "s.toml")
    assert not (folder / "r.parquet").exists()


def test_a_killed_copy_of_a_query_leaves_nothing_that_the_next_does_not_remove(folder):
    # A process of its own: polars' threads do not come through a fork.
    script = (
        "import os, signal, sys\n"
        "import polars as pl\n"
        "import tacit.study.data as data\n"
        "data.write_parquet = lambda frames, path: (path.write_bytes(b'half'), os.kill(os.getpid(), signal.SIGKILL))\n"
        "data.DataSpec.written(pl.LazyFrame({}), sys.argv[1], schema=sys.argv[2])\n"
    )
    done = subprocess.run([sys.executable, "-c", script, folder / "k.parquet", folder / "s.toml"], check=False)
    assert done.returncode == -signal.SIGKILL
    query = pl.scan_parquet(folder / "events" / "*.parquet")
    table = DataSpec.written(query, folder / "k.parquet", schema=folder / "s.toml")
    assert [path.name for path in folder.iterdir() if "k.parquet" in path.name] == ["k.parquet"]
    assert table.path.stat().st_mode & 0o777 == 0o600

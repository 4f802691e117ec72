"""Files, terminals and machines that make a command fail: one line each, a proper exit status, nothing half-written."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import polars as pl
import pytest
from typer.testing import CliRunner

from tacit import Categorical, Label, Numeric, Schema
from tacit.cli.app import app
from tacit.errors import ParameterError, SchemaError, TableError
from tacit.models.rado_set import read_rados
from tacit.study.run.store import Outcome, Store
from tacit.study.run.task import Task
from tacit.table.files import memory, read_features, read_for_draft, read_with_labels
from tacit.table.files.memory import check_memory

SCHEMA = Schema(
    [Numeric("年齢", 0, 100), Categorical("kind", ["a", "b"], other=True)], label=Label("yes or no", ["no", "yes"])
)
ROWS = "年齢,kind,yes or no\n" + "30,a,no\n51,b,yes\n" * 20
TACIT = [sys.executable, "-m", "tacit"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text(ROWS, encoding="utf-8")
    Path("schema.toml").write_text(SCHEMA.to_toml(), encoding="utf-8")
    return tmp_path


def tacit(*words, **more):
    options = {"capture_output": True, "timeout": 120, "env": os.environ, **more}
    # A process without room for a file must not leave half of a compiled module to all that come after it.
    options["env"] = options["env"] | {"PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([*TACIT, *words], check=False, **options)


def within(*words, **more):
    """Run a command in this process, where nothing of a process of its own is asked about."""
    done = CliRunner(**more).invoke(app, words)
    assert done.exit_code == 0, done.output
    return done


FIT = ("fit", "--schema", "schema.toml", "--epsilon", "1", "--learner", "naive-bayes", "--out", "m.json")


def one_line(done) -> str:
    assert done.returncode == 1
    [line] = done.stderr.decode().splitlines()
    assert line.startswith("Error: Expected")
    return line


def test_what_a_terminal_cannot_show_is_escaped(folder):
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    within(*FIT, "rows.csv", charset="ascii")
    for charset in ("ascii", "cp1252"):
        for words in (("inspect", "m.json"), ("schema", "check", "schema.toml")):
            assert b"\\u5e74\\u9f62" in within(*words, charset=charset).stdout_bytes
    done = tacit("schema", "check", "schema.toml", env=environment)
    assert (done.returncode, done.stderr) == (0, b"") and b"\\u5e74\\u9f62" in done.stdout
    # A program is told in UTF-8, whatever the terminal shows.
    assert "年齢" in tacit("inspect", "--json", "m.json", env=environment).stdout.decode("utf-8")
    wrong = tacit("predict", "m.json", "schema.toml", env=environment)
    assert "\\u5e74" in one_line(wrong)


def test_a_table_comes_through_a_pipe(folder):
    assert tacit(*FIT, "/dev/stdin", input=ROWS.encode()).returncode == 0
    content = io.BytesIO()
    pl.read_csv("rows.csv").write_parquet(content)
    os.mkfifo("pipe")
    Thread(target=lambda: Path("pipe").write_bytes(content.getvalue()), daemon=True).start()
    within(*FIT, "--force", "pipe")
    piped = tacit("predict", "m.json", "/dev/stdin", input=ROWS.encode())
    assert piped.stdout == within("predict", "m.json", "rows.csv").stdout_bytes
    assert piped.stdout.startswith(b"yes or no\n")


@pytest.mark.parametrize("path", ["/dev/zero", "nothing"])
def test_what_may_have_no_end_is_no_table_and_no_schema(folder, path):
    with pytest.raises(TableError, match="where there is none"):
        read_features(Path(path), SCHEMA, "raise")
    with pytest.raises(SchemaError):
        Schema.from_toml(Path(path))


def test_a_parquet_file_that_ends_its_reader_is_refused_in_one_line(folder, monkeypatch):
    pl.read_csv("rows.csv").write_parquet("rows.parquet")
    assert read_features(Path("rows.parquet"), SCHEMA, "raise").height == 40
    # A reader that aborts, as polars does where a length was altered.
    aborting = "import os; os.write(2, b'panicked at SECRET'); os.abort()"
    monkeypatch.setattr("tacit.table.files.reading_process._BEGINNING", aborting)
    with pytest.raises(TableError, match="damaged"):
        read_features(Path("rows.parquet"), SCHEMA, "raise")
    with pytest.raises(TableError, match="damaged"):
        read_for_draft(Path("rows.parquet"), "yes or no")


def test_no_altered_parquet_file_ends_this_process(folder, capfd):
    import random

    pl.DataFrame({"年齢": list(range(90)), "kind": ["a", "b", None] * 30}).write_parquet("rows.parquet")
    whole, draw = Path("rows.parquet").read_bytes(), random.Random(4)
    for _ in range(4):
        content = bytearray(whole)
        for _ in range(30):
            content[draw.randrange(4, len(content) - 8)] = draw.randrange(256)
        Path("altered.parquet").write_bytes(content)
        try:
            read_features(Path("altered.parquet"), SCHEMA, "raise")
        except TableError as error:
            assert "\n" not in str(error)
    assert capfd.readouterr().err == ""


def test_rados_that_end_their_reader_are_refused(monkeypatch):
    from tacit.errors import ModelFileError

    path = Path(__file__).parents[1] / "golden" / "format-1" / "rados.parquet"
    assert read_rados(path).rados.shape == (20, 8)
    monkeypatch.setattr("tacit.table.files.parquet._TRIAL", "import os; os.abort()")
    with pytest.raises(ModelFileError, match="damaged"):
        read_rados(path)


LONG = "x" * 200_000
FAULTS = {
    "a first line of at most": ["年齢,kind,yes or no," + "x" * 2**20 + "\n1,a,no,\n"],
    "quotes around whole cells": [
        ROWS + '30,"a,no\n' + ROWS,
        '年齢,kind,yes or no\n30,a"b,no\n' + "40,b,yes\n" * 5,
        '年齢,kind,yes or no\n30,"a"b,no\n' + "40,b,yes\n" * 5,
        '年齢,"kind,yes or no\n' + "40,b,yes\n" * 5,
        ROWS + '30,"a,no\n',
    ],
    "another layout": [ROWS + '30,"a ""quoted"" one",no,1\n'],
}


@pytest.mark.parametrize(("message", "text"), [(each, text) for each, texts in FAULTS.items() for text in texts])
def test_a_broken_layout_is_named(folder, message, text):
    Path("t.csv").write_text(text, encoding="utf-8")
    with pytest.raises(TableError, match=message) as caught:
        read_with_labels(Path("t.csv"), SCHEMA, "raise")
    assert "\n" not in str(caught.value)


def test_long_cells_and_lines_ended_by_carriage_returns_are_read(folder):
    want = read_features(Path("rows.csv"), SCHEMA, "raise")
    Path("t.csv").write_bytes(ROWS.replace("\n", "\r").encode())
    assert read_features(Path("t.csv"), SCHEMA, "raise").equals(want)
    Path("t.csv").write_bytes(ROWS.replace("\n", "\r\n").encode())
    assert read_features(Path("t.csv"), SCHEMA, "raise").equals(want)
    for end in ("", "\n\n"):  # blank lines at the end are told from short ones by counting cells
        Path("t.csv").write_text(ROWS + f"30,{LONG},no\n{end}", encoding="utf-8")
        read, labels = read_with_labels(Path("t.csv"), SCHEMA, "raise")
        assert (read.height, labels[-1], read["kind"][-1]) == (41, "no", LONG)


def test_a_table_that_would_not_fit_the_memory_is_refused_before_it_is_read(folder, monkeypatch):
    check_memory(0, "t")
    with pytest.raises(TableError, match=r"enough memory to read t, got less: about 1048576\.0 GiB"):
        check_memory(2**50, "t")
    # 40 rows and 3 columns at 64 bytes a cell, 41 line ends, and the text itself.
    needed = len(ROWS.encode()) + 64 * 3 * 41
    monkeypatch.setattr(memory, "_left", lambda: iter([needed]))
    assert read_with_labels(Path("rows.csv"), SCHEMA, "raise")[0].height == 40
    monkeypatch.setattr(memory, "_left", lambda: iter([2**40, needed - 1]))
    with pytest.raises(TableError, match="enough memory"):
        read_with_labels(Path("rows.csv"), SCHEMA, "raise")


def test_a_process_with_little_memory_says_so_in_one_line(folder):
    """Below this limit polars ended the process, or hung, though what is read would have fitted twice."""
    resource = pytest.importorskip("resource")
    Path("large.csv").write_text(ROWS + "30,a,no\n" * 1_500_000, encoding="utf-8")

    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (1_600_000_000, 1_600_000_000))

    done = tacit(*FIT, "large.csv", preexec_fn=limited)
    assert "enough memory" in one_line(done)
    assert not Path("m.json").exists()


def test_a_library_that_does_not_fit_the_memory_is_no_defect():
    from tacit.cli.failures import _text

    error = ImportError("libopenblas.so: failed to map segment from shared object")
    assert _text(error).startswith("Expected enough memory")
    assert _text(ImportError("No module named SECRET")).startswith("Expected no such failure")


def test_a_damaged_store_is_no_store_whatever_its_bytes(tmp_path):
    import sqlite3

    path, task = tmp_path / "s.sqlite", Task("fit", {"epsilon": 1.0})
    Store(path).put(task, Outcome("done", {"accuracy": 0.5}, 0.1))
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    content = path.read_bytes()
    assert content.count(b"TABLE") == 1
    path.write_bytes(content.replace(b"TABLE", b"\xff" * 5))  # SQLite quotes it in its message
    for use in (lambda: Store(path).rows([task]), lambda: Store(path).missing([task]), lambda: len(Store(path))):
        with pytest.raises(ParameterError, match="Expected a store of a study"):
            use()


def test_a_full_disk_is_named_with_the_file_that_it_lacked(folder):
    resource = pytest.importorskip("resource")

    def limited():  # a limit of files' sizes, as a full disk cannot be had without a disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    line = one_line(tacit(*FIT, "rows.csv", preexec_fn=limited))
    assert "m.json" in line
    assert sorted(each.name for each in folder.iterdir()) == ["rows.csv", "schema.toml"]
    if Path("/dev/full").exists():
        within(*FIT, "rows.csv")
        with open("/dev/full", "wb") as full:
            done = tacit("inspect", "m.json", stdout=full, stderr=subprocess.PIPE, capture_output=False)
        assert "Expected room on the disk" in one_line(done)

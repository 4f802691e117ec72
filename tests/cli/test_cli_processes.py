"""The command line as a program of its own: pipes, signals, paths, encodings."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")

TACIT = [sys.executable, "-m", "tacit"]


def start(*arguments, **more):
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "encoding": "utf-8"} | more
    return subprocess.Popen([*TACIT, *map(str, arguments)], **streams)


def done(process):
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_a_module_run_and_a_path_with_blanks(table, schema, tmp_path):
    folder = tmp_path / "a folder with blanks"
    folder.mkdir()
    spaced = table.rename(folder / "my people.csv")
    assert done(start("--version"))[0] == 0
    code, out, err = done(start("fit", "my people.csv", "-s", schema, "-e", 1, "-o", "my model.json", cwd=folder))
    assert (code, err) == (0, "")
    assert "tacit inspect 'my model.json'" in out
    assert spaced.exists()
    assert (folder / "my model.json").exists()


@pytest.mark.parametrize("command", ["inspect", "predict"])
def test_a_reader_that_leaves_is_no_error(model, table, command):
    reading, writing = os.pipe()
    process = start(command, model, *([table] if command == "predict" else []), stdout=writing)
    os.close(writing)
    os.close(reading)
    code, _, err = done(process)
    assert (code, err) == (141, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_output_is_one_line(model):
    with open("/dev/full", "w") as full:
        code, _, err = done(start("inspect", model, stdout=full))
    assert code == 1
    assert err.count("\n") == 1
    assert "No space left" in err


SAYS_WHEN_IT_FITS = """
import sys
from tacit.estimators.brc import BRCFit
fit = BRCFit.fit_table
def announced(*arguments):
    print("fitting", file=sys.stderr, flush=True)
    return fit(*arguments)
BRCFit.fit_table = announced
from tacit.cli import main
main()
"""


def test_an_interrupt_leaves_nothing_behind(table, schema, tmp_path):
    before = sorted(path.name for path in tmp_path.iterdir())
    table.write_text("age,code,since,income\n" + "5,1,2010-01-01,low\n" * 1_000_000)
    arguments = [
        "fit",
        table,
        "-s",
        schema,
        "-e",
        "100",
        "--learner",
        "brc",
        "--set",
        "rounds=5000",
        "-o",
        tmp_path / "model.json",
    ]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", SAYS_WHEN_IT_FITS, *map(str, arguments)], **streams)
    assert process.stderr.readline() == "fitting\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    code, out, err = done(process)
    assert code == 130
    assert out == ""
    assert err.startswith("Error: interrupted")
    assert err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_draft_is_utf8_whatever_the_locale(tmp_path):
    table = tmp_path / "people.csv"
    table.write_text("größe,ort\n1,Köln\n2,Zürich\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    code, out, _ = done(start("schema", "draft", table, "--label", "ort", env=environment))
    assert code == 0
    assert "größe" in out
    assert "Köln" in out


def test_nothing_but_the_draft_is_on_stdout(table, tmp_path):
    from tacit import Schema

    out = tmp_path / "schema.toml"
    with out.open("w") as stream:
        code, _, err = done(start("schema", "draft", table, "-l", "income", stdout=stream))
    assert (code, Schema.from_toml(out).label.name) == (0, "income")
    assert "NOT PRIVATE" in err


def test_any_command_removes_what_a_killed_study_left(model, tmp_path):
    cache = tmp_path / "cache"
    left = cache / "tacit" / "running" / "study-left"
    left.mkdir(parents=True)
    (left / "in-use").touch()
    (left / "column-0.npy").write_text("rows")
    assert done(start("inspect", model, env={**os.environ, "XDG_CACHE_HOME": str(cache)}))[0] == 0
    assert not left.exists()

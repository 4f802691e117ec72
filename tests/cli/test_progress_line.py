"""The line that shows on a terminal how far a command is, and what an interrupt says."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from tacit.cli import console, progress_line
from tacit.cli.progress_line import ProgressLine
from tacit.estimators.base import PrivateFit
from tacit.ledger import Account, Ledger
from tacit.privacy import Budget, ProgressEvent


def terminal():
    return Console(file=io.StringIO(), force_terminal=True, width=140, color_system=None)


@pytest.fixture
def drawn(monkeypatch):
    """Return what the line shows last of events that come at some seconds."""

    def draw(*timed, about_rows=None):
        now, seen = [0.0], terminal()
        monkeypatch.setattr(progress_line, "monotonic", lambda: now[0])
        with ProgressLine(seen, "Training", about_rows) as line:
            for now[0], event in timed:
                line.follow(event)
        return seen.file.getvalue()

    return draw


READING, TRAINING = ProgressEvent(0, 400), ProgressEvent(400, 400, 0, 10)


def test_rows_then_releases_with_the_time_that_the_rest_takes_at_the_same_pace(drawn):
    text = drawn((0.0, READING), (30.0, ProgressEvent(100, 400)))
    assert "Reading" in text and "100 of 400 rows" in text and "about 2 minutes left" in text
    text = drawn((0.0, READING), (30.0, ProgressEvent(400, 400)))
    assert "Training" in text and "rows" not in text and "left" not in text
    text = drawn((0.0, READING), (30.0, TRAINING))
    assert "Training" in text and "0 of 10 releases" in text and "left" not in text
    text = drawn((30.0, TRAINING), (90.0, ProgressEvent(400, 400, 2, 10)))
    assert "2 of 10 releases" in text and "about 4 minutes left" in text


def test_where_files_do_not_say_how_many_rows_there_are_a_guess_gives_the_time_and_is_not_shown(drawn):
    timed = (0.0, ProgressEvent(1)), (30.0, ProgressEvent(100))
    assert "100 rows" in drawn(*timed) and "left" not in drawn(*timed)
    text = drawn(*timed, about_rows=400)
    assert "100 rows" in text and "400" not in text and "about 2 minutes left" in text


@pytest.mark.parametrize("quiet", [False, True])
def test_a_command_shows_it_on_a_terminal_alone_unless_it_is_to_be_quiet(
    table, schema, tmp_path, run, monkeypatch, quiet
):
    arguments = ["fit", table, "-s", schema, "-e", 1, "-o", tmp_path / "m.json", "--force", "--learner", "brc"]
    assert "releases" not in run(*arguments).stderr
    seen = terminal()
    monkeypatch.setattr(console, "_console", lambda stderr=False: seen)
    run(*arguments, *(["--quiet"] if quiet else []))
    assert (" releases " in seen.file.getvalue()) is not quiet


STAYS = "Charge 1 of account 'people' stays: epsilon 1 is spent."


def test_an_interrupt_says_that_the_charge_stays(table, schema, tmp_path, run, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    schema.write_text(schema.read_text().replace("private = false", "private = true"))
    book = Ledger(tmp_path / "people.ledger")
    book.open(Account.of("people", Budget(3.0)))
    monkeypatch.setattr(PrivateFit, "fit_table", stopped)
    arguments = ["fit", table, "-s", schema, "-e", 1, "-o", tmp_path / "m.json", "--learner", "naive-bayes"]
    assert run(*arguments, code=130).stderr == "Error: interrupted; no file was left half-written.\n"
    said = run(*arguments, "--ledger", book.path, code=130).stderr
    assert said == f"Error: interrupted; no file was left half-written. {STAYS}\n"
    assert book.balance().spent == book.balance().account.limit // 3

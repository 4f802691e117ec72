"""`tacit audit --membership --rows`: a report that is not private says so, stays away from evidence, and goes on."""

from __future__ import annotations

import json
import random

import pytest
from typer.testing import CliRunner

from tacit.audit import membership
from tacit.audit.membership import NOT_PRIVATE
from tacit.cli.app import app
from tacit.cli.audit_membership import RESULTS
from tacit.ledger import Account, Ledger
from tacit.privacy import Budget
from tacit.report.evidence import apart, folder

NONE = ("--ledger", "none")

AGES = [40 + at / 1000 for at in range(250)]
"""No number of a report looks like these."""


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    """No test here is of the intervals: tests/audit/test_membership.py is."""
    monkeypatch.setattr(membership, "_RESAMPLED", 5)


@pytest.fixture
def rows(tmp_path):
    generator, path = random.Random(3), tmp_path / "rows.csv"
    lines = [f"{age:.3f},{generator.choice(['01', '1', '2'])},2011-05-17,{'high' if at % 3 else 'low'}\n"
             for at, age in enumerate(AGES)]  # fmt: skip
    path.write_text("age,code,since,income\n" + "".join(lines))
    return path


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "people.ledger"
    Ledger(path).open(Account.of("people", Budget(5.0)))
    return path


@pytest.fixture
def asked(schema, rows, tmp_path):
    common = ("audit", "--learner", "naive-bayes", "--epsilon", 1, "--schema", schema, "--membership", 8)
    return (*common, "--rows", rows, "--out", tmp_path / "found")


def test_the_first_line_says_that_it_is_not_private_and_no_row_is_quoted(run, asked, book, tmp_path):
    said = run(*asked, "--ledger", book).stdout
    assert said.startswith(NOT_PRIVATE.split(". ")[0])
    assert "100 of 150 real rows attacked" in said
    page, document = ((tmp_path / "found" / name).read_text() for name in RESULTS)
    assert document.splitlines()[0].startswith(f'{{"notice": "{NOT_PRIVATE}"')
    assert "<h1>NOT PRIVATE." in page and "<title>NOT PRIVATE." in page
    assert json.loads(document)["real"] is True
    for text in (said, page.partition("<script>")[0], document):
        assert not any(f"{age:.3f}" in text for age in AGES) and "rows.csv" not in text
    assert run(*asked, "--json", *NONE).stdout.startswith('{"notice": "NOT PRIVATE.')


def test_the_ledger_notes_it_and_spends_nothing(run, asked, book, monkeypatch, tmp_path):
    monkeypatch.delenv("TACIT_LEDGER")
    assert "Expected --ledger with private rows" in run(*asked, code=1).stderr
    assert not (tmp_path / "found").exists()
    run(*asked, "--ledger", book)
    assert [line.kind for line in Ledger(book).lines()] == ["ledger", "account", "uncovered"]
    assert Ledger(book).balance().spent == 0
    assert "not covered by any charge: membership tests" in run("ledger", "show", book).stdout


def test_a_run_that_was_stopped_goes_on(asked, run, monkeypatch, tmp_path, rows):
    real, done = membership._target_scores, []

    def stopping(*given):
        if len(done) == 5:
            raise KeyboardInterrupt
        done.append(1)
        return real(*given)

    monkeypatch.setattr(membership, "_target_scores", stopping)
    stopped = CliRunner().invoke(app, [str(each) for each in (*asked, *NONE)])
    assert stopped.exit_code != 0 and "the same command goes on from there" in stopped.stderr
    assert not (tmp_path / "found" / "membership.json").exists()

    def counting(*given):
        done.append(1)
        return real(*given)

    monkeypatch.setattr(membership, "_target_scores", counting)
    run(*asked, *NONE)
    assert len(done) == 16
    run(*asked, *NONE)
    assert len(done) == 16
    assert "other arguments" in run(*asked, *NONE, "--seed", 1, code=1).stderr
    rows.write_text(rows.read_text() + "40.5,01,2011-05-17,low\n")
    assert "other arguments" in run(*asked, *NONE, code=1).stderr


def test_evidence_and_a_report_on_rows_are_never_in_one_folder(run, asked, model, tmp_path):
    evidence = tmp_path / "evidence"
    run("evidence", model, "--for", "nist", "--out", evidence)
    (tmp_path / "link").symlink_to(evidence)
    for out in (evidence, evidence / "inner", tmp_path / "link" / "inner"):
        assert "away from evidence" in run(*asked[:-1], out, code=1).stderr
    assert sorted(path.name for path in evidence.iterdir()) == ["attacker.svg", "nist.json", "nist.md"]
    run(*asked, *NONE)
    found = tmp_path / "found"
    for out in (found, found / "inner"):
        assert "Expected" in (refused := run("evidence", model, "--for", "nist", "--out", out, code=1)).stderr
    assert "a report on real rows" in refused.stderr and not (found / "inner").exists()
    assert set(apart.KINDS) == set(folder.KINDS) and apart.MEMBERSHIP in RESULTS


def test_a_report_on_made_up_rows_may_lie_where_it_likes(run, asked, model, tmp_path):
    made_up = [each for each in asked if each not in ("--rows", tmp_path / "rows.csv")]
    assert "NOT PRIVATE" not in run(*made_up).stdout
    assert "NOT PRIVATE" not in "".join((tmp_path / "found" / name).read_text() for name in RESULTS)
    run("evidence", model, "--for", "nist", "--out", tmp_path / "found" / "evidence")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--set", "n_bins=0"), "n_bins"), (("--set", "nonsense=1"), "nonsense"),
        (("--seed", "0", "--seed", "1"), "--seed"),
        (("--delta", "0.5"), "delta"), (("--encoding", "nonsense"), "nonsense"), (("--minutes", "1"), "--membership"),
    ],
)  # fmt: skip
def test_bad_input_is_one_error_and_nothing_is_noted_or_written(run, asked, book, tmp_path, more, words):
    assert words in run(*asked, *more, "--ledger", book, code=1).stderr
    assert not (tmp_path / "found").exists() and len(list(Ledger(book).lines())) == 2


def test_rows_that_cannot_be_attacked_are_refused(run, asked, rows, book, tmp_path):
    asked += ("--ledger", book)
    good = rows.read_text()
    for text, words in (
        (good.replace(",01,", ",99,"), "'code'"), ("".join(good.splitlines(True)[:150]), "more than 200 rows"),
        ("age,code\n3,01\n", "since"), ("", "rows"),
    ):  # fmt: skip
        rows.write_text(text)
        said = run(*asked, code=1).stderr
        assert words in said and "40.0" not in said
    rows.unlink()
    assert "rows.csv" in run(*asked, code=1).stderr
    assert not (tmp_path / "found").exists() and len(list(Ledger(book).lines())) == 2


def test_options_of_rows_need_rows(run, schema):
    learner = ("audit", "--learner", "tree", "--epsilon", 1, "--schema", schema)
    assert "Expected --membership with --rows" in run(*learner, "--rows", schema, code=1).stderr
    assert "Expected --rows with --on-invalid" in run(*learner, "--on-invalid", "coerce", code=1).stderr

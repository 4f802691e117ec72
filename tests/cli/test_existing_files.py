"""Files that are there: no command replaces one without --force, and none reads, spends or writes before it says so."""

from __future__ import annotations

import pytest

from tacit.cli import demo_study
from tacit.ledger import Account, AccountUnit, Ledger
from tacit.privacy import Budget

KEPT = "work of days\n"

# The arguments of each command, and the options that name what it writes.
WRITING = {
    "draft": ("schema draft TABLE --label income", "--out"),
    "kinds": ("schema kinds TABLE --label income", "--out"),
    "learn": ("schema learn TABLE --label income --epsilon 1 --delta 1e-6 --ledger LEDGER", "--out"),
    "review": ("schema review TABLE SCHEMA", "--html"),
    "fit": ("fit TABLE --schema SCHEMA --epsilon 1 --ledger LEDGER", "--out"),
    "card": ("inspect MODEL", "--html"),
    "curves": ("inspect MODEL", "--page"),
    "evaluate": ("evaluate MODEL TABLE --epsilon 1 --ledger LEDGER", "--out"),
    "predict": ("predict MODEL TABLE", "--out"),
    "sample": ("sample SCHEMA -n 5", "--out"),
    "sign": ("sign MODEL --key unread.pem", "--out"),
    "rows": ("data adult", "--out"),
    "schema": ("data adult", "--schema-out"),
    "make": ("rados make TABLE --schema SCHEMA --epsilon 1 --ledger LEDGER", "--out"),
    "picture": ("ledger show LEDGER", "--html"),
    "export": ("ledger export LEDGER", "--out"),
}


@pytest.fixture
def ledger(tmp_path):
    book = Ledger(tmp_path / "account.ledger")
    book.open(Account.of("account", Budget(9.0, 1e-3), AccountUnit(("since",))))
    return book


@pytest.mark.parametrize("command", WRITING)
def test_what_is_there_is_kept_before_anything_is_read_or_spent(command, run, tmp_path, schema, ledger):
    words, option = WRITING[command]
    paths = {"LEDGER": ledger.path, "SCHEMA": schema, "TABLE": tmp_path / "unread", "MODEL": tmp_path / "unread"}
    target = tmp_path / "there"
    target.write_text(KEPT)
    before, lines = sorted(tmp_path.iterdir()), ledger.lines()
    said = run(*(paths.get(word, word) for word in words.split()), option, target, code=1).stderr
    assert f"Expected a new file for {option}" in said and "is there already" in said and "--force" in said
    assert target.read_text() == KEPT and sorted(tmp_path.iterdir()) == before and ledger.lines() == lines


def test_a_model_is_replaced_only_by_force(run, table, schema, model, tmp_path, ledger):
    spent, lines = model.read_bytes(), ledger.lines()
    fit = ("fit", table, "--schema", schema, "--epsilon", 1, "--ledger", ledger.path, "--learner", "brc")
    assert "a model, which costs its privacy again" in run(*fit, "--out", model, code=1).stderr
    assert "also an input" in run("predict", model, table, "--out", model, "--force", code=1).stderr
    assert "a model" in run("schema", "draft", table, "--label", "income", "--out", model, code=1).stderr
    link = tmp_path / "link.json"
    link.symlink_to(model)
    run(*fit, "--out", link, code=1)
    assert model.read_bytes() == spent and ledger.lines() == lines
    run(*fit, "--out", link, "--force")
    assert link.is_symlink() and model.read_bytes() != spent and len(ledger.lines()) > len(lines)
    for arguments in (("inspect", model, "--html"), ("predict", model, table, "--out")):
        run(*arguments, tmp_path / "again")
        run(*arguments, tmp_path / "again", code=1)
        run(*arguments, tmp_path / "again", "--force")
        (tmp_path / "again").unlink()


def test_the_demo_replaces_its_own_files_alone(run, tmp_path, monkeypatch, model):
    monkeypatch.setattr(demo_study, "measured", lambda progress: pytest.fail("rows were read"))
    folder = tmp_path / "demo"
    folder.mkdir()
    (folder / "train.csv").write_text(KEPT)
    assert "is there already" in run("demo", "--out", folder, code=1).stderr
    (folder / "model.json").write_bytes(model.read_bytes())
    assert "a model" in run("demo", "--out", folder, code=1).stderr
    assert (folder / "train.csv").read_text() == KEPT and (folder / "model.json").read_bytes() == model.read_bytes()


def test_a_study_refuses_results_that_no_study_wrote(run, table, schema, tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "results.csv").write_text(KEPT)
    compare = ("compare", table, "--schema", schema, "--epsilons", 1, "--learners", "brc", "--repeats", 1)
    assert "holds something else" in run(*compare, "--out", folder, code=1).stderr
    assert (folder / "results.csv").read_text() == KEPT


def test_a_signature_never_takes_the_place_of_the_model_or_the_key(run, model, tmp_path):
    key = tmp_path / "key.pem"
    key.write_text(KEPT)
    spent = model.read_bytes()
    for target in (model, key):
        said = run("sign", model, "--key", key, "--out", target, "--force", code=1).stderr
        assert "which is also an input" in said
    assert (model.read_bytes(), key.read_text()) == (spent, KEPT)
    there = model.with_name(model.name + ".sig")
    there.write_text(KEPT)
    assert "is there already" in run("sign", model, "--key", key, code=1).stderr
    assert there.read_text() == KEPT

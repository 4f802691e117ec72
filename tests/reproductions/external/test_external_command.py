"""`python -m reproductions external`."""

import json

import pytest
from typer.testing import CliRunner

from reproductions.__main__ import app


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("TACIT_EXTERNAL", str(tmp_path))

    def invoke(*arguments, code=0):
        result = CliRunner().invoke(app, ["external", *arguments])
        assert result.exit_code == code, result.output
        return result

    return invoke


def test_list_says_what_is_installed_and_whose_neighbors(run, tmp_path):
    listed = {each["name"]: each for each in json.loads(run("list", "--json").stdout)}
    assert set(listed) == {"diffprivlib", "interpret", "opacus", "opendp", "scikit-learn"}
    assert not any(each["installed"] for each in listed.values())
    assert listed["opacus"]["place"] == str(tmp_path / "opacus-1.6.0")
    [learner] = listed["opacus"]["learners"]
    assert learner["learner"] == "external:opacus-1.6.0-logistic" and learner["neighbors"] == "add-remove"
    assert learner["parameters"]["relation"] == "ours"


def test_list_is_for_people_too(run):
    text = run("list").stdout
    assert "external:interpret-0.7.8-dp-ebm" in text and "python -m reproductions external install NAME" in text


def test_install_makes_and_tries_what_is_not_there(run, monkeypatch, tmp_path):
    done = []
    monkeypatch.setattr(
        "reproductions.external.install", lambda each, folder: done.append(("made", each.name)) or folder
    )
    monkeypatch.setattr("reproductions.external.try_out", lambda each, folder: done.append(("tried", each.name)))
    said = run("install", "opacus", "--folder", str(tmp_path / "here")).stderr
    assert done == [("made", "opacus"), ("tried", "opacus")]
    assert f"export TACIT_EXTERNAL={tmp_path / 'here'}" in said
    run("install")
    others = ["diffprivlib", "interpret", "opendp", "opacus", "scikit-learn"]
    assert [name for what, name in done[2:] if what == "made"] == others


def test_remove_says_what_was_there(run):
    assert "opacus 1.6.0 was not there" in run("remove", "opacus").stderr


def test_an_unknown_name_is_one_line(run):
    error = run("install", "tensorflow", code=1).stderr
    assert error.startswith("Error: Expected one of diffprivlib") and error.count("\n") == 1


def test_a_comparison_says_the_unit_beside_each_external_learner(run, tmp_path):
    spec = tmp_path / "spec.toml"
    spec.write_text(
        'format = 1\ndatasets = ["breast-cancer"]\nprivacy = ["all-private"]\nepsilons = [1.0]\ndeltas = [1e-5]\n'
        'repeats = 1\n[[learner]]\nlearner = "naive-bayes"\n'
        '[[learner]]\nlearner = "external:opacus-1.6.0-logistic"\nname = "Opacus"\n'
        '[[learner]]\nlearner = "external:opacus-1.6.0-logistic"\nname = "Opacus, theirs"\n'
        'parameters = { relation = "theirs" }\n'
    )
    # Without its environment the library's fits fail; what was asked of it is said all the same.
    said = run("compare", "--spec", str(spec), "--out", str(tmp_path / "study"), "--workers", "1").stdout
    assert "│ Opacus (replace one row) " in said and "│ Opacus, theirs (add/remove one row) " in said
    assert "│ naive-bayes  " in said and "Add/remove at epsilon is replace at 2 x epsilon." in said

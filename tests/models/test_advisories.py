"""A certificate of a version with a known flaw is warned of, wherever it travels."""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tacit
from tacit import Label, NaiveBayesClassifier, Numeric, PrivacyWarning, Schema, load_model
from tacit.cli.app import app
from tacit.errors import ModelFileError
from tacit.estimators.rados import learn_from_rados
from tacit.models import write_model
from tacit.models.advisories import ADVISORIES
from tacit.models.rado_set import read_rados

GOLDEN = Path(__file__).parents[1] / "golden" / "format-1"
OLD = GOLDEN / "naive-bayes.model.json"  # its certificate is a private one
SEEDED = GOLDEN / "brc.model.json"
SCHEMA = Schema([Numeric("a", 0, 9)], label=Label("y", [0, 1]))


def caught(read, path):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        opened = read(path)
    return opened, [each for each in found if issubclass(each.category, PrivacyWarning)]


def test_a_private_model_of_the_first_release_is_warned_of_once():
    model, found = caught(load_model, OLD)
    assert model.fitted_with == "0.1.0"
    assert len(found) == 1
    assert "TACIT-1" in str(found[0].message)
    assert "list" in str(found[0].message)
    assert found[0].filename == __file__


def test_a_certificate_that_promises_nothing_is_not_warned_of():
    model, found = caught(load_model, SEEDED)
    assert model.guarantee.status == "simulated"
    assert found == []


def test_a_model_of_today_says_its_version_and_is_not_warned_of(tmp_path):
    path = tmp_path / "m.json"
    NaiveBayesClassifier(SCHEMA, epsilon=1.0).fit([[1], [8]] * 20, [0, 1] * 20).save(path)
    model, found = caught(load_model, path)
    assert found == []
    assert model.fitted_with == tacit.__version__ == "0.2.0"


def test_saving_an_old_model_again_does_not_hide_its_version(tmp_path):
    model, _ = caught(load_model, OLD)
    write_model(model, tmp_path / "again.json")
    again, found = caught(load_model, tmp_path / "again.json")
    assert again.fitted_with == "0.1.0"
    assert len(found) == 1


def test_learning_from_old_rados_does_not_hide_their_version():
    rados, found = caught(read_rados, GOLDEN / "rados.parquet")
    assert len(found) == 1
    assert learn_from_rados(rados, rounds=3).fitted_with == "0.1.0"


@pytest.mark.parametrize("version", ["", "new", "0.1.0\n0.2", "1." + "0" * 1000])
def test_a_version_that_is_none_is_refused(version):
    model, _ = caught(load_model, OLD)
    with pytest.raises(ModelFileError):
        replace(model, fitted_with=version)


def test_inspect_prints_the_advisory_before_the_certificate():
    shown = CliRunner().invoke(app, ["inspect", str(OLD)]).stdout
    assert 0 <= shown.index("TACIT-1") < shown.index("CERTIFICATE")
    assert "Fitted with: tacit 0.1.0." in shown
    document = json.loads(CliRunner().invoke(app, ["inspect", "--json", str(OLD)]).stdout)
    assert document["fitted_with"] == "0.1.0"
    assert [each["identifier"] for each in document["advisories"]] == ["TACIT-1"]
    assert json.loads(CliRunner().invoke(app, ["inspect", "--json", str(SEEDED)]).stdout)["advisories"] == []


def test_predict_notes_the_advisory_and_predicts():
    done = CliRunner().invoke(app, ["predict", str(OLD), str(GOLDEN / "rows.csv")])
    assert done.exit_code == 0
    assert done.stdout.startswith("works\n")
    assert "TACIT-1" in done.stderr


def test_security_documents_every_advisory():
    text = (Path(__file__).parents[2] / "SECURITY.md").read_text(encoding="utf-8")
    assert re.findall(r"^### (TACIT-\d+)", text, re.MULTILINE) == [each.identifier for each in ADVISORIES]
    for each in ADVISORIES:
        assert all(f"`{version}`" in text for version in each.versions)

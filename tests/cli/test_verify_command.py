"""`tacit verify`: yes or no, why, and the exit code."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from tacit import Label, NaiveBayesClassifier, Numeric, Schema
from tacit.cli.app import app
from tacit.models import to_json
from tacit.models.document import canonical, digest


@pytest.fixture(scope="module")
def document():
    schema = Schema([Numeric("age", 0, 90)], label=Label("income", ["high", "low"]))
    fitted = NaiveBayesClassifier(schema, epsilon=0.5).fit(np.arange(90)[:, None], ["low"] * 45 + ["high"] * 45)
    return json.loads(to_json(fitted.model_))


def verified(tmp_path, document, *options, sealed=True):
    """Return exit code and output of a file that is sealed again after what was changed in it."""
    if sealed:
        document["digest"] = digest(canonical(document["model"]))
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document))
    result = CliRunner().invoke(app, ["verify", str(path), *options])
    return result.exit_code, result.stdout, result.stderr


def test_a_model_as_it_was_written_is_a_yes(tmp_path, document):
    code, said, _ = verified(tmp_path, document)
    assert (code, said.splitlines()[:3]) == (
        0,
        [
            f"Yes: epsilon 0.5, delta 0 follows from the {len(document['model']['guarantee']['releases'])} releases "
            "that it lists.",
            "Recomputed: epsilon 0.5, delta 0.",
            "Protected: one row; there age, the label.",
        ],
    )


def test_json_says_what_is_protected(tmp_path, document):
    found = json.loads(verified(tmp_path, document, "--json")[1])
    assert found["protected"] == {"columns": ["age"], "label": True, "weight": False, "of_whom": "one row"}


def test_the_certificate_alone_is_enough(tmp_path, document):
    assert verified(tmp_path, document["model"]["guarantee"], sealed=False)[0] == 0


@pytest.mark.parametrize("field", ["noise_scale", "sensitivity", "loss"])
def test_half_of_a_number_is_a_no_that_names_the_release(tmp_path, document, field):
    changed = json.loads(json.dumps(document))
    line = changed["model"]["guarantee"]["releases"][0]
    line[field] /= 2
    code, said, _ = verified(tmp_path, changed)
    assert code == 1
    assert said.startswith("No: the file does not show that epsilon 0.5, delta 0 holds.")
    assert line["query"] in said


def test_a_program_gets_the_reasons(tmp_path, document):
    changed = json.loads(json.dumps(document))
    changed["model"]["guarantee"]["epsilon"] = 0.25
    code, said, _ = verified(tmp_path, changed, "--json")
    answer = json.loads(said)
    assert (code, answer["holds"], answer["claimed"]["epsilon"], answer["recomputed"]["epsilon"]) == (
        1,
        False,
        0.25,
        0.5,
    )
    assert len(answer["faults"]) == 1


def test_simulated_noise_promises_nothing(tmp_path, document):
    changed = json.loads(json.dumps(document))
    changed["model"]["guarantee"] |= {"status": "simulated", "noise": "simulated"}
    code, said, _ = verified(tmp_path, changed)
    assert code == 1
    assert "simulated" in said


def test_secure_noise_from_a_simulated_sampler_is_refused(tmp_path, document):
    changed = json.loads(json.dumps(document))
    changed["model"]["guarantee"]["releases"][0]["sampler"] = "simulated (seeded)"
    code, said, _ = verified(tmp_path, changed)
    assert code == 1
    assert "It claims secure noise, but names a simulated sampler." in said


def test_a_file_that_is_altered_or_none_is_one_error(tmp_path, document):
    changed = json.loads(json.dumps(document))
    changed["model"]["guarantee"]["epsilon"] = 0.25
    code, said, error = verified(tmp_path, changed, sealed=False)
    assert (code, said, error.count("\n")) == (1, "", 1)
    assert "altered" in error
    missing = CliRunner().invoke(app, ["verify", str(tmp_path / "none.json")])
    assert missing.exit_code == 1
    assert missing.stderr.startswith("Error: Expected a readable file")

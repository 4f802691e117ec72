"""Files of models, altered by hand and sealed again: both programs refuse what says more than it keeps."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from tacit import NaiveBayesClassifier
from tacit.errors import ModelFileError
from tacit.models import to_json
from tacit.models.document import canonical, digest
from tacit.verify import program, recomputed, written_of
from tests.verify.conftest import TWO, _fit, _frame


@pytest.fixture(scope="module")
def by_the_program(tmp_path_factory):
    """Return the exit code of the second program for a file, and the first line of what it says."""
    folder = tmp_path_factory.mktemp("alone")
    (folder / "verify.py").write_text(program(), encoding="utf-8")

    def run(content: bytes) -> tuple[int, str]:
        (folder / "model.json").write_bytes(content)
        done = subprocess.run(
            [sys.executable, "-I", "verify.py", "model.json"], cwd=folder, capture_output=True, text=True
        )
        assert done.stderr == ""
        return done.returncode, done.stdout

    return run


def by_the_package(content: bytes) -> str:
    """Return why the package refuses a file; empty where it does not."""
    try:
        written = written_of(content)
    except ModelFileError as error:
        return str(error)
    found = recomputed(written.certificate, written.model)
    return " ".join([*found.faults, *found.unknown])


@pytest.fixture(scope="module")
def text():
    """A model's file without blanks, which are no part of the model."""
    whole = to_json(_fit(NaiveBayesClassifier(TWO, epsilon=0.7), _frame(600)).model_)
    return json.dumps(json.loads(whole), separators=(",", ":"))


def instead(name: str, value: str) -> Callable[[str], str]:
    """Return what puts another text in place of a number of the certificate."""

    def put(text: str) -> str:
        before = json.dumps(json.loads(text)["model"]["guarantee"][name])
        start = text.index('"guarantee"')
        return text[:start] + text[start:].replace(f'"{name}":{before}', f'"{name}":{value}', 1)

    return put


def twice(name: str, value: str, written: str | None = None) -> Callable[[str], str]:
    """Return what says a field of the certificate twice, first with another value."""

    def put(text: str) -> str:
        at = text.index(f'"{name}":', text.index('"guarantee"'))
        return f'{text[:at]}"{written or name}":{value},{text[at:]}'

    return put


TEXTS = {
    "a field twice": twice("epsilon", "0.01"),
    "a field twice, once escaped": twice("epsilon", "0.01", "\\u0065psilon"),
    "noise twice": twice("noise_scale", "1e9"),
    "another certificate before": twice("releases", "[]"),
    "not a number": instead("epsilon", "NaN"),
    "infinite": instead("epsilon", "Infinity"),
    "minus nothing": instead("epsilon", "-0.0"),
    "too small for a float": instead("epsilon", "1e-400"),
    "too large for a float": instead("n_rows", "1e309"),
    "four hundred digits": instead("n_rows", "1" + "0" * 400),
    "a number in quotes": instead("epsilon", '"0.01"'),
    "true for one": instead("epsilon", "true"),
    "a leading zero": instead("epsilon", "00.01"),
    "two files in one": lambda text: text + text,
    "a trailing null": lambda text: text + "\0",
    "half a surrogate as a name": twice("noise", "1", "\\ud800"),
    "a comment": lambda text: "/* approved */" + text,
}


@pytest.mark.parametrize("what", TEXTS)
def test_texts_that_could_be_read_in_two_ways_are_refused(text, what, by_the_program):
    content = TEXTS[what](text)
    assert content != text
    assert by_the_package(content.encode()).startswith("Expected")
    code, said = by_the_program(content.encode())
    assert code in (1, 2) and "Yes" not in said


def of_schema(change: Callable[[dict, dict], None]) -> Callable[[dict], None]:
    return lambda model: change(model["schema"], model["guarantee"])


def without_a_column(schema: dict, guarantee: dict) -> None:
    guarantee["columns"] = guarantee["columns"][1:]


def other_letters(schema: dict, guarantee: dict) -> None:
    guarantee["columns"] = [name.upper() for name in guarantee["columns"]]


def a_public_feature(schema: dict, guarantee: dict) -> None:
    """A column that is computed of a side table, and said to be public in both."""
    schema["columns"][0] |= {"private": False, "from_table": {"table": "visits", "take": "count"}}
    guarantee["columns"] = guarantee["columns"][1:]


def without_the_label(schema: dict, guarantee: dict) -> None:
    guarantee["label"] = False


def more_rows(schema: dict, guarantee: dict) -> None:
    guarantee["limits"][0]["n_rows"] = 10 * guarantee["n_rows"]


def own_slices(schema: dict, guarantee: dict) -> None:
    """Each release of rows of its own, so that the largest loss counts and not the sum."""
    count, limit = len(guarantee["releases"]), guarantee["limits"][0]
    guarantee["limits"] = []
    for at, line in enumerate(guarantee["releases"], 1):
        line |= {"slice": [[at, count]], "order": 1}
        own = {"slice": line["slice"], "loss": line["loss"], "released": 1, "n_rows": guarantee["n_rows"]}
        guarantee["limits"].append(limit | own)
    guarantee["epsilon"] = max(line["loss"] for line in guarantee["releases"])


def half_of_all(schema: dict, guarantee: dict) -> None:
    """Half the noise, at sensitivities that are said to be half as large."""
    for line in guarantee["releases"]:
        line |= {name: line[name] / 2 for name in ("sensitivity", "noise_scale")}


def exact(schema: dict, guarantee: dict) -> None:
    """Answers without noise, which are said not to depend on protected cells."""
    guarantee["releases"][-1] |= {"sensitivity": 0, "noise_scale": 0}


def another_basis(schema: dict, guarantee: dict) -> None:
    """A count of no columns, whose sensitivity is 0."""
    basis = {"query": "rows by bin", "columns": [], "weight": 1}
    guarantee["releases"][-1] |= {"sensitivity": 1, "noise_scale": 1, "basis": basis}


MODELS = {
    "sensitivities and noise halved": of_schema(half_of_all),
    "an answer without noise": of_schema(exact),
    "a basis of another sensitivity": of_schema(another_basis),
    "a unit without a column that the schema protects": of_schema(without_a_column),
    "a feature of a side table that is public": of_schema(a_public_feature),
    "a unit of columns in other letters": of_schema(other_letters),
    "a unit without the label that the schema protects": of_schema(without_the_label),
    "a limit of more rows than there are": of_schema(more_rows),
    "a slice for each release, of all rows": of_schema(own_slices),
    "a schema that is none": lambda model: model.update(schema=[]),
    "a schema without columns": lambda model: model["schema"].update(columns=None),
    "a column without a name": lambda model: model["schema"]["columns"][0].pop("name"),
}


@pytest.mark.parametrize("what", MODELS)
def test_models_whose_certificate_promises_less_than_their_schema_says_are_refused(text, what, by_the_program):
    document = json.loads(text)
    MODELS[what](document["model"])
    document["digest"] = digest(canonical(document["model"]))
    content = json.dumps(document).encode()
    assert by_the_package(content)
    code, said = by_the_program(content)
    assert code in (1, 2) and "Yes" not in said


def test_the_file_as_it_was_is_accepted_and_what_is_taken_as_stated_is_said(text, by_the_program):
    assert by_the_package(text.encode()) == ""
    code, said = by_the_program(text.encode())
    assert code == 0 and said.startswith("Yes")
    assert "The sensitivity of each release was recomputed" in said and "its sensitivity of" not in said
    for words in ("How many rows a limit is for", "That no part of the model lacks"):
        assert f"Taken as stated: {words}" in said
    document = json.loads(text)
    line = document["model"]["guarantee"]["releases"][0]
    line["basis"] = None
    document["digest"] = digest(canonical(document["model"]))
    code, said = by_the_program(json.dumps(document).encode())
    words = f"Release 1 (1 of all rows): its sensitivity of {line['sensitivity']!r}, as it has no basis"
    assert code == 0 and f"Taken as stated: {words}" in said

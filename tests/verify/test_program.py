"""The program that shares no code with the package says of every certificate what the package says."""

from __future__ import annotations

import ast
import json
import random
import subprocess
import sys
from functools import reduce
from pathlib import Path

import pytest

from tacit.errors import ModelFileError
from tacit.models import to_json
from tacit.models.document import as_plain, canonical, validated
from tacit.privacy import Guarantee
from tacit.verify import certificate_of, program, recomputed

GOLDEN = sorted((Path(__file__).parent.parent / "golden").glob("*/*.model.json"))
HARMLESS = 200
MUTANTS = 500


@pytest.fixture(scope="module")
def documents(models):
    """Certificates of every kind, as they are written."""
    return {kind: as_plain(model.guarantee) for kind, model in models.items()}


def test_it_needs_nothing_but_python():
    tree = ast.parse(program())
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    assert {name.partition(".")[0] for name in imported} <= set(sys.stdlib_module_names)
    assert len(program().splitlines()) <= 1000


def test_both_give_the_same_epsilon(standalone, models):
    for kind, model in models.items():
        text = to_json(model, allow=model.guarantee.status)
        ours, its = recomputed(certificate_of(text)), standalone.check(standalone.certificate_of(text))
        assert (ours.faults, tuple(its.faults)) == ((), ()), kind
        assert its.epsilon == pytest.approx(ours.epsilon, rel=1e-9), kind


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name.split(".")[0])
def test_neither_says_yes_to_a_file_of_the_first_version(standalone, path):
    text = path.read_text()
    ours, its = recomputed(certificate_of(text)), standalone.check(standalone.certificate_of(text))
    assert ours.holds == its.holds == ('"status": "public"' in text)


def altered(document, draw):
    """Return what was altered in a certificate so that it promises more than its releases keep."""
    part = draw.choice([document, document["learned"]] if document.get("learned") else [document])
    line, limit = draw.choice(part["releases"]), draw.choice(part["limits"])
    factor = draw.uniform(0.05, 0.95)
    what = draw.choice(
        ["scale", "sensitivity", "loss", "drop", "double", "limit", "claim", "order", "counted", "slice"]
    )
    if what in ("scale", "sensitivity", "loss"):
        line[{"scale": "noise_scale"}.get(what, what)] *= factor
    elif what in ("drop", "double"):
        at = part["releases"].index(line)
        part["releases"][at : at + 1] = [] if what == "drop" else [line, dict(line)]
    elif what == "limit":
        limit["loss"] *= factor
    elif what == "claim":
        document["epsilon"] *= factor
    elif what == "order":
        line["order"] += 1
    elif what == "counted":
        line["counted"] = {"pure": "zcdp", "zcdp": "pure", "gaussian": "zcdp", "approximate": "pure"}[line["counted"]]
    else:
        line["slice"] = [*line["slice"], [1, 2]]
    return what


def test_mutants_are_refused_by_both(standalone, documents):
    draw, by_kind = random.Random(5), sorted(documents)
    for at in range(MUTANTS):
        kind = by_kind[at % len(by_kind)]
        document = json.loads(json.dumps(documents[kind]))
        what = altered(document, draw)
        if document == documents[kind]:
            continue  # a release without noise has a scale of zero
        assert not standalone.check(document).holds, (kind, what, at)
        assert standalone.check(document).faults, (kind, what, at)
        assert recomputed(validated(Guarantee, canonical(document))).faults, (kind, what, at)


def test_harmless_rewrites_are_not_refused(standalone, models):
    draw, by_kind = random.Random(6), sorted(models)
    documents = {kind: json.loads(to_json(model, allow=model.guarantee.status)) for kind, model in models.items()}

    def shuffled(value):
        if isinstance(value, dict):
            return {key: shuffled(value[key]) for key in draw.sample(sorted(value), len(value))}
        return [shuffled(each) for each in value] if isinstance(value, list) else value

    for at in range(HARMLESS):
        kind = by_kind[at % len(by_kind)]
        text = json.dumps(shuffled(documents[kind]), indent=draw.choice([None, 1, 4]))
        assert standalone.check(standalone.certificate_of(text)).faults == ()
        assert certificate_of(text) == models[kind].guarantee


VALUES = {
    bool: [True, False],
    int: [0, 1, 3, -1, 10**30],
    float: [0.0, 0.1, -0.5, 1e150, 1e299, 1e308, 5e-324],
    str: ["", "private", "simulated", "zcdp", "pure", "gaussian", "l2", "range", "Laplace", "discrete Gaussian"],
    type(None): [0.0, 0.1, {}],
}


def places(value, at=()):
    """Yield where each value of a document is."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield (*at, key)
        if isinstance(value[key], dict | list):
            yield from places(value[key], (*at, key))


def holds(check, document):
    """Whether an arithmetic is without faults; a certificate that cannot be read is not."""
    try:
        found = check(document)
    except (ModelFileError, ValueError) as error:
        assert str(error).startswith("Expected")
        return False
    return not found.faults and found.status != "void" if hasattr(found, "status") else found.holds


def test_no_value_makes_either_fail_and_what_the_program_refuses_the_package_does(standalone, documents):
    draw, by_kind = random.Random(7), sorted(documents)
    for at in range(MUTANTS):
        document = json.loads(json.dumps(documents[by_kind[at % len(by_kind)]]))
        *above, last = draw.choice(list(places(document)))
        inside = reduce(lambda each, key: each[key], above, document)
        inside[last] = draw.choice(VALUES.get(type(inside[last]), [[], [1, 2], {}]))
        ours = holds(lambda given: recomputed(validated(Guarantee, canonical(given))), document)
        assert not ours or holds(standalone.check, document), (by_kind[at % len(by_kind)], above, last, inside[last])


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1, "a": 2}', "NaN", '{"model": 1}', "[" * 5_000, '"\\ud800"'])
def test_a_damaged_file_is_one_error(tmp_path, text):
    (tmp_path / "verify.py").write_text(program(), encoding="utf-8")
    (tmp_path / "model.json").write_text(text)
    done = subprocess.run(
        [sys.executable, "-I", tmp_path / "verify.py", tmp_path / "model.json"], capture_output=True, text=True
    )
    assert done.returncode == 2
    said = (done.stdout + done.stderr).strip()
    assert "Expected" in said and "Traceback" not in said and "\n" not in said

"""Both programs say of each test vector what is written there."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest

from tacit.errors import ModelFileError
from tacit.models.document import canonical, validated
from tacit.privacy import Guarantee
from tacit.verify import certificate_of, recomputed
from tests.verify.make_vectors import PATH, at

VECTORS = json.loads(PATH.read_text(encoding="utf-8"))["vectors"]
WHOLE = {vector["name"]: vector["certificate"] for vector in VECTORS if "certificate" in vector}


def patched(document: Any, patch: list[dict[str, Any]]) -> Any:
    """Return a copy after a JSON Patch (RFC 6902) of additions to objects, replacements and removals."""
    document = json.loads(json.dumps(document))
    for step in patch:
        path, _, name = step["path"].rpartition("/")
        inside = at(document, path)
        key = int(name) if isinstance(inside, list) else name
        if step["op"] == "remove":
            del inside[key]
        else:
            inside[key] = step["value"]
    return document


def by_the_package(certificate):
    read = certificate_of(canonical(certificate))
    found = recomputed(read)
    return found.holds and read.status != "simulated", found.epsilon


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_both_programs_give_the_expected_answer(standalone, vector):
    certificate = vector.get("certificate") or patched(WHOLE[vector["of"]], vector["patch"])

    def by_the_program(document):
        found = standalone.check(document)
        return found.holds, found.epsilon

    for program in (by_the_package, by_the_program):
        try:
            holds, epsilon = program(certificate)
        except (ModelFileError, ValueError):
            holds, epsilon = False, None
        assert holds == vector["accepted"], program
        if vector["accepted"]:
            assert epsilon == pytest.approx(vector["epsilon"], rel=1e-9)


STEPS = 2**20
BY_HAND = {
    # Log-odds, label protected: L1, or L2 under discrete Gaussian noise, by how large they can be.
    "pure": 1.21 * STEPS,  # 1/4
    "several rows of a person": 1.41 * STEPS * 3,  # 1/2, of three rows
    "approximate": 2.86 * STEPS,  # any
    "three classes": 2.86 * STEPS,  # any, of one class against the others
    "learned schema": 1.01 * STEPS,  # 1/4
    "gaussians last": 1.08 * STEPS,  # 1
    "persons": 1.08 * STEPS * 4096,  # 1, of rows that weigh 4096
    "gaussians last, after others": 1.21 * STEPS * 4096,  # 2, of rows that weigh 4096
    "rho": 1.53 * STEPS,  # any
    # A row leaves a cell and enters another: 2 in L1, and the root of 2 in L2.
    "holdout": 2,
    "holdout by group": 2,  # whichever group it leaves and enters
    "class weights": 2 * 4096,  # of rows that weigh 4096
    "survey weights": 2 * 4096,
    "ledger in rho": math.sqrt(2),
    "search paid in rows": math.sqrt(2),
    "explain share": math.sqrt(2 * 2) * 1024,  # in each of two columns, in parts of a row
    "search paid in epsilon": 1024,  # a loss of at most one, in the same parts
}
"""What the basis of the last release of each certificate gives by the page: to be worked out again for new vectors."""


@pytest.mark.parametrize("vector", [each for each in VECTORS if "by" in each], ids=lambda vector: vector["name"])
def test_both_refuse_a_wrong_sensitivity_for_what_its_basis_gives(standalone, vector):
    certificate, due = patched(WHOLE[vector["of"]], vector["patch"]), BY_HAND[vector["of"]]
    if vector["name"].endswith("of one row each"):
        due /= 3
    else:
        assert certificate["releases"][-1]["sensitivity"] == pytest.approx(due / 2)
    ours = recomputed(validated(Guarantee, canonical(certificate))).faults[-1]
    its = [fault for fault in standalone.check(certificate).faults if fault.startswith("Release")][-1]
    for fault in (ours, its):
        assert float(re.search(r"its basis gives ([0-9.e+]*[0-9])", fault)[1]) == pytest.approx(due, rel=1e-5)


def test_there_are_vectors_of_every_kind():
    assert {vector["of"] for vector in VECTORS if "by" in vector} == set(BY_HAND)
    assert len(WHOLE) == 27 and len({vector["name"] for vector in VECTORS}) == len(VECTORS)
    assert {vector["of"] for vector in VECTORS if "of" in vector} >= set(WHOLE) - {
        "simulated",
        "version 1",
        "merged, simulated",
    }
    assert PATH.stat().st_size < 400_000

"""Both programs say of each test vector what is written there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tacit.errors import ModelFileError
from tacit.models.document import canonical, validated
from tacit.privacy import Guarantee
from tacit.verify import recomputed
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
    read = validated(Guarantee, canonical(certificate))
    found = recomputed(read)
    return found.holds and read.status != "simulated", found.epsilon


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_both_programs_give_the_expected_answer(standalone, vector):
    certificate = vector.get("certificate") or patched(WHOLE[vector["of"]], vector["patch"])
    takes_as_stated = vector.get("by") == "sensitivities"

    def by_the_program(document):
        found = standalone.check(document)
        return found.holds, found.epsilon

    for program in (by_the_package, by_the_program):
        try:
            holds, epsilon = program(certificate)
        except (ModelFileError, ValueError):
            holds, epsilon = False, None
        assert holds == (vector["accepted"] or (takes_as_stated and program is by_the_program)), program
        if vector["accepted"]:
            assert epsilon == pytest.approx(vector["epsilon"], rel=1e-9)


def test_there_are_vectors_of_every_kind():
    assert len(WHOLE) == 20 and len({vector["name"] for vector in VECTORS}) == len(VECTORS)
    assert {vector["of"] for vector in VECTORS if "of" in vector} >= set(WHOLE) - {"simulated", "version 1"}
    assert PATH.stat().st_size < 400_000

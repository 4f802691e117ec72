"""The page on certificates is enough to compute every sensitivity that the package states."""

from __future__ import annotations

import random
from dataclasses import fields
from typing import get_type_hints

import pytest

from tacit.errors import ModelFileError
from tacit.models.document import as_plain, canonical, validated
from tacit.privacy import PrivacyUnit
from tacit.privacy.basis import Basis, basis_of
from tacit.privacy.unit import Persons
from tacit.verify import sensitivities
from tests.verify.second_sensitivities import FORMULAS, NORMS, second_sensitivity


def parts(document):
    return [document, document["learned"]] if document.get("learned") else [document]


def test_every_sensitivity_of_every_kind_of_model_is_computed_from_the_page_alone(models):
    asked = set()
    for kind, model in models.items():
        for part in parts(as_plain(model.guarantee)):
            sizes = {str(limit["slice"]): limit["n_rows"] for limit in part["limits"]}
            for line in part["releases"]:
                found = second_sensitivity(line, part, sizes[str(line["slice"])])
                if found is not None:
                    asked.add(line["basis"]["query"])
                    assert found == pytest.approx(line["sensitivity"], rel=1e-9), (kind, line)
    assert len(asked) > 8


def test_the_page_has_a_formula_for_every_query_of_the_package():
    sensitivities._import_all()
    kinds, found = [Basis], set()
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        found |= {kind.query} if kind.__module__.startswith("tacit.sensitivities") and kind.query else set()
    assert found == set(FORMULAS)


COLUMNS = ("a", "b", "c", "d")
CHOICES = {
    "largest": [0.25, 0.5, 1.0, 2.0, None], "n_classes": [2, 3, 5], "score": ["log-loss", "brier", "accuracy"],
    "criterion": ["gini", "error"], "ratio": [1.0, 1.5, 40.0, 1e9], "density": [None, 0.01, 0.3, 1.0],
    "squares": [None, 2.5], "most": [0.25, 1.0], "rounding": [0.0, 3.0],
}  # fmt: skip
"""Of fields that admit few values, or whose formulas have several cases."""


def drawn(kind, draw):
    """Return fields of a basis, by the types that it declares."""
    found = {}
    for name, hint in get_type_hints(kind).items():
        if name in {each.name for each in fields(kind)}:
            by_type = {
                "tuple[str": lambda: draw.sample(COLUMNS, draw.randint(0, 4)),
                "<class 'bool'>": lambda: draw.random() < 0.5,
                "<class 'int'>": lambda: draw.randint(1, 9),
                "<class 'float'>": lambda: round(draw.uniform(0, 3), 3),
            }
            make = next((each for start, each in by_type.items() if str(hint).startswith(start)), None)
            found[name] = draw.choice(CHOICES[name]) if name in CHOICES else make()
    return found


@pytest.mark.parametrize("query", FORMULAS)
def test_both_agree_on_bases_that_no_model_here_has(query):
    sensitivities._import_all()
    kind, draw, compared = basis_of(query), random.Random(query), 0
    for _ in range(300):
        entries, n_rows = drawn(kind, draw), draw.randint(50, 9_000)
        persons = draw.choice([None, None, Persons("who", draw.choice(["mean", 1, 4])), Persons(None, 3)])
        unit = PrivacyUnit(COLUMNS[: draw.randint(0, 3)], label=draw.random() < 0.5, persons=persons)
        if not unit.columns and not unit.label:
            continue
        try:
            basis = validated(kind, canonical(entries))
        except ModelFileError:
            continue
        certificate = {"columns": list(unit.columns), "label": unit.label}
        certificate["persons"] = None if persons is None else as_plain(persons)
        for norm in NORMS:
            line = {"basis": {"query": query, **entries}, "sensitivity_kind": norm, "mechanism": "Laplace"}
            ours = basis.sensitivity(unit, n_rows).get(norm, 0.0)
            assert second_sensitivity(line, certificate, n_rows) == pytest.approx(ours, rel=1e-6), (norm, entries, unit)
        compared += 1
    assert compared > 60

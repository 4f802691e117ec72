"""The second program computes every sensitivity that the package states, by formulas of its own."""

from __future__ import annotations

import json
import math
import random
from dataclasses import fields
from typing import get_type_hints

import pytest

from tacit.errors import ModelFileError
from tacit.models.document import as_plain, canonical, validated
from tacit.privacy import Guarantee, PrivacyUnit
from tacit.privacy.basis import Basis, basis_of
from tacit.privacy.unit import Persons
from tacit.verify import recomputed, sensitivities

ABOUT_NUMBERS = {"rows by place of the target"}
"""Of fits that predict a number, which the second program reads."""


def queries():
    sensitivities._import_all()
    kinds, found = [Basis], set()
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        found |= {kind.query} if kind.__module__.startswith("tacit.sensitivities") and kind.query else set()
    return found


def parts(document):
    return [document, document["learned"]] if document.get("learned") else [document]


def test_every_sensitivity_of_every_kind_of_model_is_computed_from_the_page_alone(standalone, models):
    asked = set()
    for kind, model in models.items():
        for part in parts(as_plain(model.guarantee)):
            sizes = {str(limit["slice"]): limit["n_rows"] for limit in part["limits"]}
            for line in part["releases"]:
                found = standalone.sensitivity_of(line, part, sizes[str(line["slice"])])
                asked.add(line["basis"]["query"])
                assert found == pytest.approx(line["sensitivity"], rel=1e-9), (kind, line)
    assert len(asked) > 8


def test_the_program_has_a_formula_for_every_query_of_the_package(standalone):
    assert queries() | ABOUT_NUMBERS == set(standalone.SENSITIVITIES)


COLUMNS = ("a", "b", "c", "d")
CHOICES = {
    "largest": [0.25, 0.5, 1.0, 2.0, None], "n_classes": [1, 2, 3, 5], "score": ["log-loss", "brier", "accuracy"],
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


@pytest.mark.parametrize("query", sorted(queries()))
def test_both_agree_on_bases_that_no_model_here_has(standalone, query):
    kind, draw, compared = basis_of(query), random.Random(query), 0
    for _ in range(300):
        entries, n_rows = drawn(kind, draw), draw.randint(50, 9_000)
        persons = draw.choice([None, None, Persons("who", draw.choice(["mean", 1, 4])), Persons(None, 3)])
        unit = PrivacyUnit(COLUMNS[: draw.randint(0, 3)], label=draw.random() < 0.5, persons=persons)
        if not unit.columns and not unit.label:
            continue
        if "log-odds" in query and entries["n_classes"] == 1:
            continue  # a number has none
        try:
            basis = validated(kind, canonical(entries))
        except ModelFileError:
            # A draw may have a null, where only numbers are.
            with pytest.raises(standalone.BadInput):
                standalone.sensitivity_of(release(query, entries, "gauge"), certificate(unit), n_rows)
            continue
        for norm in standalone.NORMS:
            ours = basis.sensitivity(unit, n_rows).get(norm, 0.0)
            its = standalone.sensitivity_of(release(query, entries, norm), certificate(unit), n_rows)
            assert its == pytest.approx(ours, rel=1e-6), (norm, entries, unit)
        compared += 1
    assert compared > 60


def release(query, entries, norm):
    return {"basis": {"query": query, **entries}, "sensitivity_kind": norm, "mechanism": "Laplace"}


def certificate(unit):
    persons = None if unit.persons is None else as_plain(unit.persons)
    return {"columns": list(unit.columns), "label": unit.label, "persons": persons}


TREES = {"label": True, "weighs_classes": False, "most": 0.25, "weight": 3}
RANKED = {"reads_protected": True, "n_classes": 1, "radius": 0.5, "n_nonzero": 4, "weight": 1}
STEP = 3 * 2**20
"""Of a weight of 3, as the number of a leaf is on its grid."""


@pytest.mark.parametrize(
    ("query", "entries", "label", "l1", "l2", "spread"),
    [
        ("rows by place of the target", {"weight": 5}, True, 10, 5 * math.sqrt(2), 0),
        ("rows by place of the target", {"weight": 5}, False, 0, 0, 0),
        # 2 C radius on the grids of both, with C = 1/2; four features other than zero.
        ("summed gradients of ranked rows", RANKED, True, 2 * 0.5 * 2**26, 0.5 * 2**26, 0),
        # Two numbers may differ in sign where the label is protected, or where margins are moved by what is.
        ("residuals by leaf", TREES | {"leaf": False, "margin": False}, True, STEP, STEP, 0),
        ("residuals by leaf", TREES | {"leaf": False, "margin": True}, False, STEP, STEP, 0),
        ("residuals by leaf", TREES | {"leaf": True, "margin": True}, False, STEP, STEP, 0),
        ("residuals by leaf", TREES | {"leaf": True, "margin": False}, False, STEP, math.sqrt(2) / 2 * STEP, 0),
        ("residuals by leaf", TREES | {"leaf": False, "margin": False}, False, 0, 0, 0),
        # Margins alone move no curvature.
        ("curvatures by leaf", TREES | {"leaf": False, "margin": True}, True, 0, 0, 0),
        ("curvatures by leaf", TREES | {"leaf": True, "margin": False}, False, STEP / 2, STEP * math.sqrt(1 / 8), 0),
        ("oblivious trees", TREES | {"leaf": False, "margin": True, "rounding": 0}, False, 0, 0, 2 * STEP),
        ("oblivious trees", TREES | {"leaf": True, "margin": True, "rounding": 0}, False, 0, 0, 2 * STEP),
        ("oblivious trees", TREES | {"leaf": False, "margin": False, "rounding": 0}, False, 0, 0, 0),
    ],
)
def test_where_a_number_is_predicted_by_hand(standalone, query, entries, label, l1, l2, spread):
    if query != "rows by place of the target":
        entries = {"n_classes": 1, **entries}
    of = {"columns": ["a"], "label": label, "persons": None}
    for norm, due in (("l1", l1), ("l2", l2), ("range", spread), ("gauge", 0)):
        assert standalone.sensitivity_of(release(query, entries, norm), of, 100) == pytest.approx(due), norm


def test_the_rounding_of_a_mechanism_over_cells_is_that_of_one_query(standalone):
    of, line = {"columns": ["a"], "label": True, "persons": None}, release("", {}, "range")
    line["mechanism"] = "exponential mechanism over cells"
    line["basis"] = {"query": "cells that halve intervals", "rows_read": 3}
    assert standalone.sensitivity_of(line, of, 100) == 12 * (1 + 2**-13)
    line["basis"] = {"query": "rows that a column alone tells the class of", "weight": 1}
    assert standalone.sensitivity_of(line, of, 100) == 2048


@pytest.mark.parametrize("factor", [0.5, 0.999, 0.99999, 1.00001, 2])
def test_both_refuse_any_other_sensitivity_and_its_noise(standalone, models, factor):
    for kind, model in models.items():
        for at, line in enumerate(as_plain(model.guarantee)["releases"]):
            document = as_plain(model.guarantee)
            other = {name: line[name] * factor for name in ("sensitivity", "noise_scale")}
            if not line["sensitivity"]:
                continue
            document["releases"][at] |= other
            assert any("its basis gives" in fault for fault in standalone.check(document).faults), (kind, line)
            read = validated(Guarantee, canonical(document))
            assert any("its basis gives" in fault for fault in recomputed(read).faults), (kind, line)


@pytest.mark.parametrize("factor", [1 - 1e-7, 1 + 1e-7])
def test_neither_refuses_what_rounding_may_do(standalone, models, factor):
    document = as_plain(models["delta"].guarantee)
    for line in document["releases"]:
        line["sensitivity"] *= factor
    assert standalone.check(document).faults == () == recomputed(validated(Guarantee, canonical(document))).faults


ODD = [None, True, -1, 0, 0.5, 1e308, 1, 3, "", "gini", [], ["age"], ["age", "age", "sky"], [1], {}]

APART = [("query", {})]
"""No basis has an object in it, whatever its query."""


def test_a_basis_is_refused_by_both_or_by_none(standalone, models):
    """Each field of each query here is replaced by odd values, left out, and joined by another."""
    seen, refused = set(), 0
    for model in models.values():
        whole = as_plain(model.guarantee)
        for at, line in enumerate(whole["releases"]):
            if line["basis"]["query"] in seen:
                continue
            seen.add(line["basis"]["query"])
            changes = [{name: odd} for name in line["basis"] for odd in ODD if (name, odd) not in APART]
            changed = [line["basis"] | change for change in [*changes, {"more": 1}]]
            changed += [{each: line["basis"][each] for each in line["basis"] if each != name} for name in line["basis"]]
            for basis in changed:
                document = json.loads(json.dumps(whole))
                document["releases"][at]["basis"] = basis
                its = bool(standalone.check(document).faults)
                refused += its
                assert by_the_package(document) == its, basis
    assert refused > 300


def by_the_package(document):
    try:
        return bool(recomputed(validated(Guarantee, canonical(document))).faults)
    except ModelFileError:
        return True


def test_a_bound_beyond_floats_is_refused_by_both(standalone, models):
    document = as_plain(models["delta"].guarantee)
    line = next(each for each in document["releases"] if "radius" in each["basis"])
    line["basis"]["radius"] = 1e308
    [fault] = standalone.check(document).faults
    assert "its basis gives inf" in fault
    [fault] = recomputed(validated(Guarantee, canonical(document))).faults
    assert "numbers in its basis that no query has" in fault


STATED = [
    None, {}, {"query": "of another program"}, {"query": 1}, {"query": "weighted error of a linear rule", "ratio": 1.5},
    {"query": "summed gradients of bins", "unread": [], "public": 0, "clip": 1.0, "squares": 3.0, "weight": 1},
]  # fmt: skip


@pytest.mark.parametrize("basis", STATED, ids=str)
def test_both_say_the_same_of_what_they_take_as_stated(standalone, models, basis):
    document = as_plain(models["delta"].guarantee)
    assert not [text for text in standalone.check(document).unknown if "sensitivity" in text]
    document["releases"][1]["basis"] = basis
    found = standalone.check(document)
    [text] = [text for text in found.unknown if "its sensitivity of" in text]
    assert text.startswith("Release 2 ")
    ours = recomputed(validated(Guarantee, canonical(document)))
    assert [line.order for line in ours.as_stated] == [2] and bool(ours.faults) == bool(found.faults)
    # A bound by earlier answers is taken as stated, but what follows from it is not.
    assert bool(found.faults) == (basis is not None and basis.get("query") in standalone.BOUNDED_BY_ANSWERS)

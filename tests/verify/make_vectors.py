"""Writes `vectors.json`: `python -m tests.verify.make_vectors`, again for each version of the format.

Fits draw secure noise, so that each run writes other certificates; what is altered in them, and what is to be said of
them, is written here by hand.
"""

from __future__ import annotations

import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import tacit
from tacit import (
    Identifier,
    LazyBBClassifier,
    LogisticClassifier,
    NaiveBayesClassifier,
    PaidSearch,
    Schema,
    SVMClassifier,
    TreeClassifier,
)
from tacit.ledger import Account, Ledger
from tacit.models.document import as_plain
from tacit.privacy import Budget
from tacit.privacy.conversions import zcdp_epsilon
from tests.verify.conftest import COLUMNS, THREE, TWO, WEIGHED, WEIGHTS, _fit, _frame

PATH = Path(__file__).with_name("vectors.json")
DELTA = {"epsilon": 0.7, "delta": 1e-6}
GOLDEN = Path(__file__).parents[1] / "golden" / "format-1" / "naive-bayes.model.json"

RELEASE = {
    "basis": None, "counted": "pure", "currency": "epsilon", "delta": 0, "loss": 0.25, "mechanism": "Laplace",
    "noise_scale": 8, "order": 1, "query": "persons by region", "sampler": "a lottery drum", "sensitivity": 2,
    "sensitivity_kind": "l1", "slice": [[1, 2]],
}  # fmt: skip
LIMIT = {
    "composition": "pure", "delta": 0, "epsilon": 0, "gaussian": 0, "loss": 0.5, "n_rows": 500, "released": 2,
    "slice": [[1, 2]],
}  # fmt: skip
FOREIGN = {
    "version": 2, "status": "private", "columns": ["region", "income"], "label": False, "n_rows": 1000, "epsilon": 0.5,
    "delta": 0, "composition": "pure", "rho": None, "gaussian": None, "runs": None, "learned": None, "persons": None,
    "labeled_public": False, "charge": None, "noise": "a lottery drum", "exact": [], "reasons": [],
    "assumptions": ["Both halves were drawn by lot."],
    "limits": [LIMIT, LIMIT | {"slice": [[2, 2]], "loss": 0.4, "released": 1}],
    "releases": [
        RELEASE,
        RELEASE | {"order": 2, "query": "sum of incomes", "sensitivity": 90000, "noise_scale": 360000},
        RELEASE | {"slice": [[2, 2]], "sensitivity": 2, "noise_scale": 5, "loss": 0.4},
    ],
}  # fmt: skip
"""By hand: 2/8 + 90000/360000 on one half of the rows, 2/5 on the other; a person is in one of them."""

OF_EACH_KIND = {
    "a smaller epsilon", "half the noise", "a release left out", "half a limit", "a smaller delta",
    "limits of rows that overlap",
}  # fmt: skip


def fitted(folder: Path) -> dict[str, Any]:
    """Return a certificate of each kind, as it is written."""
    few, three, many = _frame(600), _frame(600, 3), _frame(12_000)
    book = Ledger(folder / "book.ledger")
    book.open(Account.of("rho", Budget(3.0, 1e-6)))
    tree: dict[str, Any] = {"max_splits": 2}
    found = {
        "pure": _fit(NaiveBayesClassifier(TWO, epsilon=0.7), few),
        "rho": _fit(LazyBBClassifier(TWO, rounds=20, **DELTA), few),
        "gaussians last": _fit(LogisticClassifier(TWO, **DELTA), few),
        "gaussians last, after others": _fit(LogisticClassifier(TWO, class_weight="balanced", **DELTA), few),
        "approximate": _fit(LogisticClassifier(TWO, method="gaussian-objective", **DELTA), few),
        "three classes": _fit(SVMClassifier(THREE, epsilon=0.7), three),
        "holdout": _fit(NaiveBayesClassifier(TWO, holdout=0.5, **DELTA), few),
        "holdout by group": _fit(NaiveBayesClassifier(TWO, holdout=0.5, holdout_by="sky", epsilon=0.7), many),
        "class weights": _fit(TreeClassifier(TWO, epsilon=0.7, class_weight="balanced", **tree), few),
        "survey weights": _fit(TreeClassifier(WEIGHED, epsilon=0.7, **tree), few.with_columns(w=WEIGHTS[:600])),
        "explain share": _fit(LogisticClassifier(TWO, explain_share=0.2, **DELTA), few),
        "ledger in rho": _fit(TreeClassifier(TWO, ledger=f"{book.path}#rho", **DELTA, **tree), few),
        "simulated": _fit(NaiveBayesClassifier(TWO, epsilon=0.7, random_state=0), few),
        "nothing protected": _fit(NaiveBayesClassifier(TWO.with_private([], label=False), epsilon=0.7), few),
    }
    for pay in ("rows", "epsilon"):
        search = PaidSearch([TreeClassifier(TWO)], [{"max_splits": [2, 3]}], pay=pay, **DELTA)
        found[f"search paid in {pay}"] = _fit(search, many)
    kinds = tacit.Kinds({"age": "number", "sky": "category", "works": "category"})
    learned = tacit.learn_schema(many.drop("person"), kinds, label="works", epsilon=0.2, delta=1e-6)
    found["learned schema"] = _fit(NaiveBayesClassifier(learned, **DELTA), many)
    persons = Schema(COLUMNS, label=TWO.label, identifier=Identifier("person", rows="mean"))
    found["persons"] = LogisticClassifier(persons, **DELTA).fit(few.drop("works"), few["works"])
    several = Schema(COLUMNS, label=TWO.label, rows_per_person=3)
    found["several rows of a person"] = _fit(NaiveBayesClassifier(several, epsilon=0.7), few)
    inferred = NaiveBayesClassifier("infer", epsilon=0.7)
    found["void"] = _fit(inferred, few)
    plain = {name: as_plain(each.privacy_) for name, each in found.items()} | merged_of(found, few)
    old = json.loads(GOLDEN.read_text(encoding="utf-8"))["model"]["guarantee"]
    return plain | {"version 1": old, "foreign": FOREIGN}


def merged_of(found: dict[str, Any], few: Any) -> dict[str, Any]:
    """Return merged certificates: of different people, of perhaps the same, and of the same table."""
    sites = [found["pure"].model_, _fit(NaiveBayesClassifier(TWO, epsilon=0.4), few[:400]).model_]
    with_delta = [sites[1], _fit(LogisticClassifier(TWO, **DELTA), few).model_]
    again = [found["pure"].model_, _fit(TreeClassifier(TWO, epsilon=0.3, max_splits=2), few).model_]
    merged = {
        "merged": tacit.merge(sites),
        "merged, with a delta": tacit.merge(with_delta),
        "merged, overlapping": tacit.merge(with_delta, people="at several sites"),
        "merged, the same people": tacit.merge(again, people="the same"),
        "merged, simulated": tacit.merge([sites[0], found["simulated"].model_]),
    }
    return {name: as_plain(each.guarantee) for name, each in merged.items()}


CHARGE = {"ledger": "0123456789abcdef" * 2, "account": "study", "number": 1, "head": "0123456789abcdef" * 4}


def charged(one: Any, account: str) -> list[dict[str, Any]]:
    """Return a JSON Patch after which the first part was charged to an account, and the last to this one."""
    places = [f"/parts/{at}/certificate/charge" for at in (0, len(one["parts"]) - 1)]
    return put((places[0], CHARGE), (places[1], CHARGE | {"account": account, "number": 2}))


def left_out(one: Any) -> list[tuple[str, list[dict[str, Any]], bool]]:
    """Return alterations of what a merged certificate says in words."""
    words = one["assumptions"]
    found = [(f"assumption {at + 1} left out", out(f"/assumptions/{at}"), False) for at in range(len(words))]
    return [
        *found,
        ("an assumption more", put(("/assumptions", [*words, "Nobody read the files before."])), True),
        ("assumptions in another order", put(("/assumptions", words[::-1])), True),
        ("other noise", put(("/noise", "a lottery drum")), False),
        ("nothing that is public", put(("/exact", one["exact"][1:])), not one["exact"]),
        ("more that is public", put(("/exact", [*one["exact"], "All rows."])), False),
        ("parts of two accounts", charged(one, "another"), True),
        ("parts of one account", charged(one, "study"), one["people"] != "at one site"),
    ]


def altered_parts(name: str, one: Any) -> list[tuple[str, str, list[dict[str, Any]], bool]]:
    """Return alterations of a merged certificate: its name, what is altered, how, and whether it still holds."""
    first, last = "/parts/0/certificate", f"/parts/{len(one['parts']) - 1}/certificate"
    columns = at(one, f"{first}/columns")
    found = [
        ("a smaller epsilon", scaled(one, 0.9, "/epsilon"), False),
        ("a larger epsilon", scaled(one, 1.5, "/epsilon"), True),
        ("half the noise in a part", scaled(one, 0.5, f"{first}/releases/0/noise_scale"), False),
        ("a release of a part left out", out(f"{last}/releases/0"), False),
        ("a part that claims less", scaled(one, 0.5, f"{last}/epsilon"), False),
        ("a part left out", out("/parts/0"), False),
        ("a part twice", put(("/parts/0", one["parts"][1])), False),
        ("parts in another order", put(("/parts", one["parts"][::-1])), False),
        ("more rows than its parts have", scaled(one, 2, "/n_rows"), False),
        ("a part of another unit", put((f"{first}/columns", columns[:1])), False),
        ("fewer columns", put(("/columns", columns[:1])), False),
        ("a simulated part", put((f"{first}/status", "simulated"), (f"{first}/noise", "simulated")), False),
        ("a void part", put((f"{first}/status", "void"), (f"{first}/reasons", ["It is."])), False),
        ("an unknown field", [{"op": "add", "path": "/parts/0/more", "value": 1}], False),
        ("a release of its own", put(("/releases", at(one, f"{first}/releases")[:1])), False),
        ("other people", put(("/people", "nobody")), False),
        ("no people", out("/people"), False),
        ("a merged part", put((first, one)), False),
        *left_out(one),
    ]  # fmt: skip
    if one["people"] == "at one site":
        found.append(
            ("the largest claimed for people who may be the same", put(("/people", "at several sites")), False)
        )
    if one["people"] == "the same":
        found.append(("of different people", put(("/people", "at one site")), False))
    if one["delta"]:
        found.append(("a smaller delta", scaled(one, 0.5, "/delta"), False))
    return [(name, *each) for each in found]


def put(*changes: tuple[str, Any]) -> list[dict[str, Any]]:
    """Return a JSON Patch (RFC 6902) that puts values in places."""
    return [{"op": "replace", "path": path, "value": value} for path, value in changes]


def out(*paths: str) -> list[dict[str, Any]]:
    """Return a JSON Patch that takes places out."""
    return [{"op": "remove", "path": path} for path in paths]


def scaled(certificate: Any, factor: float, *paths: str) -> list[dict[str, Any]]:
    """Return a JSON Patch that multiplies numbers."""
    return put(*((path, at(certificate, path) * factor) for path in paths))


def at(document: Any, path: str) -> Any:
    """Return what is at a JSON Pointer."""
    for name in path.split("/")[1:]:
        document = document[int(name) if isinstance(document, list) else name]
    return document


def altered(name: str, one: Any) -> dict[str, list[dict[str, Any]]]:
    """Return alterations after which a certificate with limits promises more than its releases keep."""
    last = len(one["releases"]) - 1
    end = one["releases"][last]["slice"]
    where = next(place for place, limit in enumerate(one["limits"]) if limit["slice"] == end)
    first, released = f"/limits/{where}", one["limits"][where]["released"]
    found = {
        "a smaller epsilon": scaled(one, 0.9, "/epsilon"),
        "half the noise": scaled(one, 0.5, f"/releases/{last}/noise_scale"),
        "half a loss": scaled(one, 0.5, f"/releases/{last}/loss"),
        "half a sensitivity": scaled(one, 0.5, f"/releases/{last}/sensitivity"),
        "a release left out": out(f"/releases/{last}"),
        "a release more than announced": put((f"{first}/released", released - 1)),
        "releases numbered from 0": put((f"/releases/{last}/order", released - 1)),
        "a release of other rows": put((f"/releases/{last}/slice", [[1, 7]])),
        "a loss in another unit": put((f"/releases/{last}/currency", other(one["releases"][last]["currency"]))),
        "another kind of sensitivity": put((f"/releases/{last}/sensitivity_kind", "no kind")),
        "half a limit": scaled(one, 0.5, f"{first}/loss"),
        "no limit": put(("/limits", [])),
        "an unknown field": [{"op": "add", "path": "/limits/0/more", "value": 1}],
        "a missing field": out("/limits/0/gaussian"),
        "a negative loss": scaled(one, -1, f"/releases/{last}/loss"),
        "a loss beyond floats": put((f"/releases/{last}/loss", 1e300)),
        "an unknown mechanism": put((f"/releases/{last}/mechanism", "a coin")),
        "simulated noise": put((f"/releases/{last}/sampler", "simulated, from a seed")),
        "noise simulated in capitals": put((f"/releases/{last}/sampler", "SIMULATED")),
        "a mechanism in other letters": put(
            (f"/releases/{last}/mechanism", one["releases"][last]["mechanism"].swapcase())
        ),
        "a status in other letters": put(("/status", "Private")),
        "a version that is no number": put(("/version", True)),
        "a negative delta": put(("/delta", -1e-6)),
        "a negative loss that makes up for another": put(("/releases/0/loss", -one["releases"][0]["loss"])),
        "limits of more rows than there are": put(("/n_rows", 3)),
        "a unit with its name in other letters": [{"op": "add", "path": "/Epsilon", "value": one["epsilon"] / 2}],
    }
    if one["delta"]:
        found["a smaller delta"] = scaled(one, 0.5, "/delta")
        found["a delta of one over the rows"] = put(("/delta", 1 / one["n_rows"]))
    if len(one["limits"]) > 1:
        inside = [*one["limits"][0]["slice"], [1, 2]]
        found["limits of rows that overlap"] = put(("/limits/1/slice", inside))
    whole = ("pure", "rho", "holdout", "foreign")  # of all others only what tells of the kind
    return {what: patch for what, patch in found.items() if name in whole or what in OF_EACH_KIND}


def other(currency: str) -> str:
    """Return the other unit of losses."""
    return "rho" if currency == "epsilon" else "epsilon"


def special(given: dict[str, Any]) -> list[tuple[str, str, list[dict[str, Any]], bool]]:
    """Return alterations that suit one kind: certificate, what is altered, how, and whether it still holds."""
    last = {name: len(one["releases"]) - 1 for name, one in given.items()}
    learned, by_epsilon = given["learned schema"], given["search paid in epsilon"]
    return [
        ("gaussians last", "as other noise", put((f"/releases/{last['gaussians last']}/counted", "zcdp")), False),
        ("gaussians last, after others", "choices as Gaussian", put(("/releases/0/counted", "gaussian")), False),
        ("gaussians last", "no rho", put(("/rho", None)), False),
        ("gaussians last", "less of rho for Gaussian noise", scaled(given["gaussians last"], 0.5, "/gaussian"), False),
        ("approximate", "no delta", put((f"/releases/{at_approximate(given)}/delta", 0)), False),
        ("rho", "composition of epsilons", put(("/composition", "pure")), False),
        ("search paid in epsilon", "more runs", scaled(by_epsilon, 100, "/runs/one_in"), False),
        ("search paid in epsilon", "one run", put(("/runs", None)), True),
        ("learned schema", "cheaper schema", scaled(learned, 0.5, "/learned/epsilon"), False),
        ("learned schema", "a release of the schema left out", out("/learned/releases/0"), False),
        ("learned schema", "only the fit's epsilon claimed", put(("/epsilon", 0.7)), False),
        ("learned schema", "a simulated schema", put(("/learned/status", "simulated")), False),
        ("learned schema", "for persons whom the schema does not know",
         put(("/persons", {"identifier": "person", "rows": "mean", "same_rows": False})), False),
        ("void", "called private", put(("/status", "private"), ("/reasons", [])), True),
        ("nothing protected", "a cost", put(("/epsilon", 1)), False),
        ("foreign", "the halves' losses added up", put(("/epsilon", 0.9)), True),
        ("holdout", "limits in another order", put(("/limits", given["holdout"]["limits"][::-1])), True),
        ("holdout", "releases in another order", put(("/releases", given["holdout"]["releases"][::-1])), False),
        ("holdout", "a half and a third", half_and_third(given["holdout"]), False),
        ("pure", "half the noise, and no basis for half a sensitivity", without_basis(given["pure"]), True),
        ("survey weights", "half the sum's sensitivity and half its noise", of_sum(given["survey weights"]), False),
        ("several rows of a person", "of one row each", put(("/persons", None)), False),
        ("foreign", "other words", put(("/releases/0/query", "Personen je Region"), ("/noise", "Würfel")), True),
        ("foreign", "more noise at the same loss", scaled(given["foreign"], 2, "/releases/0/noise_scale"), False),
    ]  # fmt: skip


def half_and_third(one: Any) -> list[dict[str, Any]]:
    """Return a JSON Patch after which the second half is called a third, so that it and the first half overlap."""
    listed = [f"/{name}/{place}/slice" for name in ("limits", "releases") for place in range(len(one[name]))]
    return put(*((path, [[1, 3]]) for path in listed if at(one, path) == [[2, 2]]))


def without_basis(one: Any) -> list[dict[str, Any]]:
    """Return a JSON Patch after which a sensitivity is taken as stated: what that means."""
    halved = scaled(one, 0.5, "/releases/0/sensitivity", "/releases/0/noise_scale")
    return [*put(("/releases/0/basis", None)), *halved]


def of_sum(one: Any) -> list[dict[str, Any]]:
    """Return a JSON Patch after which the sum of weights moves half as far."""
    return scaled(one, 0.5, "/releases/0/sensitivity", "/releases/0/noise_scale")


def at_approximate(given: dict[str, Any]) -> int:
    """Return which release has a delta of its own."""
    return next(at for at, line in enumerate(given["approximate"]["releases"]) if line["counted"] == "approximate")


def vectors(given: dict[str, Any]) -> list[dict[str, Any]]:
    """Return all vectors: certificates as they are, and what is altered in them."""
    refused = ("simulated", "void", "version 1", "merged, simulated")
    claims = {name: one["epsilon"] for name, one in given.items()}
    found: list[dict[str, Any]] = [
        {"name": name, "certificate": one, "accepted": name not in refused}
        | ({"epsilon": claims[name]} if name not in refused else {})
        for name, one in given.items()
    ]
    for name, one in given.items():
        for what, patch in altered(name, one).items() if one["releases"] and one.get("limits") else ():
            found.append({"name": f"{name}: {what}", "of": name, "patch": patch, "accepted": False})
        if name not in refused and one["releases"] and one["releases"][-1]["basis"]:
            paths = [f"/releases/{len(one['releases']) - 1}/{each}" for each in ("sensitivity", "noise_scale")]
            patch = scaled(one, 0.5, *paths)
            vector = {"name": f"{name}: half a sensitivity and half the noise", "of": name, "patch": patch}
            found.append(vector | {"accepted": False, "by": "sensitivities"})
    epsilons = {
        "search paid in epsilon: one run": zcdp_epsilon(given["search paid in epsilon"]["rho"], 1e-6),
        "foreign: the halves' losses added up": 0.5,
    }
    merged = [each for name in given if "parts" in given[name] and name not in refused
              for each in altered_parts(name, given[name])]  # fmt: skip
    for name, what, patch, holds in [*special(given), *merged]:
        full = f"{name}: {what}"
        vector = {"name": full, "of": name, "patch": patch, "accepted": holds}
        by = {"by": "sensitivities"} if what == "of one row each" else {}
        found.append(vector | by | ({"epsilon": epsilons.get(full, claims[name])} if holds else {}))
    return found


def main() -> None:
    """Write the file."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = vectors(fitted(Path(folder)))
    lines = ",\n".join(json.dumps(each, sort_keys=True, separators=(",", ":"), ensure_ascii=False) for each in found)
    PATH.write_text(f'{{"format":"certificate vectors","version":1,"vectors":[\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()

"""What a model's file says against its certificate: docs/certificate-sensitivities.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from tacit.errors import ModelFileError, shown
from tacit.models.document import parsed
from tacit.privacy import Guarantee, RowWeight
from tacit.privacy.assumptions import weighed_rows
from tacit.privacy.limit import Slices

Part = Mapping[str, Any]
"""An object of a model's JSON."""

Queries = tuple[str, ...]
"""Any of which fills a part."""


@dataclass(frozen=True)
class Protected:
    """What a certificate protects, as parts ask it."""

    columns: frozenset[str]
    label: bool

    def reads(self, names: Iterable[Any]) -> bool:
        """Return whether the label, or one of these columns, is protected."""
        return self.label or any(name in self.columns for name in names)


Needs = Iterable[tuple[Queries, int]]
"""Queries, and at least how many releases of any of them there are."""

Need = Callable[[Any, Protected], Needs]

_COUNTS: Queries = ("counts and sums by class",)
_CALIBRATION: Queries = ("residuals and curvatures of log-odds",)
_CUTS: Queries = ("cells that halve intervals", "rows by place of numbers")
_LINEAR: Queries = (
    "minimizer of a linear objective", "sum of residuals times features", "summed gradients of bins",
)  # fmt: skip
_SPLITS: Queries = ("splits of leaves", "rows by leaf, class and bin of each column")
_LEAVES: tuple[Queries, ...] = (("residuals by leaf",), ("curvatures by leaf",))
_HELD_OUT: Queries = ("held-out rows by level",)


def _counts(_: Any, __: Protected) -> Needs:
    yield _COUNTS, 1


def _shares(found: Any, protected: Protected) -> Needs:
    yield _COUNTS, bool(found) and protected.label


def _link(found: Any, _: Protected) -> Needs:
    yield _CALIBRATION, found is not None


def _start(found: Any, protected: Protected) -> Needs:
    # Without counts all scores are zero: of a number, which is counted from its median.
    yield _COUNTS, any(found) and protected.label


def _scale(found: Any, protected: Protected) -> Needs:
    yield ("cells that halve intervals", "rows by place of the target"), protected.label and found is not None


def _slope(found: Any, _: Protected) -> Needs:
    yield _CALIBRATION, found != 1


def _cuts(found: Any, protected: Protected) -> Needs:
    # Each release halves all intervals of all columns, and n halvings give 2^n - 1 cut points at most.
    yield _CUTS, max((len(cuts).bit_length() for name, cuts in found if name in protected.columns), default=0)


def _forms(found: Any, _: Protected) -> Needs:
    yield _LINEAR, any(form["source"] == "private" for form in found)


def _gradients(found: Any, _: Protected) -> Needs:
    yield ("summed gradients of ranked rows",), any(any(row) for row in found)


def _moments(found: Any, protected: Protected) -> Needs:
    yield ("moments of ranked rows",), any(name in protected.columns for name in found)


def _edges(_: Any, __: Protected) -> Needs:
    yield ("sums of edges", "all edges"), 1


def _literal(node: Part) -> list[str]:
    return [node["literal"]["column"]] if "literal" in node else []


def _nodes(found: Any, protected: Protected) -> Needs:
    asked = [name for node in found for name in _literal(node)]
    yield ("rows of each class at each leaf",), protected.reads(asked)
    yield _SPLITS, bool(asked) and protected.reads(asked)


def _votes_of_rules(found: Any, _: Protected) -> Needs:
    trees = [vote for vote in found if vote["kind"] == "literal-tree"]
    yield ("weighted errors of one-rules",), len(found) - len(trees)
    yield ("lead of the second class at each leaf",), len(trees)
    yield ("splits of leaves",), sum(any(map(_literal, tree["nodes"])) for tree in trees)


def _votes(found: Any, _: Protected) -> Needs:
    yield ("weighted error of a linear rule",), sum(vote["source"] == "private" for vote in found)


def _trees(found: Any, protected: Protected) -> Needs:
    moved = sum(any(test["column"] in protected.columns for test in tree["tests"]) for tree in found)
    yield _LEAVES[0], len(found) if protected.label else moved
    yield _LEAVES[1], moved


def _first(found: Any, protected: Protected) -> Needs:
    return _of_scorer(found, protected) if found else ()


def _held_out(found: Any, protected: Protected) -> Needs:
    if not found or found["origin"] != "holdout":
        return
    if "distances" in found:
        yield from _residuals(found, protected)
        return
    own, by_group = found["by_class"], found.get("by_group") is not None
    yield _HELD_OUT, (not by_group) + 2 * (own is not None)
    yield ("held-out rows by level and group",), by_group
    # Scores of public columns have exact quantiles; of two classes zero is an edge, too, halved or not.
    edges = own["edges"] if own is not None else [found["edges"][1:]] if len(found["counts"]) == 2 else []
    yield _CUTS, max((len(each).bit_length() for each in edges if protected.columns), default=0)
    yield ("held-out rows' squared influence on the mean area",), own is not None and own["squares"] is not None


def _residuals(found: Any, protected: Protected) -> Needs:
    # Distances from the start are exact where the target is public.
    yield _HELD_OUT, 2 if protected.label else 1
    kept = len(found["edges"]) - sum(found["outer"])
    yield _CUTS, kept.bit_length()


def _weight(found: Any, _: Protected) -> Needs:
    weight = found.get("weight")
    yield ("sum of weights",), bool(weight) and weight["private"] and weight["mean"] is None


def _profile(found: Any, _: Protected) -> Needs:
    yield ("rows by cell, class and predicted class",), found is not None


RELEASED: Mapping[str, Mapping[str, Need]] = {
    "model": {"profile": _profile, "released_shares": _shares, "scale": _scale, "schema": _weight},
    "boosted-trees": {"start": _start, "trees": _trees, "cuts": _cuts, "first": _first},
    "linear-model": {"forms": _forms, "cuts": _cuts, "link": _link},
    "literal-tree": {"nodes": _nodes, "cuts": _cuts},
    "literal-votes": {"votes": _votes_of_rules, "cuts": _cuts, "link": _link},
    "logistic-model": {"forms": _forms, "cuts": _cuts},
    "naive-bayes": {
        "intercepts": _counts, "slope": _slope, "tables": _counts, "cuts": _cuts, "class_shares": _shares,
    },
    "rado-form": {"weights": _edges, "link": _link},
    "ranked": {"columns": _moments, "weights": _gradients, "cuts": _cuts, "class_shares": _shares},
    "vote": {"votes": _votes, "link": _link},
}  # fmt: skip
"""By the kind of a scorer, its fields that hold answers, or follow from them; the training rows' are counted."""

SETTINGS: Mapping[str, str] = {
    "model": "learner scorers guarantee on_invalid fitted_with why monotone held_out class_weights loss quantiles",
    "boosted-trees": "n_bins",
    "linear-model": "intercept",
    "literal-tree": "n_bins class_shares",
    "literal-votes": "n_bins start",
    "logistic-model": "intercept",
    "naive-bayes": "n_bins",
    "rado-form": "intercept scale encoding protection marginal clip",
    "ranked": "radius public bends short joined curved",
    "vote": "encoding",
}
"""Fields that are settings, exact functions of public cells, or follow from a field that names its releases."""

_EVERYWHERE = frozenset({"kind", "noise"})


def contradictions(model: Part, certificate: Guarantee) -> Iterator[str]:
    """Yield what the rest of a model's file says against its certificate, which promises something.

    Parameters
    ----------
    model : mapping
        The model, as its file has it.
    certificate : Guarantee
        Of version 2, and neither void nor public.
    """
    try:
        yield from (*_unprotected(model, certificate), *_learned(model), *_unlisted(model, certificate))
    # Whatever is made of fields that no model has; each is asked for as models have it.
    except (ModelFileError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        yield "The model is damaged: it has not the fields that models have."


def _unprotected(model: Part, certificate: Guarantee) -> Iterator[str]:
    """Yield that the schema declares more as private than the certificate protects."""
    schema = model["schema"]
    # What is computed of side tables is protected, whatever the schema says.
    columns, weight = (*schema["columns"], *schema.get("group_columns", ())), schema.get("weight")
    hides = bool(weight) and weight["private"]  # all that a row has
    private = {each["name"] for each in columns if each["private"] or each.get("from_table") or hides}
    if ((schema["label"]["private"] or hides) and not certificate.label) or not private <= set(certificate.columns):
        yield "The schema declares a column or the label private that the certificate does not protect."
    if (
        weight
        and weighed_rows(RowWeight(weight["name"], weight["cap"], weight["private"])) not in certificate.assumptions
    ):
        yield "Rows count as a weight of the schema says, and the certificate does not say so."


def _learned(model: Part) -> Iterator[str]:
    """Compare the certificate of a learned schema with that in the schema."""
    learned, stated = model["schema"]["learned"], model["guarantee"]["learned"]
    if learned is not None and stated is None:
        yield "The schema was learned from rows, but the certificate does not have what that cost."
    elif learned is not None and parsed(learned["certificate"]) != stated:
        yield "The certificate of the learned schema is not the one in the schema."


def _unlisted(model: Part, certificate: Guarantee) -> Iterator[str]:
    """Yield which parts of a model lack releases."""
    protected = Protected(frozenset(certificate.columns), certificate.label)
    scorers = [_of_scorer(scorer, protected) for scorer in model["scorers"]]
    needs: Counter[Queries] = sum((_at_least(each) for each in scorers), Counter())
    if model.get("monotone"):
        # Trees that were made monotone are as many as their curves need, whatever number was grown.
        needs = Counter({each: min(count, 1) if each in _LEAVES else count for each, count in needs.items()})
    needs += _at_least(_of_scorer({**model, "kind": "model"}, protected))
    trained = _trained(certificate)
    yield from min((_lacking(needs, certificate, each) for each in trained), key=len, default=[])
    others = {limit.slice for limit in certificate.limits} - set(trained)
    yield from _lacking(_at_least(_held_out(model.get("held_out"), protected)), certificate, *others)


def _of_scorer(scorer: Part, protected: Protected) -> Needs:
    """Yield what a scorer needs, or the model without its scorers."""
    kind = scorer["kind"]
    if kind not in RELEASED:
        yield from _declared(scorer, protected)
        return
    for name, found in scorer.items():
        if name in RELEASED[kind]:
            yield from RELEASED[kind][name](found, protected)
        elif name not in _EVERYWHERE and name not in SETTINGS[kind].split():
            yield (f"whatever fills {shown(name)} of a {kind}",), 1


def _declared(scorer: Part, protected: Protected) -> Needs:
    """Yield what a scorer needs whose class says which queries fill it: each was asked, if what it reads is protected.

    It reads the label and the columns that it names, or all columns where it names none.
    """
    from tacit.models.scorer import Scorer

    kind = scorer["kind"]
    found = [each.released for each in get_args(Scorer) if each.kind == kind and hasattr(each, "released")]
    named = [*scorer.get("columns", ()), *filter(None, [scorer.get("column")])]
    for query in found[0] if found else ():
        yield (query,), protected.reads(named or protected.columns)
    if not found:
        yield (f"whatever fills a {shown(kind)}",), 1


def _at_least(needs: Needs) -> Counter[Queries]:
    """Return the needs of one scorer, whose fields share releases."""
    most: Counter[Queries] = Counter()
    for queries, count in needs:
        most[queries] = max(most[queries], int(count))
    return most


def _trained(certificate: Guarantee) -> list[Slices]:
    """Return the slices that the model may have been trained on: the largest without held-out rows."""
    held = {line.slice for line in certificate.releases if str((line.basis or {}).get("query")).startswith("held-out")}
    sizes = {limit.slice: limit.n_rows for limit in certificate.limits if limit.slice not in held}
    return [each for each, size in sizes.items() if size == max(sizes.values())]


def _lacking(needs: Counter[Queries], certificate: Guarantee, *slices: Slices) -> list[str]:
    """Return what is needed of the releases of some rows and is not there.

    A release without a basis may have been of any query, and of one.
    """
    listed = [line for line in certificate.releases if line.slice in slices]
    counts = Counter(line.basis["query"] if line.basis else None for line in listed)
    found = {queries: sum(counts[each] for each in queries) for queries in needs}
    short = {queries: needs[queries] - found[queries] for queries in needs if needs[queries] > found[queries]}
    if sum(short.values()) <= counts[None]:
        return []
    return [
        f"The model has parts that follow from {' or '.join(map(repr, queries))}: at least {needs[queries]} releases "
        f"of it, but {found[queries]} are listed."
        for queries in short
    ]

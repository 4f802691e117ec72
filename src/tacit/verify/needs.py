"""Which releases the parts of a model's file follow from: docs/certificate-sensitivities.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from tacit.errors import shown

Part = Mapping[str, Any]
"""An object of a model's JSON."""


@dataclass(frozen=True)
class Stating:
    """Releases of a query of which a field of the basis is at least so much.

    Parameters
    ----------
    query, field : str
    least : int
        1 for a field that is true.
    """

    query: str
    field: str
    least: int = 1

    def __str__(self) -> str:
        return f"{self.query!r} whose basis has {self.field!r} of at least {self.least}"


Queries = tuple[str | Stating, ...]
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
HALVES = "cells that halve intervals"
PLACES = "rows by place of numbers"
_CUTS: Queries = (HALVES, PLACES)
_LINEAR: Queries = (
    "minimizer of a linear objective", "sum of residuals times features", "summed gradients of bins",
)  # fmt: skip
_SPLITS: Queries = ("splits of leaves", "rows by leaf, class and bin of each column")
_RESIDUALS, _CURVATURES = "residuals by leaf", "curvatures by leaf"
_LEAF, _MARGIN = ({each: Stating(each, of) for each in (_RESIDUALS, _CURVATURES)} for of in ("leaf", "margin"))
LEAVES: Mapping[Queries, int] = {
    **{(query,): 1 for query in (_RESIDUALS, _CURVATURES)},
    **{(_LEAF[query],): 1 for query in (_RESIDUALS, _CURVATURES)},
    **{(_MARGIN[query],): 0 for query in (_RESIDUALS, _CURVATURES)},
}
"""What trees need, and how much of it at most where they were made monotone."""
HELD_OUT = "held-out rows by level"
BY_GROUP = "held-out rows by level and group"


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
    yield (HALVES, "rows by place of the target"), protected.label and found is not None


def _slope(found: Any, _: Protected) -> Needs:
    yield _CALIBRATION, found != 1


def _cuts(found: Any, protected: Protected) -> Needs:
    # Each selection halves all intervals of a column, and n halvings give 2^n - 1 cut points at most.
    yield _CUTS, sum(len(cuts).bit_length() for name, cuts in found if name in protected.columns)


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


def _trees(scorer: Part, protected: Protected) -> Needs:
    # Margins are private after ranks of a protected column, and after a tree that tests one.
    first = scorer["first"]
    margin, many = first is not None and not protected.columns.isdisjoint(first["columns"]), len(scorer["start"]) > 1
    needs: Counter[Queries] = Counter()
    for tree in scorer["trees"]:
        leaf = any(test["column"] in protected.columns for test in tree["tests"])
        asked = {_RESIDUALS: protected.label or leaf or margin, _CURVATURES: leaf or (many and margin)}
        for query in (query for query, moves in asked.items() if moves):
            needs[(query,)] += 1
            needs[(_LEAF[query],)] += leaf
            needs[(_MARGIN[query],)] += margin
        margin |= leaf
    yield from needs.items()


def _first(found: Any, protected: Protected) -> Needs:
    return needs_of(found, protected) if found else ()


def held_out_needs(found: Any, protected: Protected) -> Needs:
    """Yield what counts of held-out rows need, of releases of rows that trained nothing."""
    if not found:
        return
    if found["origin"] != "holdout":
        yield ("whatever fills a model with counts of other rows",), 1
    if "distances" in found:
        yield from _residuals(found, protected)
        return
    own, by_group, n_classes = found["by_class"], found.get("by_group") is not None, len(found["counts"])
    yield (HELD_OUT,), (not by_group) + 2 * (own is not None)
    yield (Stating(HELD_OUT, "n_scores", n_classes - 1),), own is not None
    yield (BY_GROUP,), by_group
    # Scores of public columns have exact quantiles; of two classes zero is an edge, too, halved or not. Of more classes
    # the last edge may be repeated.
    edges = [set(each) for each in own["edges"]] if own is not None else [found["edges"][1:]] if n_classes == 2 else []
    yield _CUTS, sum(len(each).bit_length() for each in edges) if protected.columns else 0
    yield ("held-out rows' squared influence on the mean area",), own is not None and own["squares"] is not None


def _residuals(found: Any, protected: Protected) -> Needs:
    # Distances from the start are exact where the target is public.
    yield (HELD_OUT,), 2 if protected.label else 1
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

_OF_ALL = frozenset({_trees})
"""Needs of a field that follow from the whole scorer."""

_EVERYWHERE = frozenset({"kind", "noise"})


def needs_of(scorer: Part, protected: Protected) -> Needs:
    """Yield what a scorer needs, or the model without its scorers."""
    kind = scorer["kind"]
    if kind not in RELEASED:
        yield from _declared(scorer, protected)
        return
    for name, found in scorer.items():
        if name in RELEASED[kind]:
            need = RELEASED[kind][name]
            yield from need(scorer if need in _OF_ALL else found, protected)
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

"""A model of which a release was left out, with its number and its cost, is refused where a part of it tells."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from dataclasses import dataclass, fields, replace
from itertools import product
from math import sqrt
from typing import get_args

import numpy as np
import pytest

import tacit
from tacit import Numeric, Schema, Target
from tacit.errors import ModelFileError
from tacit.models import from_json, scorer, to_json
from tacit.models.document import as_plain, canonical, digest, validated
from tacit.models.model import Model
from tacit.models.regression import RegressionModel
from tacit.models.scorer import Scorer
from tacit.privacy import Guarantee
from tacit.verify import recomputed, written_of
from tacit.verify.needs import RELEASED, SETTINGS, Protected, Stating, needs_of
from tests.verify.conftest import THREE, TWO, _fit, _frame

UNSEEN = {
    "oblivious trees", "mean score", "summed gradients of bins", "rows by bin", "held-out loss",
    "residuals and curvatures of log-odds",
}  # fmt: skip
"""That choices among trees, means, priors and candidates were asked, no part tells; of log-odds only a link does."""


def learners():
    few, three = _frame(600), _frame(600, 3)
    seeded = {"epsilon": 1.0, "random_state": 0}
    for name in (each for each in tacit.__all__ if each.endswith("Classifier")):
        kind, short = getattr(tacit, name), {"BRCClassifier": 5, "LazyBBClassifier": 4}
        settings = seeded | ({"rounds": short[name]} if name in short else {})
        yield name, _fit(kind(TWO, **settings), few).model_
        yield f"{name}, three classes", _fit(kind(THREE, delta=1e-6, **settings), three).model_


@pytest.fixture(scope="module")
def fitted(models):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return models | dict(learners())


def without(guarantee, query):
    """Return a certificate as a forger would write it who leaves out all releases of a query, and renumbers."""
    kept, at = [], {}
    for line in guarantee.releases:
        if line.basis["query"] != query:
            at[line.slice] = at.get(line.slice, 0) + 1
            kept.append(replace(line, order=at[line.slice]))
    limits = tuple(replace(limit, released=at.get(limit.slice, 0)) for limit in guarantee.limits)
    return replace(guarantee, releases=tuple(kept), limits=limits)


def test_models_as_they_are_hold(fitted):
    for name, model in fitted.items():
        written = written_of(to_json(model, allow=model.guarantee.status))
        assert recomputed(written.certificate, written.model).holds, name


def test_a_query_that_was_left_out_is_missed(fitted):
    missed = set()
    for name, model in fitted.items():
        body = as_plain(model)
        for query in {line.basis["query"] for line in model.guarantee.releases} - UNSEEN:
            less = without(model.guarantee, query)
            assert recomputed(less).holds, (name, query)  # the certificate by itself does not tell
            assert any(query in fault for fault in recomputed(less, body).faults), (name, query)
            missed.add(query)
    assert len(missed) >= 12


def test_one_of_many_releases_is_missed_where_a_part_counts_them(fitted):
    for name, query in (
        ("BRCClassifier", "weighted error of a linear rule"),
        ("LazyBBClassifier, three classes", "weighted errors of one-rules"),
        ("BoostedTreesClassifier", "residuals by leaf"),
        ("RadoBoostClassifier, three classes", "sums of edges"),
        ("SVMClassifier, three classes", "minimizer of a linear objective"),
        ("SVMClassifier, three classes", "residuals and curvatures of log-odds"),
    ):
        guarantee = fitted[name].guarantee
        at = max(at for at, line in enumerate(guarantee.releases) if line.basis["query"] == query)
        less = replace(guarantee, releases=guarantee.releases[:at] + guarantee.releases[at + 1 :])
        faults = recomputed(less, as_plain(fitted[name])).faults
        assert any(query in fault for fault in faults), (name, query)


def test_counts_by_group_that_no_release_is_of_are_missed():
    few = {"holdout": 0.5, "holdout_by": "sky", "random_state": 0}
    for schema, classes in ((TWO, 2), (THREE, 3)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = _fit(tacit.NaiveBayesClassifier(schema, epsilon=4.0, **few), _frame(12_000, classes)).model_
        body, query = as_plain(model), "held-out rows by level and group"
        assert recomputed(model.guarantee, body).holds
        assert any(query in fault for fault in recomputed(without(model.guarantee, query), body).faults)
        renamed = [
            replace(line, basis={"query": "held-out rows by level", "n_scores": 1, "weight": 1})
            if line.basis["query"] == query
            else line
            for line in model.guarantee.releases
        ]
        found = recomputed(replace(model.guarantee, releases=tuple(renamed)), body)
        assert any(query in fault for fault in found.faults)


def test_each_count_of_held_out_rows_of_three_classes_is_missed():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = tacit.NaiveBayesClassifier(THREE, epsilon=4.0, holdout=0.5, random_state=0)
        model = _fit(fit, _frame(12_000, 3)).model_
    body, releases, query = as_plain(model), model.guarantee.releases, "held-out rows by level"
    places = [at for at, line in enumerate(releases) if line.basis["query"] == query]
    # By predicted class, by each class's own score, and by the scores of other classes.
    assert [releases[at].basis["n_scores"] for at in places] == [1, 1, 2] and recomputed(model.guarantee, body).holds
    for at in places:
        less = replace(model.guarantee, releases=releases[:at] + releases[at + 1 :])
        assert any(query in fault for fault in recomputed(less, body).faults), at


def test_every_field_names_its_releases_or_is_a_setting():
    kinds = {next(f.default for f in fields(each) if f.name == "kind"): each for each in get_args(Scorer)}
    assert set(kinds) == set(RELEASED) - {"model"} == set(SETTINGS) - {"model"}
    for kind, each in [*kinds.items(), ("model", Model), ("model", RegressionModel)]:
        known = [*RELEASED[kind], *SETTINGS[kind].split(), "kind", "noise"]
        assert {field.name for field in fields(each)} <= set(known), kind
        assert len(known) == len(set(known)), kind


def nested(depth):
    """Return a scorer in a scorer, and so on."""
    scorer = {"kind": "boosted-trees", "first": None}
    for _ in range(depth):
        scorer = {"kind": "boosted-trees", "first": scorer}
    return scorer


def test_what_is_not_known_or_damaged_is_refused(models):
    model = models["pure"]
    for change in (
        lambda body: body["scorers"][0].update(extra=[1.0]),
        lambda body: body["scorers"][0].update(kind="oracle"),
        lambda body: body.update(extra=[1.0]),
        lambda body: body.update(scorers=3),
        lambda body: body["scorers"].append(nested(5_000)),
        lambda body: body["scorers"][0].update({"x" * 10**6: 1}),
        lambda body: body["scorers"][0].update(cuts=[1]),
        lambda body: body.pop("schema"),
        lambda body: body["schema"].update(learned={"certificate": "{"}),
    ):
        body = as_plain(model)
        change(body)
        [fault] = recomputed(model.guarantee, body).faults
        assert len(fault) < 300


def test_a_release_of_unknown_query_may_fill_one_part(models):
    guarantee, body = models["pure"].guarantee, as_plain(models["pure"])
    nameless = [replace(line, basis=None) for line in guarantee.releases]
    assert recomputed(replace(guarantee, releases=tuple(nameless)), body).holds
    short = replace(without(guarantee, "counts and sums by class"))
    nameless = tuple(replace(line, basis=None) for line in short.releases)
    assert recomputed(replace(short, releases=nameless), body).faults


def test_parts_by_hand():
    both, no_label = Protected(frozenset({"age"}), label=True), Protected(frozenset({"age"}), label=False)
    trees = [{"tests": [{"column": "age"}]}, {"tests": [{"column": "sky"}]}]
    need = RELEASED["boosted-trees"]["trees"]

    def asked(protected, *, start=(0,), first=None):
        """Of residuals and of curvatures: how many, how many of a protected leaf, and after protected margins."""
        found = Counter(dict(need({"trees": trees, "start": start, "first": first}, protected)))
        return [
            [found[(each,)] for each in (name, Stating(name, "leaf"), Stating(name, "margin"))]
            for name in ("residuals by leaf", "curvatures by leaf")
        ]

    assert asked(both) == asked(no_label) == [[2, 1, 1], [1, 1, 0]]
    # Of three classes the second tree's curvatures move with the margins; ranks of a protected column come before all.
    assert asked(both, start=(0, 0, 0)) == [[2, 1, 1], [2, 1, 1]]
    assert asked(no_label, first={"columns": ["sky", "age"]}) == [[2, 1, 2], [1, 1, 1]]
    assert asked(no_label, first={"columns": ["sky"]}) == [[2, 1, 1], [1, 1, 0]]
    trees.reverse()
    assert asked(no_label) == [[1, 1, 0], [1, 1, 0]] and asked(both) == [[2, 1, 0], [1, 1, 0]]
    cuts = [["age", [1, 2, 3, 4]], ["sky", list(range(9))]]
    # Two halvings of a column give three cut points, and each column has its own.
    assert [count for _, count in RELEASED["ranked"]["cuts"](cuts, both)] == [3]
    every = Protected(frozenset({"age", "sky"}), label=True)
    assert [count for _, count in RELEASED["ranked"]["cuts"](cuts, every)] == [3 + 4]


BARE = [Numeric("a", -1, 1), Numeric("b", -1, 1)]
CROSSED = {"label": Target("y", -10, 10)}, {"epsilon": 1.0, "delta": 1e-6, "n_trees": 3, "depth": 2, "random_state": 0}


def crossed(**of_label):
    """A regressor of trees after ranks, with cut points of both columns and a nearer clip."""
    draw = np.random.default_rng(0)
    X = draw.uniform(-1, 1, (20_000, 2))
    y = 5 * X[:, 0] * X[:, 1] + draw.normal(0, 0.1, 20_000)
    schema = Schema(BARE, **CROSSED[0]).with_private(["a", "b"], **of_label)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tacit.BoostedTreesRegressor(schema, **CROSSED[1]).fit(X, y).model_


def scaled(line, factor, **basis):
    """Return a release of less noise, of a basis from which a lower sensitivity follows."""
    less = {"sensitivity": line.sensitivity * factor, "noise_scale": line.noise_scale * factor}
    return replace(line, basis={**line.basis, **basis}, **less)


def kept(guarantee, keep):
    """Return a certificate that lacks the other releases, renumbered, as a forger would write it."""
    lines = [line for line in guarantee.releases if keep(line)]
    lines = tuple(replace(line, order=at) for at, line in enumerate(lines, 1))
    [limit] = guarantee.limits
    return replace(guarantee, releases=lines, limits=(replace(limit, released=len(lines)),))


def test_selections_of_other_things_are_none_of_cut_points():
    model = crossed(label=True)
    body, guarantee = as_plain(model), model.guarantee
    halved = [line.query for line in guarantee.releases if line.basis["query"] == "cells that halve intervals"]
    # Others than those of the columns: of the target's scale, and of the nearer clip.
    assert recomputed(guarantee, body).holds and len(halved) - sum(each.startswith("medians of") for each in halved) > 2
    less = kept(guarantee, lambda line: not line.query.startswith("medians of"))
    assert recomputed(less).holds
    assert any("cells that halve intervals" in fault for fault in recomputed(less, body).faults)


def test_margins_and_leaves_that_read_protected_columns_are_stated():
    model = crossed(label=False)
    body, guarantee = as_plain(model), model.guarantee
    assert recomputed(guarantee, body).holds
    own = [line for line in guarantee.releases if line.basis["query"] == "residuals by leaf"]
    assert own and all(line.basis["margin"] for line in own)
    for field, factor in (("margin", sqrt(0.5)), ("leaf", 1.0)):
        lines = [
            scaled(line, factor, **{field: False}) if line.basis["query"] == "residuals by leaf" else line
            for line in guarantee.releases
        ]
        less = replace(guarantee, releases=tuple(lines))
        assert recomputed(less).holds
        assert any(repr(field) in fault for fault in recomputed(less, body).faults), field


@pytest.fixture(scope="module")
def measured():
    """Models of three classes, of two, and of numbers that were measured on held-out rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fits = [
            _fit(tacit.NaiveBayesClassifier(schema, epsilon=4.0, holdout=0.5, random_state=0), _frame(12_000, classes))
            for schema, classes in ((THREE, 3), (TWO, 2))
        ]
        X = np.random.default_rng(0).uniform(-1, 1, (3_000, 2))
        number = tacit.LinearRegressor(Schema(BARE, **CROSSED[0]), epsilon=4.0, delta=0, holdout=0.5, random_state=0)
        fits.append(number.fit(X, X[:, 0]))
    return [fit.model_ for fit in fits]


def test_scores_of_other_classes_are_as_many_as_they_are(measured):
    guarantee, body = measured[0].guarantee, as_plain(measured[0])
    assert recomputed(guarantee, body).holds
    lines = [scaled(line, 0.5, n_scores=1) if line.basis.get("n_scores") == 2 else line for line in guarantee.releases]
    less = replace(guarantee, releases=tuple(lines))
    assert recomputed(less).holds
    assert any("'n_scores' of at least 2" in fault for fault in recomputed(less, body).faults)


def test_counts_of_other_rows_are_none_of_a_models(measured):
    """Of an evaluation no release is in a model's certificate, so that none would be missed."""
    for model in measured:
        body, held = as_plain(model), {"slice": ((2, 2),)}
        body["held_out"]["origin"] = "evaluation"
        lines = tuple(line for line in model.guarantee.releases if line.slice != held["slice"])
        limits = tuple(limit for limit in model.guarantee.limits if limit.slice != held["slice"])
        less = replace(model.guarantee, releases=lines, limits=limits)
        assert len(limits) == 1 and recomputed(less).holds
        assert any("other rows" in fault for fault in recomputed(less, body).faults)
        with pytest.raises(ModelFileError, match="rows that were held out"):
            from_json(sealed(body))


def test_the_noise_of_held_out_counts_is_that_of_their_releases(measured):
    for model, places in zip(measured, (("", "by_class"), ("",), ("", "distances")), strict=True):
        names = ("scale", "own_scale")
        for place, name in product(places, names):
            body = as_plain(model)
            part = body["held_out"][place] if place else body["held_out"]
            if name not in part:
                continue
            part[name] /= 10
            assert any("noise of scale" in fault for fault in recomputed(model.guarantee, body).faults), (place, name)


def sealed(body):
    """Return a model file with the digest that is due."""
    return json.dumps({"format": "tacit-model", "version": 2, "digest": digest(canonical(body)), "model": body})


@pytest.mark.parametrize("change", ["left out", "another's", "as it is"])
def test_a_learned_schema_whose_cost_was_left_out_is_refused_by_both(models, standalone, tmp_path, change, capsys):
    body = json.loads(to_json(models["learned schema"], allow="private"))["model"]
    certificate = body["guarantee"]
    if change == "left out":
        certificate["learned"] = None
        certificate["epsilon"], certificate["delta"] = 0.7, 1e-6
    elif change == "another's":
        certificate["learned"]["noise"] = "a lottery drum"
    assert recomputed(validated(Guarantee, canonical(certificate))).holds
    path = tmp_path / "model.json"
    path.write_text(sealed(body))
    refused = change != "as it is"
    written = written_of(path.read_bytes())
    assert [
        fault for fault in recomputed(written.certificate, written.model).faults if "learned" in fault
    ] or not refused
    assert standalone.main([str(path)]) == int(refused)
    assert ("learned" in capsys.readouterr().out) or not refused


@dataclass(frozen=True)
class Declared:
    """A scorer whose class says by which query it is filled, as one that a reader of the recipe writes."""

    kind = "declared"
    released = ("rows of each class in each bin",)


@pytest.mark.parametrize(
    ("named", "columns", "label", "asked"),
    [
        ({"column": "a"}, {"a"}, False, 1),
        ({"columns": ["b", "a"]}, {"a"}, False, 1),
        ({"column": "b"}, {"a"}, False, 0),
        ({"column": "b"}, set(), True, 1),
        ({}, {"a"}, False, 1),
        ({}, set(), False, 0),
    ],
)
def test_a_scorer_that_declares_its_queries_needs_them_where_what_it_reads_is_protected(
    named, columns, label, asked, monkeypatch
):
    monkeypatch.setattr(scorer, "Scorer", Declared | scorer.VoteModel)
    found = needs_of({"kind": "declared", **named}, Protected(frozenset(columns), label))
    assert [(query, int(count)) for query, count in found] == [(Declared.released, asked)]

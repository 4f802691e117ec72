"""What a model says: contributions add up, noise has the stated size, and what is listed is no noise."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.tree import DecisionTreeClassifier

import tacit
from harness.messy_tables import messy_table
from tacit import Categorical, Label, Numeric, Schema
from tacit.errors import ModelFileError, ParameterError
from tacit.models import LinearForm, LogisticModel, OpaqueRule, RankedModel, Vote, VoteModel, from_json, to_json
from tacit.models.attribution import attribution
from tacit.models.boxes import Box, box_effects, box_parts
from tacit.models.cells import ColumnCells, Distribution
from tacit.models.contributions import contributions, strongest
from tacit.models.document import canonical, digest
from tacit.models.explanation import ColumnEffects, Explanation, explained
from tacit.models.noise import ColumnNoise
from tacit.table import Rows
from tacit.table.rows import read_rows

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.PrivacyWarning")

GENERATOR = np.random.default_rng(0)
N = 800
COLUMNS = [
    Numeric("age", 0, 90, cuts=[20, 40, 60]),
    Numeric("pay", 0, 1e6, center=0),
    Categorical("sky", ["clear", "gray", "<b>"], other=True, private=False),
    Categorical("sex", ["f", "m"]),
]
FRAME = pl.DataFrame(
    {
        "age": GENERATOR.uniform(0, 90, N),
        "pay": GENERATOR.lognormal(8, 2, N).clip(0, 1e6),
        "sky": GENERATOR.choice(["clear", "gray", "<b>", "unlisted"], N),
        "sex": GENERATOR.choice(["f", "m"], N),
    }
)
SCORE = FRAME["age"].to_numpy() / 45 - 1 + (FRAME["sex"].to_numpy() == "m") + GENERATOR.normal(0, 0.5, N)
LEARNERS = [
    (tacit.LogisticClassifier, {}),
    (tacit.LogisticClassifier, {"encoding": "ordinal"}),
    (tacit.LogisticClassifier, {"delta": 1e-6}),
    (tacit.LogisticClassifier, {"method": "mean-operator"}),
    (tacit.SVMClassifier, {}),
    (tacit.NaiveBayesClassifier, {}),
    (tacit.NaiveBayesClassifier, {"numeric": "gaussian"}),
    (tacit.TreeClassifier, {}),
    (tacit.BoostedTreesClassifier, {"n_trees": 10}),
    (tacit.LazyBBClassifier, {}),
    (tacit.LazyBBClassifier, {"weak_learner": "tree"}),
    (tacit.BRCClassifier, {}),
    (tacit.BRCClassifier, {"public_learner": DecisionTreeClassifier(max_depth=2), "rounds": 4}),
    (tacit.RadoBoostClassifier, {"protection": "private"}),
    (tacit.AutoClassifier, {"delta": 1e-6, "epsilon": 0.05}),
]


def schema(classes, *, public_label):
    return Schema(COLUMNS, label=Label("y", classes, private=not public_label))


def labels(classes):
    return np.asarray(classes)[np.digitize(SCORE, [0.5, 1.2][: len(classes) - 1])]


@pytest.mark.parametrize("public_label", [True, False])
@pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")], ids=["two", "three"])
@pytest.mark.parametrize(("learner", "settings"), LEARNERS, ids=lambda value: getattr(value, "__name__", str(value)))
def test_contributions_add_up_to_the_score_and_a_file_keeps_the_explanation(learner, settings, classes, public_label):
    if "public_learner" in settings and not public_label:
        pytest.skip("public classifiers need a public label")
    given = {"epsilon": 1.0, "random_state": 1, "on_invalid": "coerce"} | settings
    model = learner(schema(classes, public_label=public_label), **given).fit(FRAME, labels(classes)).model_
    parts = model.explain(FRAME).group_by("row", "class").agg(pl.col("contribution").sum())
    wide = parts.pivot("class", index="row", values="contribution").sort("row")
    scores = model.decision_function(FRAME).reshape(N, -1)
    expected = dict(zip(sorted(classes)[-scores.shape[1] :], scores.T, strict=True))
    for name, score in expected.items():
        assert wide[name].to_numpy() == pytest.approx(score, abs=1e-9)
    again = from_json(to_json(model, allow="simulated"))
    assert again.explain().equals(model.explain()) and again.importances().equals(model.importances())
    centered = model.explain().group_by("class", "column").agg((pl.col("share") * pl.col("effect")).sum())
    assert centered["share"].abs().max() < 1e-3 * max(1.0, np.abs(scores).max())


def test_a_contribution_is_the_effect_of_its_cell_with_the_noise_of_that():
    own = Schema([Numeric("age", 0, 90, cuts=[30]), Categorical("sky", ["clear", "gray"])], label=Label("y", [0, 1]))
    noise = (ColumnNoise("age", (0.5, 0.5), ((0.25, 0.5),), released=True),)
    form = LinearForm(("age", "sky"), (-1.0, 1.0, 0.5, -0.5), "binned", 8)
    rows = read_rows(pl.DataFrame({"age": [10.0, 50.0], "sky": ["gray", "clear"]}), own)
    added = contributions([LogisticModel((form,), 2.0, noise=noise)], own, rows)
    found = {(row, column): numbers for row, _, column, *numbers in added.iter_rows()}
    assert found[0, None] == found[1, None] == [2.0, None]
    assert (found[0, "age"], found[1, "age"]) == ([-1.0, 0.25], [1.0, 0.5])
    assert (found[0, "sky"], found[1, "sky"]) == ([-0.5, None], [0.5, None])


def test_the_columns_that_weigh_most_in_the_predicted_class():
    """Of two classes a contribution to the second takes as much from the first."""
    columns = {"column": [None, "a", "b"] * 2, "contribution": [9.0, -2.0, 1.0, 9.0, 0.5, 3.0], "deviation": [None] * 6}
    added = pl.DataFrame({"row": [0, 0, 0, 1, 1, 1], "class": ["yes"] * 6} | columns)
    found = strongest(added, ["no", "yes"], ["no", "yes"], 1)
    assert found.select("row", "column", "contribution").rows() == [(0, "a", 2.0), (1, "b", 3.0)]
    assert strongest(added, ["no", "no"], ["no", "yes"], 5)["contribution"].to_list() == [2.0, -1.0, -3.0, -0.5]


def test_effects_of_one_column_by_hand():
    own = Schema([Categorical("sky", ["clear", "gray"])], label=Label("rain", ["no", "yes"]))
    noise = (ColumnNoise.of("sky", np.asarray([3.0, 1.0]), [np.diag([1.0, 4.0])], released=True),)
    # Centered: (e - 3/4 e1 - 1/4 e2); variances (1/4)^2 (1 + 4) and (3/4)^2 (1 + 4).
    assert noise[0].deviations == ((0.559, 1.677),)
    form = LinearForm(("sky",), (-1.0, 3.0), "binned", 8)
    [effects] = explained([LogisticModel((form,), 0.5, noise=noise)], own).columns
    assert effects.effects.tolist() == [-1.0, 3.0]
    assert effects.importance == (1.4, 0.0, 3.7)  # root of 3; off by 2 * sqrt(0.75 * 5 / 16 + 0.25 * 45 / 16)


def test_a_tree_of_two_questions_by_hand():
    cells = [ColumnCells(Categorical(name, ["0", "1"])) for name in "ab"]
    distribution = replace(Distribution.of(cells), shares={"a": np.asarray([0.75, 0.25]), "b": np.asarray([0.5, 0.5])})
    one, zero = np.asarray([False, True]), np.asarray([True, False])
    boxes = [
        Box(np.asarray([0.0]), {"a": zero}),
        Box(np.asarray([4.0]), {"a": one, "b": zero}),
        Box(np.asarray([8.0]), {"a": one, "b": one}),
    ]
    effects = box_effects(boxes, distribution, 1)
    assert effects["a"].tolist() == [[-1.5, 4.5]]
    assert effects["b"].tolist() == [[-0.5, 0.5]]
    inside = [[mask[1:].astype(float) for mask in box.masks.values()] for box in boxes]  # of the row (1, 1)
    base, parts = box_parts(boxes, distribution, inside, 1)
    assert base.tolist() == [1.5]
    # a first, then b: 6 - 1.5 and 8 - 6; b first, then a: 2 - 1.5 and 8 - 2.
    assert parts["a"].tolist() == [[(4.5 + 6) / 2]] and parts["b"].tolist() == [[(2 + 0.5) / 2]]


def test_findings_are_those_that_benjamini_and_hochberg_admit_beyond_two_deviations():
    cells = ColumnCells(Categorical("c", [str(at) for at in range(20)]))
    even, deviations = np.full(20, 0.05), np.ones(20)

    def verdicts(*far):
        effects = np.zeros(20)
        effects[: len(far)] = far
        [said] = Explanation((ColumnEffects("y", cells, even, effects, deviations, released=True),)).verdicts
        return [one == "finding" for one in said[: len(far)]]

    # p = 0.0027 is above 0.05 / 20 for the first, and at most 3 * 0.05 / 20 for the third.
    assert verdicts(3.0) == [False]
    assert verdicts(3.0, 3.0, 3.0) == [True, True, True]
    assert verdicts(4.0, 2.5, 0.5) == [True, False, False]
    assert verdicts(*[1.9] * 20) == [False] * 20  # many, yet within two deviations


def test_a_category_that_no_row_has_and_a_constant_column_are_no_findings():
    messy = messy_table(30_000, seed=1)
    for seed in range(3):
        learner = tacit.LogisticClassifier(messy.schema, epsilon=1.0, delta=1e-6, random_state=seed)
        said = learner.fit(messy.frame, messy.labels).model_.explain().filter(pl.col("verdict") == "finding")
        assert "site" not in said["column"].to_list() and "=1+1" not in said["cell"].to_list()


def test_without_noise_in_the_file_nothing_is_a_finding():
    model = fitted()
    bare = replace(model, scorers=(replace(model.scorers[0], noise=()),))
    assert set(bare.explain()["verdict"]) == {"noise not known"}
    assert bare.importances()["low"].is_null().all()


def fitted():
    estimator = tacit.NaiveBayesClassifier(schema(("no", "yes"), public_label=False), epsilon=1.0, on_invalid="coerce")
    return estimator.fit(FRAME, labels(("no", "yes"))).model_


@pytest.mark.parametrize(
    "damage",
    [
        lambda noise: noise.append(noise[0]),
        lambda noise: noise[0].update(column="nobody"),
        lambda noise: noise[0]["shares"].pop(),
        lambda noise: noise[0]["deviations"].append(noise[0]["deviations"][0]),
        lambda noise: noise[0]["deviations"][0].__setitem__(0, -1.0),
        lambda noise: noise[0]["deviations"][0].__setitem__(0, 1e301),
        lambda noise: noise[0]["shares"].__setitem__(0, 7.0),
        lambda noise: noise[0].update(more=1),
    ],
)
def test_noise_that_fits_no_model_is_refused(damage):
    document = json.loads(to_json(fitted()))
    damage(document["model"]["scorers"][0]["noise"])
    document["digest"] = digest(canonical(document["model"]))
    with pytest.raises(ModelFileError):
        from_json(json.dumps(document))


def test_a_public_classifier_that_is_not_written_down_is_named():
    scorer = VoteModel((Vote(0.5, OpaqueRule(object(), (0,)), "public"),), "ordinal")
    with pytest.raises(ParameterError, match="written down"):
        explained([scorer], schema(("no", "yes"), public_label=True))


@pytest.mark.parametrize(
    ("learner", "settings"),
    [(tacit.LogisticClassifier, {"delta": 1e-6}), (tacit.NaiveBayesClassifier, {}), (tacit.TreeClassifier, {})],
)
def test_on_the_messy_table_what_is_listed_keeps_its_sign(learner, settings):
    """A small version of ``benchmarks/explanations.py``."""
    messy = messy_table(30_000, seed=1)
    frames = [
        learner(messy.schema, epsilon=2.0, random_state=seed, **settings)
        .fit(messy.frame, messy.labels)
        .model_.explain()
        for seed in range(3)
    ]
    kept = listed = 0
    for one in frames:
        found = one.filter(pl.col("verdict") == "finding")
        for other in frames:
            pairs = found.join(other, on=["column", "cell"])
            listed, kept = listed + len(pairs), kept + int((pairs["effect"] * pairs["effect_right"] > 0).sum())
    assert kept >= 0.95 * listed
    assert learner is tacit.TreeClassifier or listed >= 30
    top = set(frames[0].filter(pl.col("verdict") == "finding").head(5)["column"])
    assert top <= messy.informative


def test_features_of_ranks_are_centered_and_not_clipped():
    schema = Schema([Numeric("x", -1, 1), Categorical("c", ["a", "b"])], label=Label("y", ["no", "yes"]))
    ranked = attribution(RankedModel(("x", "c"), ((0.0, 1.0, 1.0, 0.0),), 0.3), schema)
    found = ranked.features("c", Rows({"c": np.asarray([0, 1])}, 2))
    assert found == pytest.approx(np.asarray([[0.75, -0.25], [-0.25, 0.75]]), abs=1e-3)

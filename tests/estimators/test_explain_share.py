"""A share of the budget for explanations: what it releases, what is listed then, and that it costs what it says."""

from __future__ import annotations

from itertools import islice

import numpy as np
import polars as pl
import pytest

import tacit
from benchmarks.audits.every_case import CASES
from harness.messy_tables import messy_table
from tacit import (
    AutoClassifier,
    Categorical,
    Label,
    LazyBBClassifier,
    LogisticClassifier,
    Numeric,
    Schema,
    SVMClassifier,
)
from tacit.audit.mutants import half_sensitivity
from tacit.audit.neighbors import worst_pairs
from tacit.audit.person_pairs import person_pairs, with_identifier
from tacit.audit.replay import replay_pair
from tacit.cli.explanation_words import NO_EFFECT, explanation_lines
from tacit.errors import ParameterError
from tacit.estimators import TreeClassifier
from tacit.models import from_json, to_json

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.PrivacyWarning")

SKY = Schema(
    [Categorical("sky", ["clear", "gray", "dark"]), Numeric("age", 0, 90, cuts=[30])], label=Label("y", [0, 1])
)
QUERY = "rows by cell, class and predicted class"
LEARNERS = [
    (LogisticClassifier, {"epsilon": 1.0}),
    (LogisticClassifier, {"epsilon": 1.0, "delta": 1e-6, "class_weight": "balanced"}),
    (SVMClassifier, {"epsilon": 1.0}),
    (LazyBBClassifier, {"epsilon": 1.0}),
    (TreeClassifier, {"epsilon": 2.0}),
]


def rows(n=8000, seed=0):
    generator = np.random.default_rng(seed)
    frame = pl.DataFrame({"sky": generator.choice(["clear", "gray"], n), "age": generator.uniform(0, 90, n)})
    return frame, (frame["sky"] == "gray").cast(int) ^ pl.Series(generator.random(n) < 0.1).cast(int)


@pytest.mark.parametrize(("learner", "given"), LEARNERS)
def test_a_share_lists_what_decides_and_costs_what_it_says(learner, given):
    model = learner(SKY, explain_share=0.2, random_state=1, **given).fit(*rows())
    said = model.model_.explain().filter(pl.col("verdict") == "finding")
    assert set(said["column"]) == {"sky"} and said["share_released"].all()
    effects = dict(zip(said["cell"], said["effect"], strict=True))
    # Of gray rows nine in ten are of the second class, of all rows half.
    assert 0.15 < effects["gray"] < 0.5 and -0.5 < effects["clear"] < -0.15 and "dark" not in effects
    [release] = [one for one in model.privacy_.releases if one.query == QUERY]
    together = sum(one.loss for one in model.privacy_.releases)
    assert release.loss == pytest.approx(0.2 * together, rel=1e-6)
    again = from_json(to_json(model.model_, allow="simulated"))
    assert again.explain().equals(model.model_.explain()) and again.profile == model.model_.profile


@pytest.mark.parametrize(
    ("epsilon", "said"), [(1.0, "own classes differ the same way."), (0.01, "A finding needs a difference both in")]
)
def test_words_say_what_was_compared_and_that_nothing_was_found(epsilon, said):
    model = LogisticClassifier(SKY, epsilon=epsilon, explain_share=0.2, random_state=1).fit(*rows()).model_
    assert said in " ".join(explanation_lines(model, None))
    assert (NO_EFFECT in [*explanation_lines(model, 10)]) == (epsilon == 0.01)


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_a_constant_column_is_never_a_finding(share):
    messy = messy_table(10_000, seed=1)
    for seed in range(2):
        learner = LazyBBClassifier(messy.schema, epsilon=5.0, random_state=seed, explain_share=share)
        said = learner.fit(messy.frame, messy.labels).model_.explain().filter(pl.col("verdict") == "finding")
        assert "always one" not in said["column"].to_list()


def test_of_more_classes_each_has_effects_of_its_own():
    generator = np.random.default_rng(0)
    sky = generator.choice(["clear", "gray", "dark"], 9000)
    schema = Schema(SKY.columns, label=Label("y", ["clear", "dark", "gray"]))
    frame = pl.DataFrame({"sky": sky, "age": generator.uniform(0, 90, 9000)})
    model = LogisticClassifier(schema, epsilon=3.0, explain_share=0.2, random_state=0).fit(frame, sky).model_
    said = model.explain().filter((pl.col("verdict") == "finding") & (pl.col("column") == "sky"))
    found = {(row["class"], row["cell"]) for row in said.to_dicts() if row["effect"] > 0}
    assert found == {(each, each) for each in set(sky.tolist())} and len(said) == 9


def test_refused_where_nothing_is_left_or_there_are_too_many_classes():
    with pytest.raises(ParameterError, match="gaussian-objective"):
        LogisticClassifier(SKY, epsilon=1.0, delta=1e-6, method="gaussian-objective", explain_share=0.1).fit(*rows(50))
    schema = Schema(SKY.columns, label=Label("y", list(range(11))))
    with pytest.raises(ParameterError, match="at most 10 classes"):
        TreeClassifier(schema, epsilon=1.0, explain_share=0.1).fit(*rows(50))


@pytest.mark.parametrize(
    ("epsilon", "delta", "learner"),
    [(0.0002, 0.0, "tree"), (0.0002, 1e-6, "tree"), (0.05, 1e-6, "logistic"), (1.0, 1e-6, "boosted-trees")],
)
def test_the_automatic_choice_passes_it_on_where_it_is_needed(epsilon, delta, learner):
    model = AutoClassifier(SKY, epsilon=epsilon, delta=delta, explain_share=0.2, random_state=0).fit(*rows()).model_
    profiled = learner in ("tree", "logistic")
    assert (model.learner, model.profile is not None) == (learner, profiled)
    own = [one.loss for one in model.guarantee.releases if one.query == QUERY]
    assert own == pytest.approx([0.2 * sum(one.loss for one in model.guarantee.releases)] * profiled, rel=1e-6)
    with pytest.raises(ParameterError, match="explain_share"):
        AutoClassifier(SKY, epsilon=epsilon, explain_share=0.7).fit(*rows(100))


@pytest.mark.parametrize("private", [True, False])
def test_the_automatic_choice_refuses_too_many_classes_before_it_reads_a_row(private):
    schema = Schema(SKY.columns, label=Label("y", list(range(11))))
    schema = schema if private else schema.with_private(["age"], label=False)
    automatic = AutoClassifier(schema, epsilon=1.0, explain_share=0.2, random_state=0)
    unread = pl.LazyFrame({"sky": ["clear"], "age": [1.0], "y": [0]}).map_batches(
        lambda _: pytest.fail("rows were read")
    )
    if private:
        with pytest.raises(ParameterError, match="at most 10 classes"):
            automatic.fit(unread)
    else:
        # Under a public label, beside a public column, it takes boosted trees, which are explained for nothing.
        generator = np.random.default_rng(0)
        assert automatic.fit(rows(200)[0], generator.integers(0, 11, 200)).choice_.learner == "boosted-trees"


def test_a_holdout_and_a_search_keep_it():
    given = {"epsilon": 2.0, "random_state": 0}
    held = LogisticClassifier(SKY, holdout=0.2, explain_share=0.2, **given).fit(*rows())
    assert held.model_.profile is not None and held.privacy_.epsilon == 2.0
    search = tacit.PaidSearch(
        LogisticClassifier(SKY, explain_share=0.2), grid={"method": ["k-norm", "mean-operator"]}, **given
    ).fit(*rows())
    assert search.model_.profile is not None and search.privacy_.epsilon == 2.0


@pytest.mark.parametrize(
    ("learner", "settings"),
    [(LazyBBClassifier, {"rounds": 2}), (TreeClassifier, {"max_splits": 2})],
    ids=["lazybb", "tree"],
)
@pytest.mark.parametrize("delta", [0.0, 1e-3])
@pytest.mark.parametrize("case", ["everything private", "a public column and label", "persons"])
def test_no_release_costs_more_than_its_share(case, delta, learner, settings):
    schema = with_identifier(CASES["everything private"]) if case == "persons" else CASES[case]

    def pairs(count):
        return islice(person_pairs(schema, seed=1) if case == "persons" else worst_pairs(schema, n_rows=6), count)

    def make():
        given = {"epsilon": 1.0, "delta": delta, "on_invalid": "coerce"}
        return learner(schema, explain_share=0.3, **settings, **given)

    found = [replay_pair(make, pair, seed=at, delta=delta) for at, pair in enumerate(pairs(4))]
    assert not any(each.differences for each in found)
    reached = [step.reached for each in found for step in each.steps if step.line.query == QUERY]
    assert 0.2 < max(reached) <= 1 + 1e-9
    broken = [replay_pair(make, pair, delta=delta, mutant=half_sensitivity) for pair in pairs(4)]
    assert any(step.reached > 1 for each in broken for step in each.steps if step.line.query == QUERY)

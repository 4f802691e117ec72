"""What a fit will release is what it releases: recipes beside the certificates of fits."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest

from tacit import (
    AutoClassifier,
    AutoRegressor,
    Categorical,
    Label,
    LogisticClassifier,
    NaiveBayesClassifier,
    Numeric,
    Schema,
    Target,
)
from tacit.errors import ParameterError
from tacit.estimators.recipe import recipe

GENERATOR = np.random.default_rng(0)
N = 1_500
FRAME = pl.DataFrame(
    {
        "age": GENERATOR.uniform(0, 90, N),
        "pay": GENERATOR.gamma(2.0, 10.0, N),
        "work": GENERATOR.choice(["none", "part", "full"], N),
    }
)
TWO = np.where(FRAME["age"].to_numpy() + 20 * GENERATOR.normal(size=N) > 45, "yes", "no")
THREE = np.where(TWO == "yes", FRAME["work"].to_numpy(), "none")
COLUMNS = (Numeric("age", 0, 90), Numeric("pay", 0, 500), Categorical("work", ["none", "part", "full"]))
PRIVATE = Schema(COLUMNS, label=Label("y", ["no", "yes"]))
SCHEMAS = {
    "two classes": (PRIVATE, FRAME, TWO),
    "three classes": (Schema(COLUMNS, label=Label("y", ["none", "part", "full"])), FRAME, THREE),
    "public label": (Schema(COLUMNS, label=Label("y", ["no", "yes"], private=False)), FRAME, TWO),
    "public column": (PRIVATE.with_private(["pay", "work"], label=True), FRAME, TWO),
    "categories": (Schema(COLUMNS[2:], label=Label("y", ["no", "yes"])), FRAME.select("work"), TWO),
}


def lines(records):
    return Counter((line.query, line.mechanism, line.currency, round(line.loss, 12)) for line in records)


def noises(records):
    """Return the noise of each release; of the last by its sensitivity, which follows from the released log-odds."""
    asked = [line.sensitivity if "log-odds" in line.query else 1.0 for line in records]
    return np.asarray([line.noise_scale for line in records]) / asked


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize(("epsilon", "delta"), [(0.001, "auto"), (0.3, "auto"), (5.0, 1e-5), (1.0, 0.0), (20.0, 0.0)])
def test_a_fit_releases_what_its_recipe_says(name, epsilon, delta):
    schema, frame, labels = SCHEMAS[name]
    estimator = AutoClassifier(schema, epsilon=epsilon, delta=delta, random_state=1)
    said, model = recipe(estimator, N), estimator.fit(frame, labels).model_
    assert (said.learner, said.why, said.composition) == (model.learner, model.why, model.guarantee.composition)
    assert (said.budget.epsilon, said.budget.delta) == (model.guarantee.epsilon, model.guarantee.delta)
    said_lines, real_lines = lines(said.records), lines(model.guarantee.releases)
    assert set(said_lines) == set(real_lines)
    if schema.public_columns and said.learner == "boosted-trees":
        return  # a tree that happens to draw public columns alone releases less
    assert said_lines == real_lines
    ratios = noises(model.guarantee.releases) / noises(said.records)
    # Of boosted trees noise follows from released shares, too.
    assert ratios == pytest.approx(np.ones(len(ratios))) or said.learner == "boosted-trees"
    assert np.all((ratios > 0.7) & (ratios < 1.42))


@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.01, "auto"), (1.0, "auto"), (20.0, 1e-5), (1.0, 0.0), (20.0, 0.0)])
def test_of_a_number_to_predict_too(epsilon, delta, private):
    schema = Schema(COLUMNS, label=Target("y", 0, 1_000, private=private))
    estimator = AutoRegressor(schema, epsilon=epsilon, delta=delta, random_state=1)
    said, model = recipe(estimator, N), estimator.fit(FRAME, 3 * FRAME["age"] + FRAME["pay"]).model_
    assert (said.learner, said.why) == (model.learner, model.why)
    assert lines(said.records) == lines(model.guarantee.releases)
    assert noises(model.guarantee.releases) == pytest.approx(noises(said.records))


@pytest.mark.parametrize("learner", [LogisticClassifier, NaiveBayesClassifier])
def test_of_a_learner_that_is_named_too(learner):
    estimator = learner(PRIVATE, epsilon=1.0, random_state=1)
    assert lines(recipe(estimator, N).records) == lines(estimator.fit(FRAME, TWO).privacy_.releases)


def test_shares_add_up_and_noise_is_in_persons():
    said = recipe(NaiveBayesClassifier(PRIVATE, epsilon=1.0, cut_points="grid"), N)
    assert sum(each.share for each in said.releases) == pytest.approx(1.0)
    counts = said.releases[-1]  # Laplace noise of scale 2 / (share of epsilon) on counts that one person moves by 2
    assert counts.noise == pytest.approx(np.sqrt(2) / counts.share, rel=1e-3)


def test_it_reads_no_row_and_tallies_no_fit(recwarn):
    from tacit.estimators.tally import spent

    schema = Schema([Numeric("height of a dune", 0, 90)], label=Label("moves", ["no", "yes"]))
    recipe(AutoClassifier(schema, epsilon=1.0), 100_000_000)
    assert spent(schema).fits == 0
    assert not recwarn.list


def test_what_would_not_be_all_is_refused():
    with pytest.raises(ParameterError, match="Expected holdout=0 for a recipe, got holdout"):
        recipe(AutoClassifier(PRIVATE, epsilon=1.0, holdout=0.2), N)


def test_what_the_fit_refuses_is_refused():
    with pytest.raises(ParameterError, match="Expected an epsilon"):
        recipe(AutoClassifier(PRIVATE), N)

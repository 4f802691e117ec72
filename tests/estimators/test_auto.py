"""Auto reads public numbers alone, fits what it names, and says why."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tacit import AutoClassifier, Categorical, Label, Numeric, Schema
from tacit.errors import ModelFileError, ParameterError, TableError
from tacit.estimators.auto import choose
from tacit.models import from_json, to_json
from tacit.privacy import Budget

SCHEMA = Schema([Numeric("a", 0, 1_000), Categorical("c", ["x", "y"])], label=Label("y", [0, 1]))
N = 2_000
GENERATOR = np.random.default_rng(0)
FRAME = pl.DataFrame({"a": GENERATOR.uniform(0, 1, N), "c": GENERATOR.choice(["x", "y"], N)})
LABELS = ((FRAME["a"].to_numpy() > 0.5) ^ (FRAME["c"].to_numpy() == "x")).astype(int)


def fitted(schema=SCHEMA, **settings):
    return AutoClassifier(schema, **{"epsilon": 1.0, "delta": 1e-5, "random_state": 0, **settings}).fit(FRAME, LABELS)


@pytest.mark.parametrize(
    ("rows", "epsilon", "delta", "learner"),
    [
        (3, 1.0, 1e-5, "tree"),  # one and a half for each of two columns
        (4, 1.0, 1e-5, "logistic"),
        (999, 1.0, 1e-5, "logistic"),
        (1_000, 1.0, 1e-5, "boosted-trees"),
        (3, 1.0, 0.0, "tree"),
        (4, 1.0, 0.0, "logistic"),
        (5_999, 1.0, 0.0, "logistic"),
        (6_000, 1.0, 0.0, "boosted-trees"),
    ],
)
def test_the_rule_by_hand(rows, epsilon, delta, learner):
    assert choose(SCHEMA, Budget(epsilon, delta), rows).learner == learner


MANY = Schema(SCHEMA.columns, label=Label("y", [0, 1, 2]))
CATEGORIES = Schema([Categorical("b", ["p", "q"]), Categorical("c", ["x", "y"])], label=MANY.label)


@pytest.mark.parametrize(
    ("schema", "rows", "delta", "learner"),
    [
        (CATEGORIES, 3, 1e-6, "tree"),
        (CATEGORIES, 4, 1e-6, "logistic"),
        (CATEGORIES, 1_999, 1e-6, "logistic"),
        (CATEGORIES, 2_000, 1e-6, "boosted-trees"),
        (MANY, 3, 1e-6, "tree"),
        (MANY, 4, 1e-6, "logistic"),
        (MANY, 1_999, 1e-6, "logistic"),
        (MANY, 2_000, 1e-6, "boosted-trees"),
        (MANY, 299, 0.0, "tree"),
        (MANY, 300, 0.0, "naive-bayes"),
        (MANY, 6_000, 0.0, "boosted-trees"),
        (replace(CATEGORIES, label=SCHEMA.label), 1, 1e-6, "tree"),
        (replace(CATEGORIES, label=SCHEMA.label), 2, 1e-6, "logistic"),
        (replace(CATEGORIES, label=SCHEMA.label), 999, 1e-6, "logistic"),
        (replace(CATEGORIES, label=SCHEMA.label), 1_000, 1e-6, "boosted-trees"),
        (replace(CATEGORIES, label=SCHEMA.label), 1, 0.0, "tree"),
        (replace(CATEGORIES, label=SCHEMA.label), 2, 0.0, "logistic"),
        (replace(CATEGORIES, label=SCHEMA.label), 4, 0.0, "logistic"),
        (replace(CATEGORIES, label=SCHEMA.label), 5, 0.0, "tree"),
        (replace(CATEGORIES, label=SCHEMA.label), 299, 0.0, "tree"),
        (replace(CATEGORIES, label=SCHEMA.label), 300, 0.0, "logistic"),
        (replace(CATEGORIES, label=SCHEMA.label), 6_000, 0.0, "boosted-trees"),
    ],
)
def test_many_classes_are_not_learned_one_by_one(schema, rows, delta, learner):
    assert choose(schema, Budget(1.0, delta), rows).learner == learner


def test_declared_shares_need_no_budget_of_their_own():
    declared = replace(SCHEMA, label=replace(SCHEMA.label, prevalence=[0.9, 0.1]))
    taken = [choose(declared, Budget(1.0, delta), rows).learner for delta in (1e-5, 0.0) for rows in (1, 4, 1_000)]
    assert taken == ["logistic", "logistic", "boosted-trees", "tree", "logistic", "logistic"]


def test_a_tree_needs_a_column_in_which_rows_differ():
    constant = Schema([Categorical("c", ["x"])], label=SCHEMA.label)
    model = AutoClassifier(constant, epsilon=1e-4, delta=1e-5, random_state=0).fit(
        FRAME.with_columns(c=pl.lit("x")), LABELS
    )
    assert model.choice_.learner == "logistic"


@pytest.mark.parametrize("schema", [SCHEMA, MANY])
@pytest.mark.parametrize("delta", [0.0, 1e-5])
def test_a_public_label_is_for_boosted_trees_but_of_two_classes_under_a_delta(delta, schema):
    def learner(columns, rows, *, label=False):
        return choose(schema.with_private(columns, label=label), Budget(0.01, delta), rows).learner

    # Public columns of two classes are learned among all.
    at_first = "logistic" if delta and schema is SCHEMA else "boosted-trees"
    assert learner(["a"], 1) == learner(["a"], 99_999) == at_first
    assert learner(["a"], 100_000) == "boosted-trees"
    # Without a public column a public label is learned as a private one, and its shares cost nothing.
    for rows in (1, 400, 59_999, 60_000, 99_999, 100_000, 200_000):
        private = learner(["a", "c"], rows, label=True)
        expected = "boosted-trees" if not delta else "logistic" if private == "tree" else private
        assert learner(["a", "c"], rows) == expected
    assert learner(["a"], 30_000, label=True) == ("logistic" if delta or schema is SCHEMA else "naive-bayes")


def test_a_public_label_with_very_many_categories_is_for_boosted_trees():
    codes = Categorical("code", [str(at) for at in range(2_000)])
    public = Schema([codes], label=replace(SCHEMA.label, private=False))
    assert choose(public, Budget(0.01, 1e-6), 1_000).learner == "boosted-trees"


@pytest.mark.parametrize("epsilon", [0.0005, 1.0])
def test_it_takes_the_delta_and_refuses_one_that_is_too_large(epsilon):
    assert fitted(epsilon=epsilon).privacy_.delta == 1e-5
    for delta in (1 / N, 0.5):
        with pytest.raises(ParameterError, match="delta"):
            fitted(epsilon=epsilon, delta=delta)


def test_columns_that_cost_nothing_do_not_count():
    partial = SCHEMA.with_private(["a"], label=False)
    assert choose(partial, Budget(1.0), 100).signal == 100.0
    # Under a delta public columns are learned with noise, among all.
    assert choose(partial, Budget(1.0, 1e-5), 100).signal == 50.0
    assert choose(SCHEMA.with_private(["a"], label=True), Budget(1.0, 1e-5), 100).signal == 50.0
    assert fitted(SCHEMA.with_private([], label=False)).privacy_.status == "public"


@pytest.mark.parametrize("delta", [1e-6, 0.0])
def test_an_indicator_is_part_of_its_column(delta):
    codes, none = (
        Schema([Numeric(f"n{at}", 0, 9, missing=missing) for at in range(23)], label=Label("y", [0, 1]))
        for missing in ("indicator", 4.5)
    )
    for epsilon in np.geomspace(1e-3, 100, 30):
        assert choose(codes, Budget(epsilon, delta), 20_000) == choose(none, Budget(epsilon, delta), 20_000)
    public = Schema([Numeric("z", 0, 9, missing="indicator", private=False), SCHEMA.columns[0]], label=SCHEMA.label)
    assert [column.name for column in public.paid_columns] == ["z", SCHEMA.names[0]]
    assert len(public.with_private([SCHEMA.names[0]], label=False).paid_columns) == 1


def test_it_is_the_learner_that_it_names():
    auto = fitted()
    own = auto.choice_.estimator(SCHEMA, epsilon=1.0, delta=1e-5, random_state=0).fit(FRAME, LABELS)
    assert replace(auto.model_, why="") == own.model_
    assert auto.score(FRAME, LABELS) > 0.9  # columns interact, and bounds are a thousand times too wide
    assert auto.predict_proba(FRAME).shape == (N, 2)


def test_the_reason_says_where_the_learner_is_taken():
    said = [choose(SCHEMA, Budget(1.0, delta), 100).why for delta in (1e-5, 0.0)]
    assert said[0] == "rows x epsilon per column (50) is at least 2 and below 500, enough for an additive model"
    assert said[1].startswith("rows x epsilon per private column (50) is at least 2 and below 3,000, enough")
    assert "(0.5) is below 2, enough for few splits or none" in choose(SCHEMA, Budget(0.01), 100).why
    assert (
        "rows x epsilon per private column (100), enough to learn interactions"
        in choose(SCHEMA.with_private(["a"], label=False), Budget(1.0), 100).why
    )


def test_the_reason_is_in_the_file():
    model = from_json(to_json(fitted().model_, allow="simulated"))
    assert model.why == "rows x epsilon per column (1,000) is at least 500, enough to learn interactions"
    for wrong in ("x" * 301, "two\nlines", "\x1b[2J"):
        with pytest.raises(ModelFileError, match="reason"):
            replace(model, why=wrong)


def test_it_survives_a_pickle_and_a_second_fit():
    auto = pickle.loads(pickle.dumps(fitted()))
    assert auto.choice_.learner == "boosted-trees"
    assert auto.set_params(epsilon=0.0005, delta=0.0).fit(FRAME, LABELS).choice_.learner == "tree"


@pytest.mark.parametrize(
    "schema",
    [
        Schema([Numeric("a", -1e300, 1e300)], label=SCHEMA.label),
        Schema([Categorical("c", ["x", "y"])], label=SCHEMA.label),
        Schema([Categorical("c", ["x"], other=True)], label=SCHEMA.label),
        Schema([Numeric("constant", 0, 1)], label=SCHEMA.label),
    ],
)
@pytest.mark.parametrize("delta", [0.0, 1e-3])
@pytest.mark.parametrize("rows", [10, 400])
def test_odd_tables_give_a_model(schema, rows, delta):
    frame = FRAME[:rows].with_columns(constant=pl.lit(0.5))
    for epsilon in (0.01, 1.0, 100.0):
        model = AutoClassifier(schema, epsilon=epsilon, delta=delta, random_state=0).fit(frame, LABELS[:rows])
        assert set(model.predict(frame)) <= {0, 1}


def test_one_class_is_refused_where_labels_are_public():
    with pytest.raises(TableError, match="one class"):
        AutoClassifier(SCHEMA.with_private(["a"], label=False), epsilon=1.0).fit(FRAME, np.zeros(N, int))

"""What linear learners do without being told: method, bins and lambda, by hand."""

from __future__ import annotations

import polars as pl
import pytest

from tacit.convex import HuberLoss, LogisticLoss
from tacit.errors import ParameterError
from tacit.estimators import LogisticClassifier, SVMClassifier
from tacit.estimators.auto import choose
from tacit.learners.linear import Linear, MeanOperator, NoisyGradient, PureObjective, RankedLogistic
from tacit.learners.linear.defaults import automatic_regularization, gradient_bins, objective_bins, pure_method
from tacit.privacy import Budget
from tacit.privacy.release import observing
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Table

SCHEMA = Schema([Categorical("c", ["a", "b", "d"])], label=Label("y", [0, 1]))


def chosen(schema, n_rows, kind=LogisticClassifier, **settings) -> Linear:
    frame = pl.DataFrame({"c": ["a", "b"] * (n_rows // 2)})
    return kind(schema, epsilon=1.0, **settings)._settings(Table.from_frame(frame, [0, 1] * (n_rows // 2), schema))


def test_the_mean_operator_where_rows_are_few_under_a_private_label_alone():
    assert pure_method(119, 1.0, 10, private_label=True) == "mean-operator"
    assert pure_method(120, 1.0, 10, private_label=True) == "k-norm"
    assert pure_method(119, 1.0, 10, private_label=False) == "k-norm"
    assert pure_method(1, 1.0, 0, private_label=False) == "k-norm"  # nothing is protected


def test_estimators_ask_the_rule_with_the_features_that_are_protected():
    # Three one-hot features: 38 rows at epsilon 1, of which calibration takes 0.05, are twelve for each.
    assert chosen(SCHEMA, 37).method == MeanOperator()
    assert chosen(SCHEMA, 38).method == PureObjective(LogisticLoss())
    assert chosen(SCHEMA.with_private(["c"], label=False), 34).method == PureObjective(LogisticLoss())
    assert chosen(SCHEMA, 22, SVMClassifier).method == PureObjective(HuberLoss(0.05))
    assert chosen(SCHEMA, 22, delta=1e-3, encoding="binned").method == NoisyGradient()
    assert isinstance(chosen(SCHEMA, 1_998, delta=1e-3), RankedLogistic)  # one column: below 2,000 for it
    assert chosen(SCHEMA, 2_000, delta=1e-3).method == NoisyGradient()


def test_lambda_by_hand():
    assert automatic_regularization(2.0, LogisticLoss(), 10, 640, 1.0) == pytest.approx(2 * (1 + 64 * 10 / 640))
    assert automatic_regularization(2.0, HuberLoss(0.05), 10, 400, 0.1) == pytest.approx(2 * (1 + 4 * 10 / 40))
    assert automatic_regularization(1e-9, LogisticLoss(), 10, 10**6, 1.0) == 1.0


def test_bins_of_gradients_grow_with_rows_and_budget():
    assert gradient_bins(100, 0.1, 1e-5) == 8
    assert all(gradient_bins(n, 0.1, 1e-5) % 2 == 0 for n in range(5_000, 500_000, 5_000))
    assert gradient_bins(10**9, 1.0, 1e-12) == 32
    assert 8 < gradient_bins(100_000, 0.5, 1e-6) < 32


def test_bins_of_a_pure_budget_grow_with_its_root():
    assert [objective_bins(n, 0.5) for n in (100, 25_000, 56_250, 100_000, 10**9)] == [8, 8, 12, 16, 32]
    assert all(objective_bins(n, 0.1) % 2 == 0 for n in range(5_000, 2_000_000, 5_000))


def coded(buckets, **options):
    return Schema([Categorical("zip", buckets=buckets, **options), Numeric("x", 0, 1)], label=Label("y", ["no", "yes"]))


@pytest.mark.parametrize("schema", [coded(1_024), coded(1_024, private=False).with_private(["x"], label=False)])
@pytest.mark.parametrize(
    ("cls", "settings"),
    [(SVMClassifier, {}), (LogisticClassifier, {}), (LogisticClassifier, {"delta": 1e-6}),
     (LogisticClassifier, {"delta": 1e-6, "encoding": "ranked"}), (LogisticClassifier, {"encoding": "one-hot"})],
)  # fmt: skip
def test_columns_of_thousands_of_codes_are_refused_before_anything_is_released(schema, cls, settings):
    rows, seen = {"zip": ["a", "b"] * 50, "x": [0.1, 0.9] * 50}, []
    with observing(seen.append), pytest.raises(ParameterError, match=r"column 'zip'\. Write buckets = 256"):
        cls(schema, epsilon=1.0, **settings).fit(pl.DataFrame(rows), ["no", "yes"] * 50)
    assert seen == []
    cls(schema, epsilon=1.0, encoding="ordinal").fit(pl.DataFrame(rows), ["no", "yes"] * 50)


def test_the_automatic_choice_takes_a_learner_that_counts_them():
    def chosen(buckets, delta, **options):
        return choose(coded(buckets), Budget(0.1, delta), 2_000, **options).learner

    assert [chosen(buckets, 0.0) for buckets in (63, 64)] == ["logistic", "naive-bayes"]
    assert [chosen(buckets, 1e-6) for buckets in (1_023, 1_024)] == ["logistic", "naive-bayes"]
    assert chosen(1_024, 0.0, weighs_classes=True) == "boosted-trees"  # naive Bayes takes no weights

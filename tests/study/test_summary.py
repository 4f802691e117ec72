"""Summaries of a study's rows: values worked out by hand, and what is missing or failed is left out and counted."""

from __future__ import annotations

from math import sqrt

import polars as pl
import pytest

from harness.study_rows import baseline, failed, fit, frame
from tacit.datasets.catalog import load_schema
from tacit.errors import ParameterError
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.study.summary import accuracies, distribution, mean_ranks, ratios, shares_learned, table_sizes


def test_mean_deviation_and_runs():
    rows = [
        fit(accuracy=a, repeat=i, auc=u, fit_seconds=2.0 * i)
        for i, (a, u) in enumerate([(0.5, 0.4), (0.6, 0.8), (0.9, 0.6)])
    ]
    (found,) = accuracies(frame(*rows)).to_dicts()
    assert (found["runs"], found["failed"], found["reason"]) == (3, 0, None)
    assert found["mean"] == pytest.approx(2 / 3)
    assert found["deviation"] == pytest.approx(sqrt((1 / 36 + 1 / 225 + 49 / 900) / 2))
    assert (found["least"], found["most"], found["auc"], found["fit_seconds"]) == (0.5, 0.9, pytest.approx(0.6), 2.0)


def test_one_run_has_no_deviation_and_failures_are_counted_with_their_reason():
    (found,) = accuracies(frame(fit(accuracy=0.7), failed(repeat=1), failed(repeat=2))).to_dicts()
    assert (found["mean"], found["deviation"], found["runs"], found["failed"]) == (0.7, None, 1, 2)
    assert found["reason"] == "Expected more rows."
    (found,) = accuracies(frame(failed())).to_dicts()
    assert (found["mean"], found["runs"], found["failed"]) == (None, 0, 1)


def test_settings_differ_in_data_privacy_learner_parameters_epsilon_and_delta():
    rows = [
        fit(), fit(data="other"), fit(privacy="all-private"), fit("LazyBB"), fit(parameters='{"rounds":3}'),
        fit(epsilon=2.0), fit(delta=1e-6), fit(repeat=1), fit(repeat=1, fold=2), baseline(),
    ]  # fmt: skip
    found = accuracies(frame(*rows))
    assert found["runs"].to_list() == [3, 1, 1, 1, 1, 1, 1, 1]
    assert found["epsilon"].to_list() == [1.0] * 5 + [2.0, 1.0, None]


def test_a_nan_is_no_accuracy():
    (found,) = accuracies(frame(fit(accuracy=float("nan")), fit(accuracy=0.5, repeat=1))).to_dicts()
    assert (found["mean"], found["runs"]) == (0.5, 1)


def test_no_rows_give_no_rows():
    none = frame()
    assert accuracies(none).height == ratios(none, "Logistic").height == mean_ranks(none).height == 0
    assert distribution(accuracies(none)).height == table_sizes(none, {}).height == 0


def test_rows_of_something_else_are_refused():
    with pytest.raises(ParameterError, match="column 'data'"):
        accuracies(pl.DataFrame({"x": [1]}))


def test_a_ratio_is_the_mean_of_ratios_over_paired_splits():
    rows = [
        fit(accuracy=0.4, repeat=0), baseline(0.8, repeat=0),
        fit(accuracy=0.9, repeat=1), baseline(0.9, repeat=1),
        fit(accuracy=0.1, repeat=2),
        baseline(0.1, repeat=3), baseline(0.3, name="Majority", repeat=0),
    ]  # fmt: skip
    for name in ("Logistic", "baseline:logistic"):
        (found,) = ratios(frame(*rows), name).to_dicts()
        # Mean of 1/2 and 1; the ratio of the means would be 0.65 / 0.85.
        assert (found["ratio"], found["pairs"], found["baseline"]) == (pytest.approx(0.75), 2, name)
        assert found["deviation"] == pytest.approx(sqrt(2 * 0.25**2))


def test_a_share_of_the_way_begins_at_the_majority_class():
    rows = [
        fit(accuracy=0.85, repeat=0, majority=0.8), baseline(0.95, repeat=0, majority=0.8),
        fit(accuracy=0.75, repeat=1, majority=0.7), baseline(0.95, repeat=1, majority=0.7),
        fit(accuracy=0.99, repeat=2, majority=0.7),
        fit("Never", 0.8, repeat=0, majority=0.8), fit("Early", 0.8, repeat=0),
    ]  # fmt: skip
    found = {
        row["name"]: row for row in shares_learned(pl.DataFrame(rows, infer_schema_length=None), "Logistic").to_dicts()
    }
    # 0.05 on average, of 0.15 and 0.25; the third split has no baseline, and "Early" no majority class.
    assert (found["BRC"]["ratio"], found["BRC"]["pairs"]) == (pytest.approx(0.05 / 0.2), 2)
    assert (found["Never"]["ratio"], found["Early"]["ratio"]) == (0.0, None)
    near = pl.DataFrame([fit(accuracy=0.8, majority=0.8), baseline(0.804, majority=0.8)], infer_schema_length=None)
    assert shares_learned(near, "Logistic")["ratio"].to_list() == [None]


def test_folds_are_paired_with_the_same_fold():
    rows = [fit(accuracy=0.5, fold=0), fit(accuracy=0.5, fold=1), baseline(0.5, fold=0), baseline(1.0, fold=1)]
    assert ratios(frame(*rows), "Logistic")["ratio"].to_list() == [0.75]


def test_each_learner_may_have_its_own_baseline():
    rows = [
        fit("NB", 0.4, learner="naive-bayes"), fit("Tree", 0.4), fit("SVM", 0.4),
        baseline(0.8, name="A"), baseline(0.5, name="B"),
    ]  # fmt: skip
    found = ratios(frame(*rows), {"naive-bayes": "A", "Tree": "baseline:b"})
    assert found.select("name", "ratio").rows() == [("NB", pytest.approx(0.5)), ("Tree", pytest.approx(0.8))]


@pytest.mark.parametrize(
    "rows", [[fit()], [fit(), baseline(0.0)], [fit(), baseline(0.5, repeat=1)], [fit(), baseline(0.5, data="other")]]
)
def test_without_a_pair_the_ratio_is_null(rows):
    (found,) = ratios(frame(*rows), "Logistic").to_dicts()
    assert (found["ratio"], found["deviation"], found["pairs"]) == (None, None, 0)


def test_a_single_pair_has_a_ratio_and_no_deviation():
    (found,) = ratios(frame(fit(accuracy=0.4), baseline(0.8)), "Logistic").to_dicts()
    assert (found["ratio"], found["deviation"], found["pairs"]) == (0.5, None, 1)


def test_two_baselines_of_one_name_are_refused():
    rows = [fit(), baseline(0.5), baseline(0.6, parameters='{"C":2}')]
    with pytest.raises(ParameterError, match="different names"):
        ratios(frame(*rows), "Logistic")


def test_baselines_of_one_learner_are_distinguished_by_name():
    alike = {"learner": "baseline:logistic"}
    plain, binned = baseline(0.8, name="plain", **alike), baseline(0.5, name="binned", parameters='{"C":8}', **alike)
    rows = [fit(accuracy=0.4), plain, binned]
    assert ratios(frame(*rows), "plain")["ratio"].to_list() == [pytest.approx(0.5)]
    assert ratios(frame(*rows), {"BRC": "binned"})["ratio"].to_list() == [pytest.approx(0.8)]
    with pytest.raises(ParameterError, match="'plain', 'binned'"):
        ratios(frame(*rows), "baseline:logistic")
    # A name goes before a learner.
    default = baseline(0.8, name="baseline:logistic")
    assert ratios(frame(*rows, default), "baseline:logistic")["ratio"].to_list() == [pytest.approx(0.5)]


def test_quantiles_lie_between_points():
    rows = [fit(name, accuracy) for name, accuracy in zip("ABCD", (0.1, 0.2, 0.4, 0.8), strict=True)]
    rows += [fit("A", 0.3, epsilon=0.1), baseline(0.99), failed("E")]
    low, high = distribution(accuracies(frame(*rows))).to_dicts()
    assert (low["epsilon"], low["least"], low["median"], low["most"], low["points"]) == (0.1, 0.3, 0.3, 0.3, 1)
    assert (high["least"], high["most"], high["points"], high["mean"]) == (0.1, 0.8, 4, pytest.approx(0.375))
    # Positions 0.75, 1.5 and 2.25 among 0.1, 0.2, 0.4, 0.8.
    assert [high[name] for name in ("lower", "median", "upper")] == [pytest.approx(each) for each in (0.175, 0.3, 0.5)]


def test_quantiles_of_ratios_and_of_nothing():
    rows = [fit("A", 0.4), fit("B", 0.6), baseline(0.8), fit("A", 0.5, epsilon=2.0, data="bare")]
    one, two = distribution(ratios(frame(*rows), "Logistic"), "ratio").to_dicts()
    assert (one["median"], one["points"]) == (pytest.approx(0.625), 2)
    assert (two["median"], two["mean"], two["points"]) == (None, None, 0)


def test_ranks_are_averaged_over_data_sets_and_equal_learners_share_theirs():
    def one(data, *means):
        return [fit(name, mean, data=data) for name, mean in zip("ABC", means, strict=True)]

    rows = [*one("x", 0.9, 0.8, 0.7), *one("y", 0.5, 0.5, 0.6), baseline(1.0)]
    assert mean_ranks(frame(*rows)).select("name", "rank", "data_sets").rows() == [
        ("A", pytest.approx((1 + 2.5) / 2), 2),
        ("B", pytest.approx((2 + 2.5) / 2), 2),
        ("C", pytest.approx((3 + 1) / 2), 2),
    ]


def test_ranks_compare_on_data_sets_that_all_have():
    rows = [
        fit("A", 0.9, data="x"),
        fit("B", 0.8, data="x"),
        fit("A", 0.1, data="y"),
        failed("B", data="y"),
        failed("C"),
    ]
    assert mean_ranks(frame(*rows)).select("name", "rank", "data_sets").rows() == [("A", 1.0, 1), ("B", 2.0, 1)]
    apart = [fit("A", data="x"), fit("B", data="y")]
    assert mean_ranks(frame(*apart)).select("rank", "data_sets").rows() == [(None, 0), (None, 0)]


def test_ranks_are_taken_within_an_epsilon():
    rows = [fit("A", 0.9), fit("B", 0.8), fit("A", 0.6, epsilon=2.0), fit("B", 0.7, epsilon=2.0)]
    assert mean_ranks(frame(*rows))["rank"].to_list() == [1.0, 2.0, 2.0, 1.0]


def test_sizes_of_tables():
    schema = Schema(
        [Numeric("age", 0, 90, cuts=[18, 65]), Categorical("sex", ["F", "M"]), Categorical("c", ["a", "b", "c"])],
        label=Label("y", [0, 1]),
    )
    rows = frame(fit(), failed(n_train=None, n_test=None), fit(data="unknown"), failed(data="bare", n_train=None))
    first, second, third = table_sizes(rows, {"toy": schema}).to_dicts()
    # Two thresholds, one question for two categories, three for three.
    assert first == {
        "data": "toy", "privacy": "as-declared", "rows": 100, "columns": 3, "private_columns": 2, "numeric": 1,
        "categorical": 2, "literals": 6,
    }  # fmt: skip
    assert (second["rows"], second["literals"], third["rows"]) == (100, None, None)


def test_literals_of_a_known_table_and_of_one_too_wide_for_codes():
    wide = Schema([Categorical("c", list(range(70_000)))], label=Label("y", [0, 1]))
    schemas = {"toy": load_schema("breast-cancer"), "wide": wide}
    first, second = table_sizes(frame(fit(), fit(data="wide")), schemas).to_dicts()
    assert (first["literals"], second["literals"], second["categorical"]) == (30 * 31, None, 1)

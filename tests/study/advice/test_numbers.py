"""Advice where a number is predicted: the same predictions, of R2 and of errors in units of the mean's."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources

import pytest

from benchmarks.advice.drawn_tables import drawn_tables
from benchmarks.advice.public_tables import tables_of_numbers
from study.advice.hand_made import past_studies
from tacit.errors import ParameterError
from tacit.privacy import Budget
from tacit.schema import Label, Numeric, Schema, Target
from tacit.study.advice import MetaFeatures, PastStudies, Query, advise, rows_needed
from tacit.study.advice.past_studies import DESCRIPTION, by_measure
from tacit.study.advice.query import usual_choice
from tacit.study.learners import private_regressors

NUMBER = {"classes": 1, "majority": 0.0}
# "good" has an R2 of 0.84 and 0.64, of 0.9 that are reached without privacy; "poor" is worse than the mean.
TWO = past_studies(
    NUMBER | {"source": "a", "good": 0.84, "poor": -0.21},
    NUMBER | {"source": "b", "good": 0.64, "poor": -0.21},
)
SCHEMA = Schema([Numeric(f"x{at}", 0, 1) for at in range(10)], label=Target("y", 0, 100))


@pytest.fixture
def asked(query):
    return replace(query, meta_features=replace(query.meta_features, classes=1))


@pytest.fixture(scope="module")
def numbers():
    return PastStudies.packaged("number")


def test_of_a_number_a_loss_is_of_r2_and_an_error_in_units_of_the_means(asked):
    advice = advise(asked, TWO)
    good, poor = advice.forecasts
    assert (advice.query.outcome, good.learner) == ("number", "good")
    assert good.loss == pytest.approx(0.9 - 0.74)
    # 1 - R2 is 0.16 and 0.36: without the other source each would be predicted as 0.2 off.
    assert good.rmse.loss == pytest.approx(0.26**0.5)
    assert (good.rmse.low, good.rmse.high) == pytest.approx((0.06**0.5, 0.46**0.5), abs=1e-6)
    assert (poor.rmse.loss, poor.rmse.low, poor.rmse.high) == pytest.approx((1.1,) * 3, abs=1e-6)
    assert (good.useful, poor.useful) == (1.0, 0.0)
    assert (good.auc, good.log_loss, good.balanced_accuracy, good.brier) == (None,) * 4


def test_an_error_is_no_more_than_what_the_least_r2_says(asked):
    """Of R2 of -1 and 0.9 the interval would reach beyond the former."""
    far = past_studies(NUMBER | {"source": "a", "good": -1.0}, NUMBER | {"source": "b", "good": 0.9})
    best = advise(asked, PastStudies(far.frame.drop("poor"))).advised
    assert best.rmse.high == pytest.approx(2**0.5)
    assert best.rmse.low == 0.0


def test_classes_have_no_such_error(query):
    assert advise(query, past_studies({"source": "a"}, {"source": "b"})).forecasts[0].rmse is None


def test_r2_may_be_below_that_of_the_mean_and_accuracy_may_not():
    assert TWO.outcome == "number"
    with pytest.raises(ParameterError, match="past studies"):
        past_studies(NUMBER | {"good": -1.1})
    with pytest.raises(ParameterError, match="past studies"):
        past_studies({"good": -0.1})
    with pytest.raises(ParameterError, match="past studies"):
        past_studies(NUMBER, {"source": "b"})  # of a number and of classes in one


def test_past_studies_of_the_other_kind_are_refused(query, asked):
    classes = past_studies({"source": "a"}, {"source": "b"})
    for ask in (advise, lambda *given: rows_needed(given[0], 0.5, given[1])):
        with pytest.raises(ParameterError, match=r"predict a number .*, got past studies that predict classes"):
            ask(asked, classes)
        with pytest.raises(ParameterError, match=r"predict classes .*, got past studies that predict a number"):
            ask(query, TWO)


@pytest.mark.parametrize(("epsilon", "learner"), [(0.1, "linear"), (10.0, "boosted-trees")])
def test_what_a_fit_takes_by_itself_is_advised(epsilon, learner):
    query = Query.of(SCHEMA, rows=10_000, epsilon=epsilon)
    advice = advise(query)
    assert (advice.advised.learner, query.choice.learner) == (learner, learner)
    assert advice.why == usual_choice(SCHEMA, Budget(epsilon), 10_000).why
    assert "rows x epsilon per private column" in advice.why
    assert {each.learner for each in advice.forecasts} == {"linear", "boosted-trees"}


def test_a_target_has_no_classes_and_the_traits_of_a_label():
    other = Schema(SCHEMA.columns, label=Label("y", [0, 1]))
    own, of_label = (Query.of(each, rows=1000, epsilon=1.0).meta_features for each in (SCHEMA, other))
    assert own == replace(of_label, classes=1)


def test_the_rows_that_an_r2_needs(asked):
    lost = {1_000: 0.3, 10_000: 0.2, 100_000: 0.1}
    past = past_studies(
        *(NUMBER | {"source": at, "rows": rows, "good": 0.9 - by} for at in "ab" for rows, by in lost.items())
    )
    found = rows_needed(asked, 0.65, past)
    assert 1_000 < found.rows < 10_000
    hopeless = past_studies(*(NUMBER | {"source": at, "good": -0.5, "poor": -0.6} for at in "ab"))
    assert rows_needed(asked, 0.65, hopeless).reached == pytest.approx(-0.5)


def test_the_packaged_table_is_small_and_whole(numbers):
    path = resources.files("tacit.study.advice") / "past_numbers.parquet"
    assert len(path.read_bytes()) < 100_000
    assert numbers.learners == tuple(sorted(set(private_regressors()) - {"auto"}))
    assert set(numbers.frame["table"]) == {each.name for each in (*tables_of_numbers(), *drawn_tables())}
    assert numbers.frame.columns == [*DESCRIPTION, *numbers.learners]
    assert numbers.frame["majority"].unique().to_list() == [0.0]
    assert (numbers.frame["ceiling"] >= 0).all()
    assert {(delta > 0) for delta in numbers.frame["delta"]} == {True, False}
    assert numbers.frame.select("table", "privacy", "rows", "epsilon", "delta").is_unique().all()


def test_the_packaged_table_describes_its_schemas(numbers):
    tables = {each.name: each for each in (*tables_of_numbers(), *drawn_tables())}
    for each in numbers.frame.select("table", "privacy", *MetaFeatures.__dataclass_fields__).unique().rows(named=True):
        assert MetaFeatures.of(tables[each.pop("table")].schema(each.pop("privacy"))) == MetaFeatures(**each)


def test_more_budget_loses_less_in_the_packaged_table(numbers):
    for past in (numbers, by_measure(numbers, "error")):
        least, most = (past.frame["epsilon"] == end for end in (0.1, 10.0))
        assert (past.losses[least].mean(axis=0) > past.losses[most].mean(axis=0) + 0.1).all()

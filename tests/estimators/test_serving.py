"""Predictions of single rows, of none, of rows without a value; the same of an estimator and of its model."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_validate
from sklearn.utils.validation import has_fit_parameter

import tacit
from tacit import BoostedTreesClassifier, Categorical, Label, NaiveBayesClassifier, Numeric, PaidSearch, Schema
from tacit.errors import ParameterError, TableError
from tacit.models.decisions import logarithms
from tacit.study.learners import private_learners

pytestmark = pytest.mark.filterwarnings("ignore:X does not have valid feature names")
LEARNERS = sorted(private_learners().values(), key=lambda cls: cls._learner)
N_ROWS = 120
AGES = np.linspace(0, 100, N_ROWS)
FRAME = pd.DataFrame({"age": AGES, "pay": AGES[::-1], "sex": np.resize(["F", "M"], N_ROWS)})
COLUMNS = [
    Numeric("age", 0, 100, missing=40),
    Numeric("pay", 0, 100, missing="indicator"),
    Categorical("sex", ["F", "M"], other=True),
]
SCHEMA = Schema(COLUMNS, label=Label("ill", ["no", "yes"]))
LABELS = np.where(AGES > 50, "yes", "no")
MANY = Schema(COLUMNS, label=Label("ill", ["a", "b", "c"]))


def fitted(cls=NaiveBayesClassifier, schema=SCHEMA, labels=LABELS, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cls(schema, epsilon=50.0, random_state=0, **parameters).fit(FRAME, labels)


@pytest.fixture(scope="module")
def estimator():
    return fitted()


EMPTY = {
    "pandas": FRAME[:0],
    "pandas without types": pd.DataFrame(columns=["age", "pay", "sex"]),
    "polars": pl.DataFrame(FRAME.to_dict("list"))[:0],
    "polars without types": pl.DataFrame(schema=["age", "pay", "sex"]),
    "lazy": pl.LazyFrame(FRAME.to_dict("list")).head(0),
    "Arrow": pa.Table.from_pandas(FRAME)[:0],
    "stream": pa.Table.from_pandas(FRAME)[:0].to_reader(),
    "array": np.empty((0, 3)),
    "objects": np.empty((0, 3), dtype=object),
    "list": [],
}


def shapes(served, table):
    found = [getattr(served, name)(table).shape for name in ("predict", "predict_proba", "predict_log_proba")]
    return [*found, served.decision_function(table).shape]


@pytest.mark.parametrize("name", EMPTY)
def test_no_rows_have_no_predictions(name, estimator):
    for served in (estimator, estimator.model_):
        assert shapes(served, EMPTY[name] if name != "stream" else FRAME[:0]) == [(0,), (0, 2), (0, 2), (0,)]
    assert estimator.predict(EMPTY[name]).dtype == estimator.classes_.dtype
    with pytest.raises(ValueError, match="at least one row"):
        estimator.fit(EMPTY[name], [])


@pytest.mark.parametrize("learner", [*LEARNERS, BoostedTreesClassifier])
def test_nor_have_they_of_any_learner(learner):
    more = {"delta": 1e-4} if learner is BoostedTreesClassifier else {}  # then it starts from another model
    for schema, labels, scores in ((SCHEMA, LABELS, (0,)), (MANY, np.resize(["a", "b", "c"], N_ROWS), (0, 3))):
        served, n_classes = fitted(learner, schema, labels, **more), len(schema.label.classes)
        assert shapes(served, FRAME[:0]) == [(0,), (0, n_classes), (0, n_classes), scores]
        assert len(served.explain(FRAME[:0])) == 0
        if hasattr(served, "staged_predict"):
            assert {stage.shape for stage in served.staged_predict(FRAME[:0])} == {(0,)}


ONE = {"age": [None], "pay": [7.0], "sex": ["F"]}
UNTYPED = {
    "polars": pl.DataFrame(ONE),
    "lazy": pl.LazyFrame(ONE),
    "Arrow": pa.table(ONE),
    "batch": pa.record_batch(ONE),
    "pandas, objects": pd.DataFrame(ONE),
    "pandas, Arrow's null": pd.DataFrame(ONE).astype({"age": pd.ArrowDtype(pa.null())}),
    "pandas, sparse": pd.DataFrame(ONE).astype({"age": pd.SparseDtype("float64")}),
    "pandas, long double": pd.DataFrame(ONE).astype({"age": np.longdouble}),
    "list": [[None, 7.0, "F"]],
}


@pytest.mark.parametrize("name", UNTYPED)
def test_a_row_whose_first_column_has_no_type_is_predicted_as_any_other(name, estimator):
    as_if = pd.DataFrame({"age": [40.0], "pay": [7.0], "sex": ["F"]})  # what the schema says of a missing one
    assert np.array_equal(estimator.predict_proba(UNTYPED[name]), estimator.predict_proba(as_if))
    assert np.array_equal(estimator.model_.predict_proba(UNTYPED[name]), estimator.predict_proba(as_if))


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table, pd.DataFrame])
def test_so_is_one_with_no_value_at_all(make, estimator):
    empty = make({"age": [None], "pay": [None], "sex": [None]})
    assert np.array_equal(estimator.predict_proba(empty), estimator.predict_proba([[40.0, None, "another"]]))


def test_many_rows_without_types_are_read_in_chunks(estimator):
    chunks = [pl.DataFrame({**ONE, "pay": [float(pay)]}) for pay in range(3)]
    whole = pl.concat(chunks, rechunk=False)
    assert estimator.predict_proba(whole).tolist() == [estimator.predict_proba(each)[0].tolist() for each in chunks]


def test_logarithms_of_probabilities_of_rows_that_are_certain():
    served = fitted()
    right = served.predict_proba(FRAME)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.allclose(np.exp(served.predict_log_proba(FRAME)), right)
    with pytest.raises(ParameterError, match="holdout"):
        served.predict_log_proba(FRAME, calibrated=True)


def test_logarithms_keep_the_order_of_probabilities_that_differ_in_their_last_bits():
    small = 0.00016709633534800635
    rows = np.asarray([[small, 1 - 2 * small, np.nextafter(small, 0)], [0.0, 1.0, 0.0], [0.25, 0.5, 0.25]])
    assert np.log(rows[0, 0]) == np.log(rows[0, 2])
    found = logarithms(rows)
    assert (np.argsort(found, axis=1) == np.argsort(rows, axis=1)).all() and (found <= 0).all()
    assert np.abs(found[0] - np.log(rows[0])).max() < 1e-14 and found[2].tolist() == np.log(rows[2]).tolist()


def test_what_an_estimator_refuses_its_model_refuses(estimator):
    for odd in (sparse.eye(3).tocsr(), np.zeros(3), np.zeros((2, 4)), "table.csv", None, {"age": [1]}, 7):
        for served in (estimator, estimator.model_):
            with pytest.raises((ValueError, TypeError)):
                served.predict(odd)
    rows = estimator.model_.read(FRAME)
    assert np.array_equal(estimator.predict_proba(rows), estimator.model_.predict_proba(rows))


def test_what_a_model_has_is_found_from_the_estimator(estimator):
    assert estimator.explain().equals(estimator.model_.explain())
    assert estimator.explain(FRAME[:2]).equals(estimator.model_.explain(FRAME[:2]))
    assert estimator.importances().equals(estimator.model_.importances())
    for name in ("guarantee", "held_out", "explanation"):
        with pytest.raises(AttributeError, match=rf"model_\.{name}"):
            getattr(estimator, name)
    with pytest.raises(AttributeError, match=r"'nonsense'\.$"):
        estimator.nonsense  # noqa: B018
    with pytest.raises(NotFittedError):
        clone(estimator).explain()
    assert pickle.loads(pickle.dumps(estimator)).predict(FRAME[:1]) == estimator.predict(FRAME[:1])


def test_an_estimator_is_evaluated_as_its_model_is(estimator):
    given = {"X": FRAME, "y": LABELS, "epsilon": 5.0, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = tacit.evaluate(estimator, **given)
        assert found.document() == tacit.evaluate(estimator.model_, **given).document()
        assert found.document() == estimator.evaluate(**given).document()
    for odd in ("model.json", None, NaiveBayesClassifier):
        with pytest.raises(ParameterError, match="a model, or a fitted classifier or regressor"):
            tacit.evaluate(odd, **given)
    with pytest.raises(NotFittedError):
        tacit.evaluate(clone(estimator), **given)


def test_weights_of_rows_are_refused_with_what_there_is_instead():
    search = PaidSearch(NaiveBayesClassifier(SCHEMA), {"n_bins": [2, 4]}, epsilon=1.0)
    for learner in (NaiveBayesClassifier(SCHEMA, epsilon=1.0), search):
        assert not has_fit_parameter(learner, "sample_weight")  # so that tools which ask for it know
        for error in (ParameterError, TypeError):
            with pytest.raises(error, match="class_weight="):
                learner.fit(FRAME, LABELS, sample_weight=np.ones(N_ROWS))
        with pytest.raises(ParameterError, match="'nonsense'"):
            learner.fit(FRAME, LABELS, nonsense=1)
    with pytest.raises(ParameterError, match=r"'epsilon'\. Pass it to the constructor"):
        NaiveBayesClassifier(SCHEMA).fit(FRAME, LABELS, epsilon=1.0)
    with pytest.raises(ParameterError, match="class_weight="):
        cross_validate(
            NaiveBayesClassifier(SCHEMA, epsilon=1.0),
            FRAME, LABELS, cv=2, params={"sample_weight": np.ones(N_ROWS)}, error_score="raise",
        )  # fmt: skip


def test_rows_of_one_class_are_refused_without_advice_to_coerce_labels():
    schema = Schema(COLUMNS, label=Label("ill", ["no", "yes"], private=False))
    with pytest.raises(TableError, match="one class") as refused:
        fitted(schema=schema, labels=np.full(N_ROWS, "no"))
    assert "coerce" not in str(refused.value)

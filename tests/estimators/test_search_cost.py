"""What a search says that it spends is what it spends; what cannot be known beforehand is refused."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from tacit import BRCClassifier, Label, NaiveBayesClassifier, Numeric, RadoBoostClassifier, Schema, search_cost
from tacit.errors import ParameterError
from tacit.estimators import PrivateClassifier

SCHEMA = Schema([Numeric("a", -1, 1), Numeric("b", -1, 1)], label=Label("y", [0, 1]))
X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
Y = (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int)


def private(**given):
    return NaiveBayesClassifier(SCHEMA, **{"epsilon": 2.0, "random_state": 0, **given})


def bagging(**given):
    return BaggingClassifier(private(), 3, **{"bootstrap": False, "max_samples": 0.5, **given})


SPENDS = {
    "grid": GridSearchCV(private(), {"epsilon": [0.5, 1.0], "on_invalid": ["raise", "coerce"]}, cv=3),
    "grid without refit": GridSearchCV(private(), {"epsilon": [0.5, 1.0]}, cv=KFold(2), refit=False),
    "grid of listed splits": GridSearchCV(private(), {"epsilon": [2.0]}, cv=list(KFold(4).split(X))),
    "pipeline": make_pipeline(FunctionTransformer(), private()),
    "grid of pipelines": GridSearchCV(
        make_pipeline(FunctionTransformer(), private()), {"naivebayesclassifier__epsilon": [0.5, 1.0]}, cv=2
    ),
    "random": RandomizedSearchCV(private(), {"on_invalid": ["raise", "coerce"]}, n_iter=2, cv=3),
    "random, few candidates": RandomizedSearchCV(private(), {"on_invalid": ["raise", "coerce"]}, n_iter=9, cv=3),
    "bagging": bagging(),
    "search over bagging": GridSearchCV(bagging(), {"max_features": [1.0], "n_estimators": [2, 5]}, cv=2),
    "calibration": CalibratedClassifierCV(private(), cv=4),
    "calibration without ensemble": CalibratedClassifierCV(private(), cv=4, ensemble=False),
    "search over calibration": GridSearchCV(CalibratedClassifierCV(private(), cv=2), {"estimator__epsilon": [1]}, cv=3),
    "tuned threshold": TunedThresholdClassifierCV(private(), cv=4),
    "tuned threshold, one split": TunedThresholdClassifierCV(private(), cv=0.5),
    "tuned threshold without refit": TunedThresholdClassifierCV(private(), cv=0.5, refit=False),
    "fixed threshold": FixedThresholdClassifier(private(), threshold=0.3),
}


@pytest.mark.filterwarnings("ignore:The total space of parameters")
@pytest.mark.parametrize("name", SPENDS)
def test_as_many_fits_are_made_as_were_told(name, monkeypatch):
    made, train = Counter(), PrivateClassifier._train

    def counted(self, table):
        made["fits"] += 1
        made["epsilon"] += self.epsilon
        return train(self, table)

    monkeypatch.setattr(PrivateClassifier, "_train", counted)
    told = search_cost(SPENDS[name])
    SPENDS[name].fit(X, Y)
    if name == "search over bagging":  # the refit's fits depend on who wins: 2 or 5
        assert told.fits == 2 * (2 + 5) + 5 >= made["fits"]
        return
    assert told.fits == made["fits"]
    assert made["epsilon"] <= told.epsilon <= made["epsilon"] + 0.5  # a refit may be of the cheaper of 0.5 and 1


def test_costs_by_hand():
    cost = search_cost(SPENDS["grid"])
    assert (cost.fits, cost.epsilon) == (13, 3 * 2 * 0.5 + 3 * 2 * 1.0 + 1.0)
    assert search_cost(SPENDS["grid"], n_splits=10).fits == 41
    cheap = RandomizedSearchCV(private(delta=1e-9), {"on_invalid": ["raise", "coerce"]}, n_iter=2, cv=3)
    assert search_cost(cheap).delta == pytest.approx(7e-9)
    assert search_cost(CalibratedClassifierCV(FrozenEstimator(private().fit(X, Y)), cv=4)).fits == 0
    default = GridSearchCV(private(), {"epsilon": [1.0]})
    assert search_cost(default).fits == 6


def test_what_reads_rows_without_noise_is_named():
    nested = GridSearchCV(CalibratedClassifierCV(private(), cv=2), {"method": ["sigmoid", "isotonic"]}, cv=3)
    text = str(search_cost(nested))
    assert text.startswith("14 private fits, together epsilon 28 and delta 0; not covered")
    assert "the calibration" in text
    assert "the scores that choose between candidates" in text
    assert "the decision threshold" in str(search_cost(TunedThresholdClassifierCV(private())))
    assert "not covered" not in str(search_cost(bagging()))


class Unbounded(GridSearchCV):
    """A search that fits as often as it likes."""


@pytest.mark.parametrize(
    ("search", "reason"),
    [
        (private(), "One fit spends its epsilon"),
        (GridSearchCV(LogisticRegression(), {"C": [1]}), "LogisticRegression"),
        (GridSearchCV(private(epsilon=None), {"on_invalid": ["raise"]}), "epsilon"),
        (BaggingClassifier(private()), "several rows of one"),
        (GridSearchCV(bagging(), {"bootstrap": [False, True]}), "several rows of one"),
        (bagging(warm_start=True), "warm_start"),
        (Unbounded(private(), {"epsilon": [1.0]}), "Unbounded"),
        (OneVsRestClassifier(private()), "OneVsRestClassifier"),
        (AdaBoostClassifier(private()), "AdaBoostClassifier"),
        (RandomizedSearchCV(private(), {"epsilon": [1.0, 2.0]}), "epsilon"),
        (RandomizedSearchCV(bagging(), {"n_estimators": [2, 5]}), "n_estimators"),
        (RandomizedSearchCV(CalibratedClassifierCV(private()), {"cv": [2, 5]}), "cv"),
        (GridSearchCV(private(), {"epsilon": [1.0]}, cv=LeaveOneGroupOut()), "number of splits"),
        (GridSearchCV(private(), {"epsilon": [1.0]}, cv=iter([1])), "number of splits"),
        (BRCClassifier(SCHEMA, epsilon=1.0, public_learner=private()), "One fit"),
        (GridSearchCV(BRCClassifier(SCHEMA, epsilon=1.0, public_learner=private()), {"rounds": [1]}), "fits no other"),
        (make_pipeline(bagging(), private()), "last step"),
        (GridSearchCV(RadoBoostClassifier(SCHEMA, protection="none"), {"rounds": [1]}), "epsilon"),
        (
            GridSearchCV(RadoBoostClassifier(SCHEMA, epsilon=1.0, protection="marginal"), {"rounds": [1]}),
            "differentially private fits",
        ),
        (None, "NoneType"),
    ],
)
def test_what_is_not_known_beforehand_is_refused(search, reason):
    with pytest.raises(ParameterError, match=reason):
        search_cost(search)


def test_splits_may_be_given_where_they_are_not_known():
    assert search_cost(GridSearchCV(private(), {"epsilon": [1.0]}, cv=LeaveOneGroupOut()), n_splits=7).fits == 8
    assert search_cost(GridSearchCV(private(), {"epsilon": [1.0]}, cv=GroupKFold(3))).fits == 4
    for wrong in (0, True, 2.5, "3"):
        with pytest.raises(ParameterError, match="n_splits"):
            search_cost(SPENDS["grid"], n_splits=wrong)
    with pytest.raises(ParameterError, match="n_splits"):
        search_cost(bagging(), n_splits=3)

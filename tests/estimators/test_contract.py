"""scikit-learn's own checks; each exception has its reason."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from tacit import AutoClassifier, AutoRegressor, BoostedTreesRegressor, LinearRegressor, TreeClassifier
from tacit.study.learners import private_learners

BY_NAME = (
    "Columns of a data frame are matched by name, so another order is no error and further columns are ignored; "
    "a missing one raises (test_frames.py)."
)


def expected_failures(estimator):
    """Return the checks that an estimator need not pass, with reasons."""
    weights = getattr(estimator, "_no_class_weight", "")
    return {
        "check_dataframe_column_names_consistency": BY_NAME,
        **({"check_class_weight_classifiers": weights} if weights else {}),
    }


SETTINGS = {
    "boosted-trees": {"n_trees": 8},
    "brc": {"rounds": 40},
    "lazybb": {"rounds": 10},
    "radoboost": {"rounds": 100},
}
"""As few rounds as have the accuracy that some checks ask for."""

ESTIMATORS = [cls("infer", epsilon=1e4, **SETTINGS.get(name, {})) for name, cls in sorted(private_learners().items())]
ESTIMATORS += [cls("infer", epsilon=1e4, delta=0.0) for cls in (AutoRegressor, LinearRegressor)]
ESTIMATORS += [BoostedTreesRegressor("infer", epsilon=1e4, delta=0.0, n_trees=8)]


FIRST = (AutoClassifier, AutoRegressor, TreeClassifier)
"""Of all that estimators share little is their own: a commit waits for these."""


@parametrize_with_checks(
    [each for each in ESTIMATORS if isinstance(each, FIRST)], expected_failed_checks=expected_failures
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.mark.audit
@parametrize_with_checks(
    [each for each in ESTIMATORS if not isinstance(each, FIRST)], expected_failed_checks=expected_failures
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_accepts_all_others(estimator, check):
    check(estimator)

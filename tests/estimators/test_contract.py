"""scikit-learn's own checks; each exception has its reason."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from tacit.study.learners import private_learners

BY_NAME = (
    "Columns of a data frame are matched by name, so another order is no error and further columns are ignored; "
    "a missing one raises (test_frames.py)."
)

EXPECTED_FAILURES = {"check_dataframe_column_names_consistency": BY_NAME}

SETTINGS = {"brc": {"rounds": 100}}
"""Enough rounds for the accuracy that some checks ask for."""

ESTIMATORS = [cls("infer", epsilon=1e4, **SETTINGS.get(name, {})) for name, cls in sorted(private_learners().items())]


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=lambda _: EXPECTED_FAILURES)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)

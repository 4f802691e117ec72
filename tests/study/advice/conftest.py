"""Fixtures of advice."""

from __future__ import annotations

import pytest

from tacit.study.advice import MetaFeatures, PastStudies, Query


@pytest.fixture
def query():
    meta_features = MetaFeatures(
        columns=10,
        private_columns=10,
        protected_columns=10,
        public_label=False,
        classes=2,
        categorical_columns=5,
        width=100,
        literals=200,
    )
    return Query(meta_features, rows=1000, epsilon=1.0)


@pytest.fixture(scope="session")
def packaged():
    return PastStudies.packaged()

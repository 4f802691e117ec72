"""Fixtures of advice."""

from __future__ import annotations

import pytest

from tacit.study.advice import PastStudies, Shape, Situation


@pytest.fixture
def situation():
    shape = Shape(
        columns=10,
        private_columns=10,
        charged_columns=10,
        public_label=False,
        classes=2,
        categorical_columns=5,
        width=100,
        literals=200,
    )
    return Situation(shape, rows=1000, epsilon=1.0)


@pytest.fixture(scope="session")
def packaged():
    return PastStudies.packaged()

"""BRC at its published cost: the sensitivity of Lemma 1, and a void certificate."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reproductions.shen2022.published import PublishedBRCClassifier
from tacit.errors import PrivacyError
from tacit.estimators import BRCClassifier
from tacit.models import to_json
from tacit.schema import Label, Numeric, Schema

SCHEMA = Schema([Numeric("age", 0, 100), Numeric("height", 0, 3)], label=Label("ill", ["no", "yes"], private=False))


def rows(n=300):
    generator = np.random.default_rng(0)
    frame = pl.DataFrame({"age": generator.uniform(0, 100, n), "height": generator.uniform(1, 2, n)})
    return frame, np.where(frame["age"].to_numpy() + 20 * generator.normal(size=n) > 50, "yes", "no")


def test_the_published_cost_is_void():
    model = PublishedBRCClassifier(SCHEMA, epsilon=1.0).fit(*rows())
    assert model.privacy_.status == "void"
    with pytest.raises(PrivacyError, match="void"):
        to_json(model.model_)
    assert len(model.privacy_.releases) == len(model.model_.scorers[0].votes)


def test_every_error_has_the_published_sensitivity():
    published, ours = (
        kind(SCHEMA, epsilon=1.0, calibration=0, random_state=0).fit(*rows())
        for kind in (PublishedBRCClassifier, BRCClassifier)
    )
    releases = published.privacy_.releases
    assert [line.sensitivity for line in releases] == pytest.approx([2 / 300] * len(releases))  # c1 * c2 / n
    assert [line.noise_scale for line in releases] == pytest.approx([2 / 300 * len(releases)] * len(releases))
    assert all(line.sensitivity < 2 / 300 for line in ours.privacy_.releases)


def test_a_selected_intercept_has_no_published_sensitivity():
    model = PublishedBRCClassifier(SCHEMA, epsilon=1.0, intercept="selected", rounds=3).fit(*rows())
    assert all(line.sensitivity < 2 / 300 for line in model.privacy_.releases if "error" in line.query)
    assert model.privacy_.status == "void"

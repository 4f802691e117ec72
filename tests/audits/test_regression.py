"""Regressors, replayed in every case of public and private cells: no release above its share, no difference."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from harness.longer import longer
from tacit import AutoRegressor, BoostedTreesRegressor, LinearRegressor
from tacit.audit.neighbors import Pair, random_pairs, worst_pairs
from tacit.audit.reading import reading_pairs
from tacit.audit.replay import replay_pair
from tacit.convex import LogLoss, QuantileLoss, SquaredLoss
from tacit.schema import Categorical, Numeric, Schema, Target
from tacit.sensitivities.counts import TargetPlacesBasis

COLUMNS = [Numeric("x", -1, 1), Categorical("c", ["a", "b"])]
ALL = Schema(COLUMNS, label=Target("y", 0.125, 10))
CASES = {
    "all": ALL,
    "target": ALL.with_private([], label=True),
    "columns": ALL.with_private(["x", "c"], label=False),
    "one column": ALL.with_private(["x"], label=False),
}
SETTINGS = [
    (LinearRegressor, {}),
    (BoostedTreesRegressor, {"n_trees": 2, "depth": 2, "candidates": 2}),
    (BoostedTreesRegressor, {"n_trees": 3, "depth": 1, "candidates": 1, "structure": "additive"}),
    (LinearRegressor, {"loss": "absolute"}),
    (
        BoostedTreesRegressor,
        {"n_trees": 1, "depth": 1, "start": "balance", "loss": "quantile", "quantiles": (0.1, 0.5)},
    ),
    (LinearRegressor, {"loss": "poisson"}),
    (BoostedTreesRegressor, {"n_trees": 1, "depth": 1, "start": "balance", "loss": "gamma"}),
]
NAMES = ["linear", "trees", "curves", "absolute", "quantiles", "poisson", "gamma"]


def made(cls, schema, delta, settings):
    return lambda: cls(schema, epsilon=2.0, delta=delta, on_invalid="coerce", **settings)


def pairs_of(schema, seed, step=7):
    yield from islice(random_pairs(schema, n_rows=6, seed=seed), 6)
    yield from islice(worst_pairs(schema, n_rows=6), 0, None, step)


# Losses differ by their residuals alone: all their cases but the first are for longer runs.
IN_CASES = [
    pytest.param(*setting, case, marks=() if case == "all" or setting[1].get("loss") is None else pytest.mark.audit)
    for setting in SETTINGS
    for case in CASES
]


@pytest.mark.parametrize("step", longer((28, 7), 2))
@pytest.mark.parametrize("delta", [0.0, 1e-3], ids=["pure", "delta"])
@pytest.mark.parametrize(
    ("cls", "settings", "case"), IN_CASES, ids=[f"{name}-{case}" for name in NAMES for case in CASES]
)
def test_no_release_is_above_its_share_and_nothing_else_differs(cls, settings, case, delta, step):
    schema, reached = CASES[case], {}
    for seed, pair in enumerate(pairs_of(schema, 1, step)):
        found = replay_pair(made(cls, schema, delta, settings), pair, seed=seed, delta=delta)
        assert found.differences == (), pair.kind
        for release in found.steps:
            assert release.reached <= 1 + 1e-9, (pair.kind, release.line)
            reached[release.line.query] = max(reached.get(release.line.query, 0.0), release.reached)
    assert reached
    assert max(reached.values()) > 0.6, reached


@pytest.mark.parametrize("cls", [AutoRegressor, LinearRegressor])
def test_one_cell_of_any_type_decides_about_its_own_row_alone(cls):
    for number, pair in enumerate(islice(reading_pairs(ALL, n_rows=4, seed=3), 24)):
        assert replay_pair(made(cls, ALL, 0.0, {}), pair, seed=number).differences == (), pair.kind


# One number leaves a part and enters another: at half of the median, and above it.
REST = ((0.0, "a", 5.0), (0.0, "b", 9.0))
FAR = Pair(ALL, ((0.0, "a", 0.125), *REST), ((0.0, "a", 10.0), *REST))

# One number is far beyond where residuals are cut: that of all others is one.
COSTS = Schema(COLUMNS, label=Target("y", 0.5, 1000))
BEYOND = Pair(COSTS, *(((0.0, "a", number), *([(0.0, "a", 1.0)] * 199)) for number in (0.5, 1000.0)))


def uncut(self, numbers, scores):
    if isinstance(self, SquaredLoss):
        return self.slope * (numbers - scores)
    means = np.exp(np.clip(self.unit * scores, -9, 9))
    return (numbers / means - 1 if self.family == "gamma" else numbers - means) / (2 * self.clip)


@pytest.mark.parametrize(("loss", "mutant"), [("poisson", LogLoss), ("gamma", LogLoss), ("squared", SquaredLoss)])
def test_a_clip_that_is_left_out_is_caught(loss, mutant, monkeypatch):
    fit = lambda: BoostedTreesRegressor(  # noqa: E731
        COSTS, epsilon=8.0, delta=1e-3, loss=loss, n_trees=1, depth=1, start="balance", cut_points="grid"
    )
    assert max(step.reached for step in replay_pair(fit, BEYOND, seed=0, delta=1e-3).steps) <= 1 + 1e-9
    monkeypatch.setattr(mutant, "residuals", uncut)
    found = replay_pair(fit, BEYOND, seed=0, delta=1e-3)
    assert max(step.reached for step in found.steps if "residuals" in step.line.query) > 1.5


def test_a_start_whose_clip_is_left_out_is_caught(monkeypatch):
    monkeypatch.setattr(SquaredLoss, "residuals", uncut)
    fit = lambda: LinearRegressor(COSTS, epsilon=8.0, delta=1e-3, loss="poisson")  # noqa: E731
    found = replay_pair(fit, BEYOND, seed=0, delta=1e-3)
    # Gradients are of another loss, whose clip stays: the mean at which logarithms begin is alone.
    assert sum(step.reached > 1.5 for step in found.steps) == 1


def test_residuals_that_are_not_cut_are_caught(monkeypatch):
    fit = made(BoostedTreesRegressor, ALL, 1e-3, {"loss": "quantile", "quantiles": (0.95,), "n_trees": 2})
    assert max(step.reached for step in replay_pair(fit, FAR, seed=0, delta=1e-3).steps) <= 1 + 1e-9
    # One long, and not one half.
    monkeypatch.setattr(QuantileLoss, "residuals", lambda self, y, s: np.sign(y - s))
    found = replay_pair(fit, FAR, seed=0, delta=1e-3)
    assert max(step.reached for step in found.steps if "residuals" in step.line.query) > 1.5


def test_half_of_the_sensitivity_of_places_is_caught(monkeypatch):
    fit = made(LinearRegressor, ALL, 1e-3, {})
    assert max(step.reached for step in replay_pair(fit, FAR, seed=0, delta=1e-3).steps) <= 1 + 1e-9
    monkeypatch.setattr(TargetPlacesBasis, "of_row", lambda self, unit: (1.0, 0.7072))
    found = replay_pair(fit, FAR, seed=0, delta=1e-3)
    assert max(step.reached for step in found.steps if "place" in step.line.query) > 1.9

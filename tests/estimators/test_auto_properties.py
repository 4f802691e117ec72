"""What auto promises of any table: wide bounds, more budget or a delta cost little, and rare classes are ranked."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

from tacit import AutoClassifier, BoostedTreesClassifier, Categorical, Label, LogisticClassifier, Numeric, Schema
from tacit.errors import TacitError

LABEL = Label("y", [0, 1])
N_SCORED = 4_000


def table(n_rows: int, *, interactions: bool, rare: float = 0.5, seed: int = 0):
    """Draw three numbers, one of a long tail, and a category of four; the schema's bounds are those of the rows."""
    generator = np.random.default_rng(seed)
    n = n_rows + N_SCORED
    a, b, c = generator.normal(size=n), generator.normal(size=n), generator.lognormal(0, 1, n)
    word = generator.integers(0, 4, n)
    odds = 3 * a * b + (c > 1) if interactions else 2 * a - b + np.asarray([-1.0, 0.5, 1.0, 0.0])[word]
    noisy = odds + generator.logistic(size=n) / 2
    y = (noisy > np.quantile(noisy, 1 - rare)).astype(int)
    frame = pl.DataFrame({"a": a, "b": b, "c": c, "word": word})
    numbers = [Numeric(name, float(frame[name].min()), float(frame[name].max())) for name in "abc"]
    return frame, y, Schema([*numbers, Categorical("word", [0, 1, 2, 3])], label=LABEL)


def widened(schema: Schema, times: float) -> Schema:
    """Return bounds so many times as far apart, the rows anywhere between them."""
    columns = list(schema.columns)
    for at, c in enumerate(columns):
        if isinstance(c, Numeric):
            more = (times - 1) * (c.upper - c.lower)
            columns[at] = Numeric(c.name, c.lower - 0.382 * more, c.upper + 0.618 * more)
    return replace(schema, columns=tuple(columns))


def accuracies(schema, frame, y, *, draws=2, estimator=AutoClassifier, **settings) -> np.ndarray:
    """Return the held-out accuracy of each draw of the noise."""
    models = (
        estimator(schema, random_state=at, **settings).fit(frame[:-N_SCORED], y[:-N_SCORED]) for at in range(draws)
    )
    return np.asarray([model.score(frame[-N_SCORED:], y[-N_SCORED:]) for model in models])


def accuracy(*table, **settings) -> float:
    """Return their mean."""
    return float(accuracies(*table, **settings).mean())


@pytest.mark.parametrize("interactions", [False, True])
@pytest.mark.parametrize(("n_rows", "delta"), [(8_000, 1e-5), (1_000, 1e-5), (20_000, 0.0)])
def test_wide_bounds_cost_three_points_at_most(n_rows, delta, interactions):
    frame, y, schema = table(n_rows, interactions=interactions)
    draws = 2 if n_rows > 1_000 else 8  # one draw for so few rows has a standard deviation of two points
    tight = accuracy(schema, frame, y, draws=draws, epsilon=1.0, delta=delta)
    assert tight > 0.6 or n_rows == 1_000
    for times in (10.0, 1e6):
        assert accuracy(widened(schema, times), frame, y, draws=draws, epsilon=1.0, delta=delta) > tight - 0.03


@pytest.mark.parametrize("delta", [0.0, 1e-5])
def test_more_budget_is_no_loss_and_ends_at_the_model_without_privacy(delta):
    frame, y, schema = table(30_000, interactions=True)
    found = [accuracy(schema, frame, y, draws=1, epsilon=epsilon, delta=delta) for epsilon in (0.05, 1.0, 100.0)]
    for less, more in pairwise(found):
        assert more > less - 0.02  # the standard error of each is 0.006
    nothing_private = schema.with_private((), label=False)
    without = accuracy(nothing_private, frame, y, draws=1, estimator=BoostedTreesClassifier, epsilon=1.0)
    assert found[-1] > without - 0.01


def test_a_delta_makes_nothing_worse():
    """From 75 rows times epsilon for each column on: below, few columns within tight bounds are better without one."""
    frame, y, schema = table(3_000, interactions=False)
    for epsilon in (0.1, 0.3, 1.0):
        pure = accuracy(schema, frame, y, epsilon=epsilon)
        assert accuracy(schema, frame, y, epsilon=epsilon, delta=1e-5) > pure - 0.02


@pytest.mark.parametrize("delta", [0.0, 1e-5])
@pytest.mark.parametrize("epsilon", [0.02, 0.1])  # 100 and 500 rows times epsilon for each column
def test_rare_classes_are_ranked(epsilon, delta):
    frame, y, schema = table(20_000, interactions=False, rare=0.08)
    scored, truth = frame[-N_SCORED:], y[-N_SCORED:]
    for seed in range(3):
        model = AutoClassifier(schema, epsilon=epsilon, delta=delta, random_state=seed)
        model.fit(frame[:-N_SCORED], y[:-N_SCORED])
        assert roc_auc_score(truth, model.decision_function(scored)) > 0.57


ODD = {
    "numbers alone": Schema([Numeric("a", -10, 10), Numeric("b", -10, 10)], label=LABEL),
    "categories alone": Schema([Categorical("word", [0, 1, 2, 3])], label=LABEL),
    "one category": Schema([Categorical("same", [7])], label=LABEL),
    "constant": Schema([Numeric("constant", 0, 1), Categorical("same", [7])], label=LABEL),
    "bounds 10^300 apart": Schema([Numeric("a", -5e299, 5e299), Numeric("b", -8e307, 8e307)], label=LABEL),
    "bounds 10^-300 apart": Schema([Numeric("constant", 0.5, 0.5 + 1e-15), Numeric("a", -10, 10)], label=LABEL),
}
SETTINGS = (
    (AutoClassifier, {}),
    (BoostedTreesClassifier, {}),
    (BoostedTreesClassifier, {"n_trees": 0}),
    (BoostedTreesClassifier, {"candidates": 10**6}),
    (BoostedTreesClassifier, {"depth": 40}),
    (BoostedTreesClassifier, {"n_trees": 1, "candidates": 1, "depth": 8, "structure": "additive"}),
    (LogisticClassifier, {"encoding": "ranked"}),
    (LogisticClassifier, {}),
)


@pytest.mark.parametrize("schema", ODD.values(), ids=ODD.keys())
@pytest.mark.parametrize("delta", [0.0, 1e-3])
@pytest.mark.parametrize("n_rows", [1, 300])
def test_bad_input_gives_a_model_or_one_clear_error(schema, delta, n_rows):
    frame, y, _ = table(n_rows, interactions=False)
    frame = frame.with_columns(constant=pl.lit(0.5), same=pl.lit(7))
    for estimator, settings in SETTINGS:
        for epsilon in (1e-9, 1e3):
            assert is_sound(
                estimator(schema, epsilon=epsilon, delta=delta, random_state=0, **settings), frame, y, n_rows
            )


def is_sound(classifier, frame, y, n_rows: int) -> bool:
    """Return whether it fits and scores every row, or refuses in words of our own; warnings are of our own, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", category=UserWarning)
        try:
            model = classifier.fit(frame[:n_rows], y[:n_rows])
        except TacitError as error:
            return str(error).startswith("Expected ")
        scores = model.decision_function(frame[-50:])
    return bool(np.isfinite(scores).all() and set(model.predict(frame[-50:])) <= {0, 1})


@pytest.mark.study
@pytest.mark.parametrize("delta", [0.0, 1e-5])
@pytest.mark.parametrize("interactions", [False, True])
@pytest.mark.parametrize("n_rows", [8_000, 30_000])
def test_more_draws_agree(n_rows, interactions, delta):
    """Both properties over more draws, tables and budgets: minutes."""
    for seed in range(3):
        frame, y, schema = table(n_rows, interactions=interactions, seed=seed)
        drawn = np.asarray(
            [
                accuracies(schema, frame, y, draws=6, epsilon=epsilon, delta=delta)
                for epsilon in (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
            ]
        )
        found, variances = drawn.mean(axis=1), drawn.var(axis=1, ddof=1) / 6
        # Where nothing is learned accuracy is anything around one half: of 200 such falls some exceed two deviations.
        noise = np.sqrt(variances[1:] + variances[:-1])
        assert (np.diff(found) > -np.maximum(0.02, 3 * noise)).all()
        for times in (10.0, 1e3, 1e6):
            wide = accuracy(widened(schema, times), frame, y, draws=6, epsilon=1.0, delta=delta)
            assert wide > found[4] - 0.03

"""Effects of merged models: sums over the parts in joint cells, their noise, and in which numbers scores go one way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tacit import (
    Categorical,
    Label,
    LinearRegressor,
    LogisticClassifier,
    NaiveBayesClassifier,
    Numeric,
    Schema,
    Target,
    TreeClassifier,
    merge,
)
from tacit.errors import ModelFileError, ParameterError
from tacit.models import from_json, to_json
from tacit.report.curves import model_curves

COLUMNS = [Numeric("age", 0, 100), Categorical("sky", ["clear", "rain", "snow"])]
SCHEMA = Schema(COLUMNS, label=Label("ill", ["no", "yes"]))
pytestmark = pytest.mark.filterwarnings("ignore")


def site(learner, seed, schema=SCHEMA, rows=500, **settings):
    draw = np.random.default_rng(seed)
    frame = pl.DataFrame({"age": draw.uniform(0, 100, rows), "sky": draw.choice(["clear", "rain", "snow"], rows)})
    risk = frame["age"].to_numpy() + draw.normal(0, 20, rows)
    outcome = risk if schema.target else np.where(risk > 60, "yes", "no")
    return learner(schema, epsilon=1.0, random_state=seed, **settings).fit(frame, outcome).model_


@pytest.fixture(scope="module")
def parts():
    return [site(NaiveBayesClassifier, 1, n_bins=4), site(NaiveBayesClassifier, 2, n_bins=5, rows=800)]


def test_effects_differ_as_scores_do(parts):
    merged = merge(parts)
    effects = merged.explanation.columns
    age, sky = effects
    apart = [part.explanation.columns[0].cells.cuts for part in merged.parts]
    assert age.cells.cuts == tuple(sorted({*apart[0], *apart[1]})) and set(apart[0]) - set(apart[1])
    middles = age.cells.rows.columns["age"]
    for own, frame in ((age, {"age": middles, "sky": ["rain"] * len(middles)}),
                       (sky, {"age": [10.0] * 3, "sky": ["clear", "rain", "snow"]})):  # fmt: skip
        scores = merged.decision_function(pl.DataFrame(frame))
        assert np.diff(own.effects) == pytest.approx(np.diff(scores), abs=1e-9)
    assert {each.released for each in effects} == {True}


def test_noise_adds_up_by_the_squares_of_weights(parts):
    merged = merge(parts)
    weights = {part.name[:12]: part.weight for part in merged.scorers[0].parts}
    cells = merged.explanation.columns[0].cells
    due = np.zeros(cells.n_cells)
    for line, part in zip(merged.guarantee.parts, merged.parts, strict=True):
        own = part.explanation.columns[0]
        at = np.searchsorted(own.cells.cuts, cells.rows.columns["age"])
        due += (weights[line.name] * own.deviations[at]) ** 2
    assert merged.explanation.columns[0].deviations == pytest.approx(np.sqrt(due))


def test_shares_are_those_of_all_rows(parts):
    shares = merge(parts).explanation.columns[1].shares
    due = sum(part.guarantee.n_rows * part.explanation.columns[1].shares for part in parts) / 1300
    assert shares == pytest.approx(due) and shares.sum() == pytest.approx(1)


def test_noise_is_not_known_where_that_of_a_part_is_not(parts):
    silent = replace(parts[0], scorers=(replace(parts[0].scorers[0], noise=()),))
    merged = merge([silent, parts[1]])
    assert all(each.deviations is None for each in merged.explanation.columns)
    assert set(merged.explain()["verdict"]) == {"noise not known"}


def test_numbers_have_effects_in_their_units():
    schema = Schema(COLUMNS, label=Target("cost", 0, 100))
    own = [site(LinearRegressor, seed, schema, delta=1e-6) for seed in (1, 2)]
    merged = merge(own)
    spread = merged.explanation.columns[0].effects
    assert spread[-1] - spread[0] > 30
    assert model_curves(merged)["data"]


def test_a_part_that_is_no_sum_has_no_effects(parts):
    merged = merge([parts[0], site(TreeClassifier, 3)])
    assert "log-odds of part" in merged.unexplained and merge(parts).unexplained == ""
    with pytest.raises(ParameterError, match="Explain each part by itself"):
        merged.explain()


def test_scores_are_monotone_where_those_of_all_parts_are():
    up = [site(LogisticClassifier, seed, delta=1e-6, monotone={"age": 1}) for seed in (1, 2)]
    merged = merge(up)
    assert merged.monotone == (("age", 1),) == from_json(to_json(merged, allow="simulated")).monotone
    assert merged.monotone_words == "All else equal, the score of yes never falls as age rises."
    scores = merged.decision_function(pl.DataFrame({"age": np.linspace(0, 100, 400), "sky": ["rain"] * 400}))
    assert (np.diff(scores) >= 0).all()
    assert "as it was before" in merged.caution
    for other in (site(LogisticClassifier, 3, delta=1e-6), site(LogisticClassifier, 3, monotone={"age": -1})):
        assert merge([up[0], other]).monotone == ()
    with pytest.raises(ModelFileError, match="monotone"):
        replace(merged, monotone=(("age", -1),))

"""Artefacts of Salamatian (2021): the thesis's bins, tasks of a small table, and comparisons of rows made by hand."""

from __future__ import annotations

import gc
import json

import numpy as np
import polars as pl
import pytest

from reproductions.framework.artefact import COMPARISON
from reproductions.salamatian2021 import accuracy, deltas, figure5_1, measures, models, tables
from reproductions.salamatian2021.bins import _KEPT, with_ten_parts, with_uniform_parts
from reproductions.salamatian2021.fits import AS_RUN, RULES, TREES, fold_split, own_split, task, tuned
from reproductions.salamatian2021.printed import EPSILONS, FEATURES, GRID, SPARSITY, VOTES
from reproductions.salamatian2021.settings import SETTINGS
from tacit.datasets import load
from tacit.datasets.catalog import Dataset, load_schema
from tacit.errors import DatasetUnavailable
from tacit.estimators import LazyBBClassifier
from tacit.features import BinEncoding
from tacit.features.literals import literals
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.study.run import Store, Task, run
from tacit.study.run.tables import Tables
from tacit.table import Rows

ARTEFACTS = {
    one.name.removeprefix("salamatian2021-"): one
    for module in (
        figure5_1,
        accuracy,
        deltas,
        tables,
        models,
    )
    for one in module.ARTEFACTS
}

SCHEMA = Schema([Categorical("a", ["u", "v"]), Numeric("x", 0, 20)], label=Label("y", ["no", "yes"]))
N_ROWS = 2000


@pytest.fixture
def small(monkeypatch):
    """Every data set is a table whose class follows from the category, all but one time in twenty."""
    generator = np.random.default_rng(0)
    a, flip = generator.integers(0, 2, N_ROWS), generator.random(N_ROWS) < 0.05
    frame = pl.DataFrame({"a": np.asarray(["u", "v"])[a], "x": generator.uniform(2, 12, N_ROWS)})
    target = pl.Series("y", np.where((a == 1) ^ flip, "yes", "no"))
    split = np.asarray(["train"] * 1500 + ["test"] * 500)
    monkeypatch.setattr("tacit.study.data.load", lambda name: Dataset(name, frame, target, SCHEMA, split))


def computed(*tasks: Task) -> pl.DataFrame:
    rows = run(tasks, Store(":memory:"), workers=1)
    assert rows["status"].to_list() == ["done"] * len(rows), rows["message"].to_list()
    return rows


def test_the_settings_are_those_of_the_grid():
    assert [len(values) for values in GRID["one-rule"].values()] == [11, 7, 7]
    for by_epsilon in SETTINGS.values():
        assert tuple(by_epsilon) == EPSILONS
        for density, rate, rounds in by_epsilon.values():
            assert density in GRID["one-rule"]["density"]
            assert rate in GRID["one-rule"]["learning_rate"]
            assert rounds in GRID["one-rule"]["rounds"]


@pytest.mark.parametrize("data", SPARSITY)
def test_shares_are_counts_over_the_thesis_features(data):
    for mean, _, share in SPARSITY[data]:
        assert 100 * mean / FEATURES[data] == pytest.approx(share, abs=0.3)


def test_ten_parts_and_the_least_value():
    schema = Schema([Numeric("age", 0, 120), Numeric("level", 1, 16)], label=Label("y", ["no", "yes"]))
    rows = Rows({"age": np.asarray([17.0, 50.0, 90.0]), "level": np.asarray([1.0, 9.0, 16.0])}, 3)
    cut = with_ten_parts(schema, rows)
    encoding = BinEncoding(cut, cut.names)
    words = [one.words(encoding) for one in literals(encoding, "bins")]
    assert len(words) == 22
    assert {"age at most 17", "level above 13 and at most 14.5", "level above 14.5"} <= set(words)


@pytest.mark.parametrize(("data", "merged"), [("adult", 1), ("cod-rna", 0)])
def test_uniform_parts_give_the_thesis_columns(data, merged):
    schema = load_schema(data)
    cut = with_uniform_parts(schema, Rows({one.name: np.asarray([0.0, 100.0]) for one in schema.columns}, 2))
    encoding = BinEncoding(cut, cut.names)
    assert len(literals(encoding, "bins")) == FEATURES[data] - merged  # one column for the two sexes


def test_table_5_3_is_about_rules_that_the_ten_parts_have():
    schema = load_schema("adult")
    extremes = {"age": (17, 90), "education-num": (1, 16), "capital-gain": (0, 99_999)}
    values = {one.name: np.asarray(extremes.get(one.name, (0, 100)), dtype=float) for one in schema.columns}
    cut = with_ten_parts(schema, Rows(values, 2))
    encoding = BinEncoding(cut, cut.names)
    words = [one.words(encoding) for one in literals(encoding, "bins")]
    assert set(VOTES) <= set(words)
    # One more in each of six numbers than the thesis's 162, and one column for the two sexes.
    assert len(words) == FEATURES["adult"] + 6 - 1


@pytest.mark.usefixtures("small")
def test_the_thesis_tests_on_adults_own_rows_and_on_folds_of_the_training_rows():
    assert own_split("adult", 3) == {"kind": "official"}
    assert own_split("cod-rna", 3) == fold_split("cod-rna", 3)
    assert fold_split("cod-rna", 3)["first"] == 59_535
    tables = Tables()
    assert len(tables.split(tuned("adult", 1.0, RULES[0], 0)).test_index) == 500
    assert len(tables.split(tuned("mushroom", 1.0, RULES[0], 0)).test_index) == 200


@pytest.mark.usefixtures("small")
def test_fits_of_one_split_share_their_bins_and_forget_them_with_it():
    tables, one = Tables(), tuned("mushroom", 1.0, RULES[0], 0)
    split = tables.split(one)
    before = len(_KEPT)
    from reproductions.salamatian2021.measures import _as_asked

    first = _as_asked(one, tables)
    assert first is _as_asked(tuned("mushroom", 3.0, RULES[0], 0), tables)
    assert first.table.schema.column("x").cut_points[0] == tables.whole(one).rows.columns["x"].min()
    assert _as_asked(tuned("mushroom", 1.0, RULES[1], 0), tables) is split
    del split, first, tables
    gc.collect()
    assert len(_KEPT) <= before


def test_artefacts_share_their_fits():
    everything = set(ARTEFACTS["figure5.2"].tasks(False))
    assert set(ARTEFACTS["figure5.2"].tasks(True)) <= everything
    for data, name in (("adult", "tableB.1"), ("cod-rna", "tableB.2"), ("mushroom", "tableB.3")):
        fits = {one for one in ARTEFACTS[name].tasks(True) if one.measure == "salamatian2021-fit"}
        assert len(fits) == 3 * 10 * 13
        assert fits <= everything
        assert {one.inputs["data"] for one in fits} == {data}
    sparsity = ARTEFACTS["tableA.1"].tasks(True)
    assert set(ARTEFACTS["table5.2"].tasks(True)) <= set(sparsity)
    assert set(sparsity) <= everything


def test_what_was_run_has_half_the_noise_and_half_of_lambda():
    [one] = {
        one
        for one in ARTEFACTS["tableA.3"].tasks(True)
        if (one.labels["series"], one.labels["x"], one.inputs["repeat"]) == (AS_RUN.name, 0.5, 0)
    }
    assert one.inputs["epsilon"] == 1.0
    settings = {"density": 0.45, "learning_rate": 0.125, "rounds": 25}  # table B.3 at 0.5
    assert one.inputs["parameters"] == {**RULES[0].parameters, **settings}


def test_the_search_is_the_whole_grid():
    searched = [one for one in ARTEFACTS["figure5.4"].tasks(False) if one.measure == "salamatian2021-search"]
    assert sum(len(one.inputs["rounds"]) for one in searched) == 539 * 10 * 13 * 2 * 2


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("series", [*RULES, *TREES, AS_RUN], ids=lambda one: one.name)
def test_a_fit_is_scored_and_one_rules_are_counted(series):
    found = computed(tuned("mushroom", 5.0, series, 2)).row(0, named=True)
    assert found["accuracy"] == pytest.approx(0.95, abs=0.04)
    assert found["n_test"] == 200
    assert found["fit_seconds"] > 0
    if series in (*RULES, AS_RUN):
        assert 1 <= found["features"] <= 12
        offered = {"ten parts": 12, "uniform": 11, "packaged": 16}[
            series.numbers
        ]  # "a is u", and 11 bins or 15 thresholds
        assert found["share"] == pytest.approx(100 * found["features"] / offered)
    else:
        assert "features" not in found


@pytest.mark.usefixtures("small")
def test_the_published_cost_needs_more_noise():
    means = [
        computed(*(tuned("mushroom", 0.05, series, at) for at in range(10)))["accuracy"].mean() for series in RULES
    ]
    assert means[1] > means[0]


@pytest.mark.usefixtures("small")
def test_votes_of_one_model():
    found = computed(tuned("adult", 5.0, RULES[0], 0, "salamatian2021-words")).row(0, named=True)
    votes = json.loads(found["votes"])
    assert votes["a is u"] < 0
    assert found["accuracy"] == pytest.approx(0.95, abs=0.04)


@pytest.mark.usefixtures("small")
def test_advantages_and_margins_of_one_run():
    inputs = {"epsilon": 1e4, "parameters": figure5_1.PARAMETERS | {"rounds": 20}}
    found = computed(task("salamatian2021-boosting", "adult", {"kind": "official"}, RULES[0], **inputs))
    advantages, margins = (json.loads(found[name][0]) for name in ("advantages", "margins"))
    assert len(advantages) == 20
    assert advantages[0] == pytest.approx(0.45, abs=0.02)  # nineteen of twenty follow the category
    assert sum(margins) == pytest.approx(1)
    assert len(margins) == 41
    assert sum(margins[:20]) == pytest.approx(0.05, abs=0.02)


@pytest.mark.usefixtures("small")
def test_estimates_promise_less_than_is_tested():
    found = computed(tuned("mushroom", 1.0, RULES[0], 0, "salamatian2021-rademacher"))
    assert found["estimate"][0] < found["accuracy"][0]


@pytest.mark.usefixtures("small")
def test_a_search_has_an_accuracy_for_each_number_of_rounds():
    one = next(one for one in ARTEFACTS["figure5.4"].tasks(True) if one.inputs.get("epsilon") == 5.0)
    accuracies = json.loads(computed(one)["accuracies"][0])
    assert len(accuracies) == 4
    assert max(accuracies) == pytest.approx(0.95, abs=0.04)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("series", RULES, ids=lambda series: series.cost)
@pytest.mark.parametrize("delta", [0.0, 1e-5])
def test_a_search_has_the_accuracies_of_single_fits(series, delta):
    given = {"density": 0.3, "learning_rate": 0.5}
    how = {"epsilon": 0.05, "delta": delta, "rounds": (5, 9, 15), "parameters": given}
    one, read = task("salamatian2021-search", "mushroom", fold_split("mushroom", 0), series, **how), Tables()
    split, kind = measures._as_asked(one, read), measures.KINDS[series.cost]
    expected = []
    for at, rounds in enumerate(how["rounds"]):
        own = {**one.inputs["parameters"], "rounds": rounds, "random_state": one.seed + at}
        model = kind(split.schema, epsilon=0.05, delta=delta, calibration=0, **own).fit_table(split.table).model_
        assert model.scorers[0].noise
        expected.append(np.mean(np.searchsorted(split.classes, model.predict(split.test)) == split.test_labels))
    assert measures.search(one, read)["accuracies"] == expected
    assert len(set(expected)) > 1


@pytest.mark.usefixtures("small")
def test_the_defaults_are_what_a_fit_takes():
    one = next(one for one in ARTEFACTS["tableB.3"].tasks(True) if one.measure == "salamatian2021-defaults")
    inputs = {**one.inputs, "n_rows": 1800}
    found = computed(Task(one.measure, inputs)).row(0, named=True)
    split = Tables().split(Task("any", {"data": "mushroom", "split": fold_split("mushroom", 0), "seed": 0}))
    schema = load_schema("mushroom").all_private()
    assert found["rounds"] % 2 == 1
    model = LazyBBClassifier(split.schema, epsilon=inputs["epsilon"], random_state=0).fit_table(split.table).model_
    assert abs(len(model.scorers[0].votes) - found["rounds"]) <= 2  # mushroom has more literals, thus fewer rounds
    assert len(literals(BinEncoding(schema, schema.names))) > 100


def test_a_search_costs_folds_times_settings_and_one_more():
    rows = computed(*ARTEFACTS["table5.1"].tasks(True))
    found = ARTEFACTS["table5.1"].compare(rows)
    by_place = {(panel, series, x): (ours, theirs) for panel, series, x, ours, _, _, theirs, _ in found.iter_rows()}
    assert by_place["candidates", "one-rule", 0.05] == (539, None)
    assert by_place["fits", "one-rule", 0.05] == (5391, None)
    assert by_place["epsilon spent", "one-rule", 0.05] == (pytest.approx(5391 * 0.05), 0.05)
    assert by_place["epsilon spent", "tree", 5.0] == (pytest.approx(401 * 5), 5.0)


def rows_of(tasks, **results) -> pl.DataFrame:
    return pl.DataFrame([{**one.labels, "status": "done", **results} for one in tasks], infer_schema_length=None)


def test_advantages_are_averaged_over_windows_and_fail_where_their_mean_does():
    falling = json.dumps([0.2] * 30 + [0.04, 0.04] * 235)
    late = json.dumps([0.2] * 60 + [0.0] * 440)
    rows = pl.DataFrame(
        [
            {"series": RULES[0].name, "status": "done", "advantages": falling},
            {"series": RULES[0].name, "status": "done", "advantages": late},
        ]
    )
    found = figure5_1.compare_advantages(rows)
    published = found.filter(pl.col("series") == RULES[0].name)
    assert published["x"].to_list()[:2] == [5.0, 15.0]
    assert published["ours"].to_list()[2:7] == [pytest.approx(value) for value in (0.2, 0.12, 0.12, 0.12, 0.02)]
    assert set(published["runs"]) == {2}
    assert published.filter(pl.col("note").str.starts_with("ours"))["x"].to_list() == [65.0]
    assert published.filter(pl.col("published").is_not_null()).select("x", "published").rows() == [(245.0, 0.05)]
    assert found.filter(pl.col("series") == RULES[1].name)["ours"].null_count() == 50


def test_margins_are_averaged_by_bin():
    shares = [np.eye(41)[at].tolist() for at in (20, 40)]
    rows = pl.DataFrame([{"series": RULES[1].name, "status": "done", "margins": json.dumps(share)} for share in shares])
    found = figure5_1.compare_margins(rows).filter(pl.col("series") == RULES[1].name)
    by_margin = dict(found.select("x", "ours").iter_rows())
    assert by_margin[min(by_margin, key=abs)] == 0.5
    assert max(by_margin) == pytest.approx(1, abs=0.03)
    assert by_margin[max(by_margin)] == 0.5
    assert sum(by_margin.values()) == pytest.approx(1)


def test_the_best_setting_is_the_best_on_average():
    tasks = [one for one in ARTEFACTS["figure5.4"].tasks(True) if one.labels["x"] == 1.0]
    # The first pair is best on one fold, the second on average, with 39 rounds.
    firsts = [one.inputs["parameters"]["learning_rate"] == 0.35 for one in tasks]
    accuracies = [
        json.dumps([0.5, 0.9 if one.inputs["fold"] else 0.6, 0.5, 0.5] if first else [0.5, 0.6, 0.8, 0.7])
        for one, first in zip(tasks, firsts, strict=True)
    ]
    found = ARTEFACTS["figure5.4"].compare(rows_of(tasks).with_columns(accuracies=pl.Series(accuracies)))
    assert len(found) == 4
    assert found["ours"].to_list() == [pytest.approx(0.8)] * 4
    assert found["runs"].to_list() == [2] * 4
    assert found["deviation"].to_list() == [0.0] * 4
    assert found["note"][0] == (
        "density 0.3, learning rate 0.5, 39 rounds; theirs: density 0.35, learning_rate 0.45, rounds 39"
    )


def test_votes_stand_beside_the_printed_ones():
    ours = {"marital-status is Married-civ-spouse": 2, "sex is Male": 1}
    rows = pl.DataFrame([{"series": RULES[0].name, "status": "done", "accuracy": 0.83, "votes": json.dumps(ours)}])
    found = ARTEFACTS["table5.3"].compare(rows).filter(pl.col("series") == RULES[0].name)
    by_words = {x: (mine, theirs) for x, mine, theirs in found.select("x", "ours", "published").iter_rows()}
    assert by_words["marital-status is Married-civ-spouse"] == (2.0, 3.0)
    assert by_words["capital-gain at most 0"] == (0.0, -2.0)
    assert by_words["sex is Male"] == (1.0, None)
    assert by_words["accuracy"] == (0.83, 0.82)


def test_published_numbers_stand_at_their_epsilon():
    tasks = ARTEFACTS["tableA.2"].tasks(True)
    found = ARTEFACTS["tableA.2"].compare(rows_of(tasks, features=20, share=25.0))
    at = (pl.col("panel") == "features used") & (pl.col("series") == RULES[0].name) & (pl.col("x") == 3.0)
    assert found.filter(at).select("ours", "runs", "published").row(0) == (20.0, 5, 44.2)
    shares = found.filter(pl.col("panel") == "share of features, %", pl.col("series") == RULES[0].name)
    assert shares["ours"].to_list() == [25.0] * 13
    assert shares["published"].to_list()[-1] == 40.0


def test_settings_stand_beside_the_defaults():
    tasks = ARTEFACTS["tableB.1"].tasks(True)
    values = {"accuracy": 0.8, "density": 0.4, "learning rate": 0.45, "rounds": 7}
    found = ARTEFACTS["tableB.1"].compare(rows_of(tasks, **values))
    rounds = found.filter(pl.col("panel") == "rounds")
    assert rounds["ours"].to_list() == [7.0] * 13
    assert rounds["published"].to_list() == [float(rounds_) for _, _, rounds_ in SETTINGS["adult"].values()]
    accuracy = found.filter(pl.col("panel") == "adult", pl.col("series") == RULES[0].name, pl.col("x") == 1.0)
    assert accuracy.select("ours", "runs", "published", "note").row(0) == (
        pytest.approx(0.8), 10, 0.83, "density 0.35, learning_rate 0.45, rounds 39",
    )  # fmt: skip


@pytest.mark.parametrize("name", ARTEFACTS)
def test_what_failed_or_was_not_run_leaves_ours_empty(name):
    tasks = ARTEFACTS[name].tasks(True)
    failed = {"status": "failed", "message": "Expected rows, got none."}
    missing = {"status": "missing", "reason": "not run"}
    rows = [{**one.labels, **what} for one, what in zip(tasks, [failed, missing] * len(tasks), strict=False)]
    found = ARTEFACTS[name].compare(pl.DataFrame(rows, infer_schema_length=None))
    assert found.columns == list(COMPARISON)
    assert found["ours"].null_count() == len(found) > 0


@pytest.mark.study
@pytest.mark.parametrize(("epsilon", "theirs"), [(0.4, 0.82), (1.0, 0.83)])
def test_adults_accuracies_in_print(epsilon, theirs):
    try:
        load("adult", downloads="never")
    except DatasetUnavailable as error:
        pytest.skip(str(error))
    rows = computed(*(tuned("adult", epsilon, RULES[0], at) for at in range(10)))
    assert rows["accuracy"].mean() == pytest.approx(theirs, abs=0.01)

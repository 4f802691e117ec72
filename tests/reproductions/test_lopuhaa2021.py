"""Artefacts of Lopuhaä-Zwakenberg and others: folds of a small table, and comparisons of rows made by hand."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from scipy.stats import wilcoxon

from reproductions.framework.artefact import COMPARISON
from reproductions.lopuhaa2021 import figures2_3, figures4_5, tables
from reproductions.lopuhaa2021.folds import LEARNERS, fits_of, fold_tasks, named, second_tasks
from reproductions.lopuhaa2021.measures import as_asked
from reproductions.lopuhaa2021.settings import EPSILONS, NAMES, published
from tacit.datasets import load
from tacit.datasets.catalog import Dataset
from tacit.errors import DatasetUnavailable
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.study.run import Store, Task, run
from tacit.study.run.tables import Tables

ARTEFACTS = {
    one.name.removeprefix("lopuhaa2021-"): one
    for module in (tables, figures2_3, figures4_5)
    for one in module.ARTEFACTS
}


def small(n_rows: int = 400) -> Dataset:
    """Return a table whose class follows from the category, all but one time in ten."""
    generator = np.random.default_rng(0)
    place = generator.integers(0, 3, n_rows)
    flip = generator.random(n_rows) < 0.1
    frame = pl.DataFrame({"x": generator.uniform(0, 4, n_rows), "c": np.asarray(["r", "g", "b"])[place]})
    schema = Schema([Numeric("x", 0, 4), Categorical("c", ["b", "g", "r"])], label=Label("y", ["no", "yes"]))
    return Dataset("small", frame, pl.Series("y", np.where((place == 0) ^ flip, "yes", "no")), schema, None)


@pytest.fixture
def small_tables(monkeypatch):
    monkeypatch.setattr("tacit.study.data.load", lambda name: small())


def made(accuracy, tasks=None) -> pl.DataFrame:
    """Return the rows of the quick tasks, with accuracies by a function of table, learner, cost and level."""
    rows = []
    for task in tasks or fold_tasks(quick=True):
        given = dict(task.inputs)
        of = (given["data"], given["learner"], given["accounting"])
        levels = [None] if given["accounting"] is None else EPSILONS
        values = json.dumps([accuracy(*of, level) for level in levels])
        plain = {name: value if isinstance(value, str | int | None) else "" for name, value in given.items()}
        rows.append(plain | {"status": "done", "accuracies": values})
    return pl.DataFrame(rows, infer_schema_length=None).with_columns(second=pl.lit(None, pl.String))


def test_the_papers_repetitions():
    assert len(fold_tasks(quick=True)) == 6 * 3 * 10 * 3
    assert len(fold_tasks()) == 6 * 10 * 3 * (100 + 100 + 10)
    assert len(set(fold_tasks(("spect",)))) == 10 * 3 * 210
    assert set(fold_tasks(quick=True)) <= set(fold_tasks())


def test_figures_share_their_tasks():
    shared = set(ARTEFACTS["figure3"].tasks(True))
    for name in ("figure4", "figure5"):
        assert set(ARTEFACTS[name].tasks(True)) == shared
    assert set(ARTEFACTS["table2"].tasks(True)) == shared | set(second_tasks())
    assert set.union(*(set(ARTEFACTS[f"figure2{letter}"].tasks(True)) for letter in "abcdef")) == shared


@pytest.mark.usefixtures("small_tables")
def test_a_fold_has_an_accuracy_for_each_level_and_repeats_itself():
    tasks = [task for task in fold_tasks(("small",), quick=True) if task.inputs["fold"] == 0]
    rows = run(tasks, Store(":memory:"), workers=1)
    assert rows["status"].to_list() == ["done"] * 9
    fits = fits_of(rows)
    assert len(fits) == 3 * (1 + 2 * 10)
    assert fits["accuracy"].is_between(0, 1).all()
    assert rows.equals(run(tasks, Store(":memory:"), workers=1).with_columns(rows["seconds"]))
    # Without privacy the category tells nine of ten labels.
    assert fits.filter(pl.col("kind") == "baseline")["accuracy"].min() > 0.8


@pytest.mark.usefixtures("small_tables")
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("cost", ["paper", "corrected"])
def test_much_budget_is_as_good_as_no_privacy(learner, cost):
    task = next(one for one in fold_tasks(("small",)) if one.inputs["learner"] == learner)
    generous = Task(task.measure, {**task.inputs, "accounting": cost, "epsilons": [1e4]})
    accuracies = [json.loads(run([one], Store(":memory:"), workers=1)["accuracies"][0])[0] for one in (task, generous)]
    assert accuracies[1] == pytest.approx(accuracies[0], abs=0.03)


@pytest.mark.usefixtures("small_tables")
def test_what_each_learner_is_given():
    tasks = fold_tasks(("small",))
    orders = set()
    for repeat in range(6):
        tables = Tables()
        splits = {
            one.inputs["learner"]: as_asked(tables, one)
            for one in tasks
            if (one.inputs["fold"], one.inputs["repeat"]) == (0, repeat)
        }
        assert splits["naive-bayes"].schema == small().schema.all_private()
        assert len(splits["tree"].schema.column("x").cut_points) == 1
        names = splits["svm"].schema.column("c").categories
        orders.add(names)
        # The rows say the same in either order.
        was, now = (splits[learner].test.columns["c"] for learner in ("naive-bayes", "svm"))
        assert [names[code] for code in now] == [("b", "g", "r")[code] for code in was]
    assert len(orders) > 1


@pytest.mark.usefixtures("small_tables")
def test_table_1_counts():
    rows = run([Task("lopuhaa2021-sizes", {"data": "small"})], Store(":memory:"), workers=1)
    assert rows.select("attributes", "rows").row(0) == (2, 400)


def test_table_2_averages_levels_and_divides():
    def accuracy(data, learner, cost, level):
        plain = 0.9 if data == "adult" else 0.8
        return plain if cost is None else plain * (0.5 if level < 0.01 else 1.0)  # three levels of ten

    found = ARTEFACTS["table2"].compare(made(accuracy))
    assert found.columns == list(COMPARISON)
    by_place = {(panel, series, x): (ours, theirs) for panel, series, x, ours, _, _, theirs, _ in found.iter_rows()}
    average, ratio = tables.AVERAGE, tables.RATIO
    assert by_place[average, "SVM, published cost", "adult"] == (pytest.approx(0.9 * 0.85), 0.8131)
    assert by_place[average, "SVM, corrected cost", "spect"] == (pytest.approx(0.8 * 0.85), None)
    assert by_place[ratio, "naive Bayes, published cost", "nursery"] == (pytest.approx(0.85), 1.3772)
    assert by_place[ratio, "naive Bayes, published cost", "average"] == (pytest.approx(0.85), 0.9934)
    plain = by_place[tables.ACCURACY, "decision tree, no privacy", "average"]
    assert plain == (pytest.approx((0.9 + 5 * 0.8) / 6), 0.8592)


def test_averages_need_every_table():
    rows = made(lambda *_: 0.7, fold_tasks(NAMES[:5], quick=True))
    means = ARTEFACTS["table2"].compare(rows).filter(pl.col("x") == "average")
    assert means["ours"].null_count() == len(means)
    figure = ARTEFACTS["figure3"].compare(rows)
    assert figure["ours"].null_count() == len(figure) == 63
    assert set(figure["note"]) == {"some tables are missing"}


def test_figure_2_has_curves_and_lines():
    found = ARTEFACTS["figure2c"].compare(
        made(lambda *of: 0.5 + (of[3] or 0) / 10, fold_tasks(("nursery",), quick=True))
    )
    assert len(found) == 3 * (1 + 2 * 10)
    line = found.filter(pl.col("x").is_null(), pl.col("series") == "decision tree, no privacy")
    assert line.select("ours", "runs", "published").row(0) == (0.5, 10, 0.8248)
    assert found["x"].unique(maintain_order=True).to_list() == [None, *(f"{level:g}" for level in EPSILONS)]
    assert found.filter(pl.col("x") == "0.5")["ours"].to_list() == [pytest.approx(0.55)] * 6


def test_figure_3_averages_tables():
    shares = dict(zip(NAMES, (0.1, 0.2, 0.3, 0.4, 0.5, 0.6), strict=True))
    found = ARTEFACTS["figure3"].compare(made(lambda data, *_: shares[data]))
    assert found["ours"].to_list() == [pytest.approx(0.35)] * 63
    assert found["deviation"][0] == pytest.approx(np.std([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], ddof=1))
    assert found["runs"].to_list() == [60] * 63


def test_figure_4_is_the_signed_rank_test_of_sixty_pairs():
    generator = np.random.default_rng(5)
    drawn = {}

    def accuracy(*of):
        return drawn.setdefault(of, float(generator.random() + (of[1] == "svm") / 5))

    found = ARTEFACTS["figure4"].compare(made(accuracy))
    assert set(found["runs"]) == {60}
    one, other = (
        [drawn[data, learner, "paper", level] for data in NAMES for level in EPSILONS] for learner in ("svm", "tree")
    )
    expected = wilcoxon(one, other, zero_method="zsplit", correction=False, method="approx").pvalue
    pair = found.filter(pl.col("panel") == "published cost", pl.col("series") == "SVM", pl.col("x") == "decision tree")
    assert pair.select("ours", "published").row(0) == (pytest.approx(expected), 0.017)
    swapped = found.filter(
        pl.col("panel") == "published cost", pl.col("series") == "decision tree", pl.col("x") == "SVM"
    )
    assert swapped["ours"][0] == pair["ours"][0]


def test_figure_5_has_a_point_for_each_classifier_and_the_median_of_the_ratio():
    ranks = {(data, learner): at for at, (data, learner) in enumerate((d, x) for d in NAMES for x in LEARNERS)}
    found = ARTEFACTS["figure5"].compare(made(lambda d, x, cost, _: 0.8 if cost is None else 0.02 * ranks[d, x]))
    points = found.filter(pl.col("panel") == "accuracy", pl.col("series") == "published cost", pl.col("x") == 0.5)
    assert sorted(points["ours"]) == [pytest.approx(0.02 * at) for at in range(18)]
    median = found.filter(pl.col("panel") == "median of the ratio", pl.col("series") == "published cost")
    assert median["ours"].to_list() == [pytest.approx(0.02 * 8.5 / 0.8)] * 10
    assert median["published"].to_list() == [0.5, 0.5, None, None, None, None, 1.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("name", [name for name in ARTEFACTS if name != "table1"])
def test_what_failed_or_was_not_run_leaves_ours_empty(name):
    tasks = ARTEFACTS[name].tasks(True)
    failed = {"status": "failed", "message": "Expected rows, got none."}
    missing = {"status": "missing", "reason": "not run"}
    rows = [
        {
            **{key: value for key, value in task.inputs.items() if isinstance(value, str | int | None)},
            "second": task.labels.get("second"),
            **what,
        }
        for task, what in zip(tasks, [failed, missing] * len(tasks), strict=False)
    ]
    found = ARTEFACTS[name].compare(pl.DataFrame(rows, infer_schema_length=None))
    assert found.columns == list(COMPARISON)
    assert found["ours"].null_count() == len(found)


def test_names_are_what_the_comparisons_take_apart():
    assert [part for one in LEARNERS for part in named(one, "paper").split(", ")[1:]] == ["published cost"] * 3


@pytest.mark.study
@pytest.mark.parametrize(
    ("name", "learner"),
    [
        *[(name, "tree") for name in ("adult", "mushroom", "nursery", "spect", "house-votes-84")],
        *[(name, "naive-bayes") for name in ("adult", "house-votes-84", "skin-segmentation")],
        ("adult", "svm"),
    ],
)
def test_table_2_within_two_points(name, learner):
    try:
        load(name, downloads="never")
    except DatasetUnavailable as error:
        pytest.skip(str(error))
    wanted = [one for one in fold_tasks((name,), quick=True) if one.inputs["learner"] == learner]
    rows = run([one for one in wanted if one.inputs["accounting"] is None], Store(":memory:"), workers=1)
    assert fits_of(rows)["accuracy"].mean() == pytest.approx(published(name, learner, "accuracy"), abs=0.02)


@pytest.mark.study
def test_the_published_tree_is_worse_than_the_corrected_one():
    try:
        load("nursery", downloads="never")
    except DatasetUnavailable as error:
        pytest.skip(str(error))
    wanted = [one for one in fold_tasks(("nursery",), quick=True) if one.inputs["learner"] == "tree"]
    fits = fits_of(run(wanted, Store(":memory:"), workers=1)).filter(pl.col("epsilon") >= 0.5)
    means = dict(fits.group_by("accounting").agg(pl.col("accuracy").mean()).iter_rows())
    assert means["corrected"] > means["paper"]

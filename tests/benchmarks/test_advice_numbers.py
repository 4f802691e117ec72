"""How the table of past studies is made where a number is predicted."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from benchmarks.advice import experiments
from benchmarks.advice.drawn_tables import SHAPES, TAILS, DrawnTable, drawn_tables
from benchmarks.advice.experiments import budgets, past_tasks, row_counts, table_of
from benchmarks.advice.public_tables import SCORES, PublicTable, tables_of_numbers
from benchmarks.advice.rebuild import rebuild
from benchmarks.advice.validation import auto_losses, summary, validated
from tacit.datasets import load
from tacit.datasets.catalog import records
from tacit.study.advice import PastStudies, Query
from tacit.study.advice.past_studies import by_measure
from tacit.study.run import Store

SMOOTH = PublicTable("breast-cancer", "mean smoothness")


def test_tables_have_a_number_that_is_no_column():
    tables = (*tables_of_numbers(), *drawn_tables())
    assert len({each.name for each in tables}) == len(tables) == 38
    for each in tables:
        private, public, partly = (each.schema(kind) for kind in ("all-private", "public-label", "partly-private"))
        assert private.target.name not in private.names
        assert not private.public_columns
        assert private.label.private
        assert not public.public_columns
        assert not public.label.private
        assert partly.public_columns
        assert table_of(each.data, each.target) == each
    sources = {each.source for each in tables}
    assert "wine-quality" in sources and len({each for each in sources if not each.startswith("synthetic")}) == 13


@pytest.mark.parametrize("data", [data for data, _ in SCORES])
def test_scores_are_those_that_labels_were_made_of(data):
    if any(path.suffix == ".parquet" for path in records()[data].here() or (records()[data],)):
        pytest.skip("its file is not here")
    (known,) = [target for of, target in SCORES if of == data]
    frame, numbers = PublicTable(data, known).rows()
    limit = 10 if known == "rings" else 6
    assert ((numbers >= limit).cast(pl.String) == (load(data).target == "1").cast(pl.String)).all()
    assert frame.equals(load(data).frame)


def test_drawn_tables_are_the_same_again_and_of_all_kinds():
    one, again = (DrawnTable("drawn 3").rows() for _ in range(2))
    assert one[0].equals(again[0]) and one[1].equals(again[1])
    combinations = {(at % len(SHAPES), at % len(TAILS)) for at in range(len(drawn_tables()))}
    assert len(combinations) == len(SHAPES) * len(TAILS)
    for table in drawn_tables():
        frame, y = table.rows()
        assert frame.height == table.n_rows == len(y)
        target = table.known.target
        assert target.low <= y.min() and y.max() <= target.high


def test_experiments_have_500_to_30000_rows_where_there_are_as_many():
    assert row_counts(PublicTable("cod-rna", "energy")) == (500, 2000, 8000, 30_000)
    assert row_counts(SMOOTH) == (427,)
    assert budgets(SMOOTH, 427, "public-label") == [(e, d) for e in (0.1, 1.0, 10.0) for d in (0.0, 1e-5)]


def test_r2_is_against_the_mean_of_the_training_rows():
    split = SimpleNamespace(train_labels=np.asarray([0.0, 2.0]), test_labels=np.asarray([1.0, 3.0]))
    # Their mean, 1, is off by 0 and 2.
    assert experiments._r2(split, np.asarray([1.0, 2.0])) == pytest.approx(1 - 0.5 / 2)
    assert experiments._r2(split, np.asarray([1.0, 1.0])) == 0.0
    assert experiments._r2(split, np.asarray([50.0, 1.0])) == -1.0


def test_a_table_of_past_studies_is_made_from_end_to_end(monkeypatch):
    monkeypatch.setattr(experiments, "row_counts", lambda table: (400,))
    monkeypatch.setattr(experiments, "repeats", lambda rows: 1)
    asked = {"all-private": (20.0,), "public-label": (), "partly-private": ()}
    monkeypatch.setattr(experiments, "EPSILONS_OF_NUMBERS", asked)
    tables, store = [SMOOTH, DrawnTable("drawn 3"), DrawnTable("drawn 11")], Store(":memory:")
    assert len(past_tasks(tables)) == 3 * (3 + 3)
    past = rebuild(store, tables=tables, workers=1)
    assert (past.outcome, past.frame.height, past.learners) == ("number", 3 * 2, ("boosted-trees", "linear"))
    own = past.where(past.sources == "breast-cancer")
    assert (own.frame["ceiling"] > 0.5).all() and (own.frame["majority"] == 0).all()
    assert (own.accuracies > 0.1).all() and (own.losses > 0).all()
    taken = [
        Query.of(SMOOTH.schema(privacy), rows=400, epsilon=20.0, delta=delta).choice.learner
        for privacy, delta in own.frame.select("privacy", "delta").iter_rows()
    ]
    at = [past.learners.index(each) for each in taken]
    assert auto_losses(own) == pytest.approx(own.losses[np.arange(len(at)), at])
    checked = validated(past)
    assert checked["source"].to_list() == sorted(past.sources)
    assert "regret of auto" in checked.columns


def test_packaged_intervals_hold_for_tables_left_out():
    """A third of the sources, no delta: the promise of the intervals, of losses and of errors."""
    packaged = PastStudies.packaged("number")
    pure = packaged.frame.filter(pl.col("source").is_in(np.unique(packaged.sources)[::3].tolist()), delta=0.0)
    for past in (PastStudies(pure), by_measure(PastStudies(pure), "error")):
        assert summary(validated(past))["covered"] > 0.6

"""Progress of fits: the same events for neighboring tables, all releases of the plan, and a charge that stays."""

from __future__ import annotations

import random
import warnings

import polars as pl
import pytest

from benchmarks.audits.every_case import CASES, every_case
from tacit import (
    Categorical,
    Identifier,
    Label,
    LogisticClassifier,
    NaiveBayesClassifier,
    Numeric,
    Schema,
    evaluate,
    learn_schema,
    progress,
)
from tacit.audit.neighbors import worst_pairs
from tacit.audit.recording import record
from tacit.ledger import Account, Ledger
from tacit.privacy import Budget, progress_events
from tacit.schema import Kinds
from tacit.table.files import csv_chunks

SCHEMA = Schema([Numeric("a", 0, 10**6), Categorical("c", ["x", "y"])], label=Label("y", ["no", "yes"]))
SUBJECTS = [each for each in every_case() if each.case == "everything private"]

MAY_END_EARLY = {"auto", "boosted-trees", "tree"}
"""Learners of trees, which stop where no answer leaves a split to ask for."""


@pytest.fixture(autouse=True)
def _quietly():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def followed(work):
    events = []
    with progress(events.append):
        work()
    return events


@pytest.mark.parametrize("learner", sorted({each.learner for each in SUBJECTS}))
def test_neighbors_have_the_same_events_and_releases_end_at_those_announced(learner):
    for number, one in enumerate(each for each in SUBJECTS if each.learner == learner):
        pair = random.Random(number).choice(list(worst_pairs(CASES[one.case], n_rows=6)))
        mine, its = pair.inputs()
        first = record(one.make, mine, number, None)
        second = record(one.make, its, number, None, first.answers)
        told = first.left["progress"].splitlines()
        assert first.left["progress"] == second.left["progress"] and not second.impossible, one.name
        n = len(first.pending)
        planned = int(told[-1].partition("of_releases=")[2].partition(",")[0])
        assert f"releases={n}, of_releases={planned}, finished=True" in told[-1], one.name
        assert n == planned or (n < planned and learner in MAY_END_EARLY), one.name


def rows(n_rows=300, low=10):
    return {
        "a": [low + at % 7 for at in range(n_rows)],
        "c": ["x", "y"] * (n_rows // 2),
        "y": ["no", "yes"] * (n_rows // 2),
    }


@pytest.fixture
def small_steps(monkeypatch):
    """Let files be read in pieces of some hundred bytes, and told of every 64 rows."""
    monkeypatch.setattr(csv_chunks, "_CHUNK", 512)
    monkeypatch.setattr(progress_events, "ROWS_TOGETHER", 64)


def test_neighboring_files_have_the_same_events_whatever_the_length_of_their_cells(tmp_path, small_steps):
    table = rows()
    neighbor = {**table, "a": [999_999, *table["a"][1:]]}
    told = []
    for name, each in (
        ("one.csv", table),
        ("other.csv", neighbor),
        ("one.parquet", table),
        ("other.parquet", neighbor),
    ):
        frame = pl.DataFrame(each)
        (frame.write_csv if name.endswith("csv") else frame.write_parquet)(tmp_path / name)
        told.append(followed(lambda: NaiveBayesClassifier(SCHEMA, epsilon=1.0).fit(tmp_path / name)))  # noqa: B023
    assert (tmp_path / "one.csv").stat().st_size != (tmp_path / "other.csv").stat().st_size
    assert told[0] == told[1] and told[2] == told[3]
    assert [(each.rows, each.of_rows) for each in told[0][:6]] == [(64 * at, None) for at in range(5)] + [(300, 300)]
    assert [(each.rows, each.of_rows) for each in told[2][:2]] == [(0, 300), (64, 300)]


def test_rows_of_persons_are_not_told(tmp_path, small_steps):
    schema = Schema(SCHEMA.columns, label=SCHEMA.label, identifier=Identifier("who", rows="mean"))
    pl.DataFrame({**rows(), "who": [f"p{at % 100}" for at in range(300)]}).write_csv(tmp_path / "t.csv")
    events = followed(lambda: NaiveBayesClassifier(schema, epsilon=1.0).fit(tmp_path / "t.csv"))
    assert {(each.rows, each.of_rows) for each in events} == {(0, None)}
    assert events[-1].releases == events[-1].of_releases > 0


def test_a_lazy_frame_an_evaluation_and_a_learned_schema_are_followed(tmp_path, small_steps):
    frame = pl.DataFrame(rows(2000))
    model = NaiveBayesClassifier(SCHEMA, epsilon=1.0)
    assert followed(lambda: model.fit(frame.lazy()))[-1].rows == 2000
    frame.write_parquet(tmp_path / "t.parquet")
    last = followed(lambda: evaluate(model.model_, tmp_path / "t.parquet", epsilon=1.0))[-1]
    assert (last.rows, last.of_rows, last.releases, last.of_releases) == (2000, 2000, 4, 4)
    kinds = Kinds({"a": "number", "c": "category", "y": "category"})
    last = followed(lambda: learn_schema(frame, kinds, label="y", epsilon=9, delta=1e-6))[-1]
    assert last.releases == last.of_releases == 4


@pytest.mark.parametrize("when", ["rows", "of_releases", "releases"])
def test_what_a_callback_raises_ends_a_fit_and_leaves_the_charge(tmp_path, when):
    book = Ledger(tmp_path / "people.ledger")
    book.open(Account.of("people", Budget(3.0)))
    pl.DataFrame(rows()).write_csv(tmp_path / "t.csv")

    def stop(event):
        if getattr(event, when):
            raise KeyboardInterrupt

    model = LogisticClassifier(SCHEMA, epsilon=1.0, ledger=book.path)
    with pytest.raises(KeyboardInterrupt) as stopped, progress(stop):
        model.fit(tmp_path / "t.csv")
    assert not hasattr(model, "model_")
    assert book.balance().spent == book.balance().account.limit // 3
    assert stopped.value.__notes__ == ["Charge 1 of account 'people' stays: epsilon 1 is spent."]

"""Workers that die or join during a fit, and a lost scheduler: the same model, or one error and one charge."""

from __future__ import annotations

import os
import signal
import warnings

import numpy as np
import polars as pl
import pytest

from estimators.test_places import PRIVATE, SETTINGS, labels, of_persons
from estimators.test_places import frame as frame_of
from tacit.errors import ClusterError, TableError
from tacit.ledger import Account, Ledger
from tacit.models import to_json
from tacit.privacy import Budget
from tacit.privacy.release import observing
from tacit.study.learners import private_learners
from tacit.table import opened_source
from tacit.table.cluster import grouping, read_on_cluster, reading

pytestmark = [pytest.mark.audit, pytest.mark.filterwarnings("ignore")]
LEARNERS = sorted(private_learners())


@pytest.fixture
def cluster():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from distributed import Client, LocalCluster

        given = {"dashboard_address": None, "silence_logs": 50, "memory_limit": 0}
        with LocalCluster(n_workers=2, threads_per_worker=1, **given) as made, Client(made) as client:
            yield made, client


@pytest.fixture
def folder(tmp_path):
    rows = frame_of()
    rows = rows.with_columns(y=pl.Series(labels(PRIVATE, rows)))
    (tmp_path / "rows").mkdir()
    for at, part in enumerate(rows.iter_slices(200)):
        part.write_parquet(tmp_path / "rows" / f"{at}.parquet")
    return tmp_path / "rows"


def estimator_of(name, schema=PRIVATE, **given):
    return private_learners()[name](schema, epsilon=5.0, **SETTINGS.get(name, {}), **given)


def model_of(estimator, table):
    return to_json(estimator.fit_table(table).model_, allow="simulated")


def after_release(number, act):
    """Return an observer that acts once, after so many releases."""
    seen = []

    def observe(_):
        seen.append(1)
        if len(seen) == number:
            act()

    return observe


CASES = [*[(name, PRIVATE) for name in LEARNERS], ("logistic", of_persons("mean")), ("naive-bayes", of_persons(2))]


@pytest.mark.parametrize(("name", "schema"), CASES)
def test_a_killed_worker_and_a_late_one_leave_the_model_as_it_is(cluster, folder, name, schema):
    made, client = cluster
    table = read_on_cluster(opened_source(folder), schema, client, block_rows=97, shard_blocks=2)
    want = model_of(estimator_of(name, schema, random_state=3), read(folder, schema))
    killed = []

    def fail():
        pids = client.run(os.getpid)
        killed.append(next(iter(pids.values())))
        os.kill(killed[0], signal.SIGKILL)
        made.scale(3)

    with observing(after_release(1, fail)):
        found = model_of(estimator_of(name, schema, random_state=3), table)
    assert killed
    assert found == want
    # Releases after it, or a second fit, compute again what was lost.
    assert model_of(estimator_of(name, schema, random_state=3), table) == want


@pytest.mark.parametrize("moment", ["ranges are read", "a release was made"])
def test_a_worker_killed_after_a_csv_file_was_divided_leaves_the_model_as_it_is(cluster, folder, monkeypatch, moment):
    _, client = cluster
    padded = pl.read_parquet(folder / "*.parquet").with_columns(pad=pl.lit('x"\n"1\n' * 6000))
    padded.write_csv(folder / "rows.csv")
    assert (folder / "rows.csv").stat().st_size > 3 * 2**23
    want = model_of(estimator_of("lazybb", random_state=3), read(folder, PRIVATE))
    killed = []

    def fail(*_):
        killed.append(next(iter(client.run(os.getpid).values())))
        os.kill(killed[0], signal.SIGKILL)

    if moment == "ranges are read":
        told = reading._told
        monkeypatch.setattr(reading, "_told", lambda *given: fail() or told(*given))
    table = read_on_cluster(
        opened_source(folder / "rows.csv"), PRIVATE, client, block_rows=97, shard_blocks=2, range_bytes=2**23
    )
    with observing(after_release(1, lambda: killed or fail())):
        found = model_of(estimator_of("lazybb", random_state=3), table)
    assert len(killed) == 1
    assert found == want


@pytest.mark.parametrize("step", [1, 5, 8, 12], ids=["divided", "exchanged", "together", "sent back"])
def test_a_worker_killed_while_persons_are_grouped_leaves_the_model_as_it_is(cluster, folder, monkeypatch, step):
    from distributed import wait

    _, client = cluster
    schema, steps, killed = of_persons("mean"), [], []
    monkeypatch.setattr(grouping, "_PARTITION_ROWS", 250)
    mapped = grouping._mapped

    def then_kill(*given):
        futures = mapped(*given)
        steps.append(given[1])
        if len(steps) == step:
            # What it has made so far is there, and lost.
            holders = client.who_has([*wait(futures).done])
            pids = client.run(os.getpid)
            killed.append(next(holder for own in holders.values() for holder in own))
            os.kill(pids[killed[0]], signal.SIGKILL)
        return futures

    monkeypatch.setattr(grouping, "_mapped", then_kill)
    table = read_on_cluster(opened_source(folder), schema, client, block_rows=97, shard_blocks=2)
    assert killed
    assert len(steps) == 13  # 4 parts, 3 partitions, and one step for all of them at each of four stages
    assert table.n_persons == frame_of()["person"].n_unique()
    found = model_of(estimator_of("logistic", schema, random_state=3), table)
    assert found == model_of(estimator_of("logistic", schema, random_state=3), read(folder, schema))


def read(folder, schema):
    from tacit.table import Table, shards

    before, shards.SHARD_BLOCKS = shards.SHARD_BLOCKS, 2
    try:
        rows = pl.read_parquet(folder / "*.parquet")
        return Table.from_frame(rows, rows["y"], schema, block_rows=97)
    finally:
        shards.SHARD_BLOCKS = before


def test_a_lost_connection_is_one_error_and_one_charge(cluster, folder, tmp_path):
    _, client = cluster
    book = Ledger(tmp_path / "people.ledger")
    book.open(Account.of("people", Budget(10.0)))
    estimator = estimator_of("boosted-trees", ledger=tmp_path / "people.ledger")
    with observing(after_release(2, client.close)), pytest.raises(ClusterError, match="lost connection") as caught:
        estimator.fit(folder, client=client)
    assert caught.value.__cause__ is None
    kinds = [line.kind for line in book.lines()]
    assert kinds.count("reserve") == 1
    assert "give-back" not in kinds
    assert not hasattr(estimator, "model_")


def test_a_file_that_changes_before_it_is_read_again_is_one_error(cluster, folder):
    _, client = cluster
    table = read_on_cluster(opened_source(folder), PRIVATE, client, block_rows=97, shard_blocks=2)
    pl.read_parquet(folder / "0.parquet").head(199).write_parquet(folder / "0.parquet")
    for pid in client.run(os.getpid).values():
        os.kill(pid, signal.SIGKILL)
    with pytest.raises(TableError, match="Expected files that stay the same"):
        table.sum(lambda block: np.asarray(block.n_rows))

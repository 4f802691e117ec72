"""A Dask cluster of two processes: the same model, errors without cells, and nothing private in what Dask shows."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from functools import partial
from threading import Thread
from types import SimpleNamespace
from urllib.parse import urlsplit

import numpy as np
import polars as pl
import pytest

from tacit import (
    Categorical,
    Identifier,
    Label,
    LogisticClassifier,
    NaiveBayesClassifier,
    Numeric,
    PaidSearch,
    Schema,
    evaluate,
    progress,
)
from tacit.errors import ClusterError, MissingExtra, ParameterError, PrivacyError, TableError
from tacit.ledger import Account, Ledger
from tacit.models import to_json
from tacit.privacy import Budget
from tacit.table import Block, Table, opened_source, read_source
from tacit.table.cluster import check_cluster, connected, read_on_cluster
from tacit.table.cluster.client import sent
from tacit.table.files.csv_text import HEAD

SCHEMA = Schema(
    [Numeric("age", 0, 90), Categorical("job", ["a", "b", "c"], other=True)], label=Label("y", ["no", "yes"])
)
SENTINEL = "xq7sentinel7qx"
CODES = Schema(
    [Categorical("job", ["a", "b"], match="prefix", other=True), Categorical("person", buckets=300)], label=SCHEMA.label
)
PERSONS = Schema(SCHEMA.columns, label=SCHEMA.label, identifier=Identifier("person"))

pytestmark = pytest.mark.filterwarnings("ignore")


def rows(n_rows=500, cell=SENTINEL):
    generator = np.random.default_rng(7)
    age = generator.uniform(0, 90, n_rows)
    job = generator.choice(["a", "b", "c", cell], n_rows)
    person = [f"{cell}{number}" for number in generator.integers(0, n_rows // 3, n_rows)]
    return pl.DataFrame({"age": age, "job": job, "person": person, "y": np.where(age > 40, "yes", "no")})


@pytest.fixture
def folder(tmp_path):
    for at, part in enumerate(rows().iter_slices(200)):
        part.write_parquet(tmp_path / f"{at}.parquet")
    return tmp_path


def model(cls, *given, schema=SCHEMA, **named):
    fitted = cls(schema, epsilon=5.0, random_state=3).fit(*given, **named)
    return to_json(fitted.model_, allow="simulated")


def dask_frame():
    import dask.dataframe as dd

    # Its own tasks hold its rows for as long as anything refers to them: what Dask shows may have these cells.
    return dd.from_pandas(rows(cell="d").to_pandas(), npartitions=3)


def test_files_and_dask_frames_give_the_model_of_memory(client, folder):
    want = model(NaiveBayesClassifier, rows(), rows()["y"])
    events = []
    with progress(events.append):
        assert model(NaiveBayesClassifier, folder, client=client) == want
    assert [(each.rows, each.of_rows) for each in events[:2]] == [(0, 500), (500, 500)]
    assert events[-1].finished and events[-1].releases == events[-1].of_releases > 0
    assert model(NaiveBayesClassifier, dask_frame().query("age >= 0"), client=client) == want
    assert model(NaiveBayesClassifier, dask_frame()) == want


def test_an_empty_parquet_file_beside_others_has_no_rows(client, folder):
    rows().clear().write_parquet(folder / "first.parquet")
    assert model(NaiveBayesClassifier, folder, client=client) == model(NaiveBayesClassifier, rows(), rows()["y"])
    for path in folder.glob("?.parquet"):
        path.unlink()
    with pytest.raises(TableError, match="at least one row"):
        model(NaiveBayesClassifier, folder, client=client)


def test_a_csv_file_in_ranges_gives_the_model_of_memory(client, tmp_path):
    # Rows of 2,000 bytes, most of which are lines of a quoted cell that look like rows.
    pad = 'x"\n"1,a,p,no\n' * 128
    rows(10_000).with_columns(pad=pl.lit(pad)).select("pad", "age", "job", "person", "y").write_csv(tmp_path / "t.csv")
    assert (tmp_path / "t.csv").stat().st_size > 2 * 2**23 + HEAD
    given = opened_source(tmp_path)
    want = [
        NaiveBayesClassifier(SCHEMA, epsilon=5.0, random_state=3).fit_table(read_source(given, SCHEMA, place=each))
        for each in ("memory", "disk")
    ]
    found = NaiveBayesClassifier(SCHEMA, epsilon=5.0, random_state=3).fit_table(
        read_on_cluster(given, SCHEMA, client, range_bytes=2**23)
    )
    documents = {to_json(each.model_, allow="simulated") for each in (*want, found)}
    assert len(documents) == 1
    assert SENTINEL not in shown(client)


def test_partitions_that_workers_predict_are_predicted_as_the_whole_table(client):
    fitted = NaiveBayesClassifier(SCHEMA, epsilon=5.0, random_state=3).fit(rows(), rows()["y"]).model_

    def predicted(part):
        return part.assign(prediction=fitted.predict(part), yes=fitted.predict_proba(part)[:, 1])

    found = dask_frame().map_partitions(predicted).compute()
    assert found["prediction"].tolist() == fitted.predict(rows()).tolist()
    assert found["yes"].tolist() == fitted.predict_proba(rows())[:, 1].tolist()
    assert 150 < (found["prediction"] == "yes").sum() < 350


@pytest.mark.parametrize("identifier", [Identifier("person", rows=1), Identifier(["person", "one"])])
def test_persons_throw_the_same_coins_in_memory_and_on_a_cluster(client, tmp_path, identifier):
    given = rows(700).with_columns(one=pl.lit(1))
    given.write_parquet(tmp_path / "rows.parquet")
    schema = Schema(SCHEMA.columns, label=SCHEMA.label, identifier=identifier)
    table = read_on_cluster(opened_source(tmp_path), schema, client, block_rows=97, shard_blocks=3)
    own = Table.from_frame(given, given["y"], schema)
    here, there = (each.gather(partial(Block.coins, n=3)) for each in (own, table))
    assert len(set(map(tuple, here.tolist()))) == given["person"].n_unique()
    assert np.array_equal(here, there)


@pytest.mark.audit
@pytest.mark.parametrize("schema", [SCHEMA, PERSONS, CODES])
def test_so_do_they_of_persons_and_of_unlisted_categories(client, folder, schema):
    want = model(LogisticClassifier, rows(), rows()["y"], schema=schema)
    assert model(LogisticClassifier, folder, client=client, schema=schema) == want
    other = rows(cell="d")
    want = model(LogisticClassifier, other, other["y"], schema=schema)
    assert model(LogisticClassifier, dask_frame(), client=client, schema=schema) == want


@pytest.mark.audit
@pytest.mark.parametrize("schema", [SCHEMA, PERSONS])
def test_so_do_held_out_rows_evaluations_and_searches(client, tmp_path, schema):
    given = rows(1500)
    given.write_parquet(tmp_path / "rows.parquet")
    settings = {"epsilon": 20.0, "random_state": 3}
    makers = [
        lambda: NaiveBayesClassifier(schema, holdout=0.5, **settings),
        lambda: PaidSearch(NaiveBayesClassifier(schema), {"n_bins": [2, 3]}, rows=0.4, **settings),
    ]
    # Of several shards, so that slices have rows of both workers. Where no identifier names persons, coins are of a
    # row's place in its block, so that blocks must be as long.
    table = read_on_cluster(opened_source(tmp_path), schema, client, block_rows=97, shard_blocks=3)
    assert len(table._shards.sizes) > 4
    for make in makers:
        of_blocks = make().fit_table(Table.from_frame(given, given["y"], schema, block_rows=97))
        assert saved(make().fit_table(table)) == saved(of_blocks)
        want = saved(make().fit(given, given["y"]))
        assert saved(make().fit(tmp_path, client=client)) == want
    assert "chosen among" in want
    fitted = NaiveBayesClassifier(SCHEMA, **settings).fit(given, given["y"]).model_
    own = {"schema": schema, **settings}
    here, there = evaluate(fitted, given, given["y"], **own), evaluate(fitted, tmp_path, client=client, **own)
    assert there.document() == here.document()


def saved(fitted):
    return to_json(fitted.model_, allow="simulated")


def shown(client):
    """Return all that Dask keeps where others than the driver may look."""

    def of_scheduler(dask_scheduler):
        tasks = dask_scheduler.tasks.values()
        seen = [
            [task.key, task.type, task.nbytes, task.exception_text, task.traceback_text, repr(task.run_spec)]
            for task in tasks
        ]
        return json.dumps([seen, repr(list(dask_scheduler.transition_log))], default=str)

    def of_worker(dask_worker):
        return repr(
            [[repr(each) for each in dask_worker.data.values()], dask_worker.state.log, dask_worker.state.tasks]
        )

    logs = [client.get_scheduler_logs(), client.get_worker_logs()]
    return repr(logs) + repr(client.get_events()) + client.run_on_scheduler(of_scheduler) + repr(client.run(of_worker))


def test_nothing_that_dask_shows_has_a_cell_not_even_after_an_error(client, folder):
    strict = Schema([SCHEMA.columns[0], Categorical("job", ["a", "b", "c"])], label=SCHEMA.label)
    with pytest.raises(TableError, match="column 'job'") as caught:
        NaiveBayesClassifier(strict, epsilon=1.0).fit(folder, client=client)
    assert SENTINEL not in str(caught.value)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    table = read_source(opened_source(folder), SCHEMA, client=client)

    def fails(block):
        raise ValueError(f"{SENTINEL} {block.labels.tolist()}")

    state = table.per_block(fails)
    asked = [(table.sum, fails), (table.visit, fails), (table.gather, fails), (table.sum, lambda block: state[block])]
    for ask, function in asked:
        with pytest.raises(PrivacyError, match=r"Expected workers to compute .* failure='ValueError'") as caught:
            ask(function)
        assert SENTINEL not in str(caught.value)
    kept = table.per_block(lambda block: [SENTINEL] * block.n_rows)
    assert int(table.sum(lambda block: len(kept[block]))) == 500
    persons = read_source(opened_source(folder), PERSONS, client=client)
    assert persons.n_persons == rows()["person"].n_unique()
    with pytest.raises(TableError, match="identifier 'person'") as caught:
        unnamed = rows().with_columns(person=pl.when(pl.col("age") < 80).then("person"))
        unnamed.write_parquet(folder / "unnamed.parquet")
        read_source(opened_source(folder / "unnamed.parquet"), PERSONS, client=client)
    assert SENTINEL not in str(caught.value)
    text = shown(client)
    assert "tacit-rows" in text
    assert "tacit-persons" in text
    assert SENTINEL not in text


def test_sizes_that_dask_shows_do_not_depend_on_rows(client, folder):
    table = read_source(opened_source(folder), SCHEMA, client=client)
    short, long = (table.per_block(lambda block, n=n: np.zeros(n)) for n in (1, 10**6))
    table.visit(lambda block: (short[block], long[block]))
    states = [state.handles[0] for state in (short, long)]
    client.gather(states)
    sizes = client.run_on_scheduler(
        lambda keys, dask_scheduler: [dask_scheduler.tasks[key].nbytes for key in keys], [one.key for one in states]
    )
    assert sizes[0] == sizes[1] > 0


def test_what_cannot_be_read_there_is_refused(client, folder, tmp_path):
    estimator = NaiveBayesClassifier(SCHEMA, epsilon=1.0)
    with pytest.raises(ParameterError, match="a query of this process"):
        estimator.fit(rows().lazy(), client=client)
    with pytest.raises(ParameterError, match="rows in memory"):
        estimator.fit(rows(), rows()["y"], client=client)
    with pytest.raises(ParameterError, match=r"distributed\.Client, got client of type str"):
        estimator.fit(folder, client="tcp://nowhere")
    (tmp_path / "two").mkdir()  # each file is read by the schema as if it were alone
    for kind in (pl.Float64, pl.Float32):
        rows().with_columns(pl.col("age").cast(kind)).write_parquet(tmp_path / "two" / f"{kind}.parquet")
    assert estimator.fit(tmp_path / "two", client=client).privacy_.n_rows == 2 * rows().height
    with pytest.raises(TableError, match="named 'y'"):
        rows().drop("y").write_parquet(tmp_path / "other.parquet")
        estimator.fit(tmp_path / "other.parquet", client=client)


@pytest.mark.parametrize("reached", [True, False])
def test_results_come_from_workers_that_can_be_reached(client, folder, monkeypatch, reached):
    from tacit.table.cluster import client as module

    asked, gather = set(), client.gather

    def spied(futures, direct=None):
        asked.add(direct)
        return gather(futures, direct=direct)

    if not reached:
        closed = socket.create_server(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        closed.close()
        monkeypatch.setattr(module, "urlsplit", lambda address: urlsplit(f"tcp://127.0.0.1:{port}"))
    monkeypatch.setattr(client, "gather", spied)
    assert model(NaiveBayesClassifier, folder, client=client) == model(NaiveBayesClassifier, folder)
    assert asked == {reached}


def test_workers_without_this_version_are_refused(client, monkeypatch):
    from tacit.table.cluster import client as module

    monkeypatch.setattr(module, "__version__", "0.0.1")
    with pytest.raises(ClusterError, match=r"Expected tacit 0\.0\.1 and Python"):
        check_cluster(opened_source(dask_frame()), client)


@pytest.fixture
def impatient(monkeypatch):
    from tacit.table.cluster import client as module

    assert module._PATIENCE_SCHEDULER < 10
    monkeypatch.setattr(module, "_PATIENCE_SCHEDULER", 0.3)


@pytest.mark.parametrize("there", ["nothing", "what never answers", "another server", "no address"])
def test_no_scheduler_is_one_error(impatient, there):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = "no address" if there == "no address" else f"tcp://127.0.0.1:{server.getsockname()[1]}"

        def answer():
            server.accept()[0].sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")  # read as a length, it is one of 3 EiB

        if there == "nothing":
            server.close()
        if there == "another server":
            Thread(target=answer, daemon=True).start()
        with pytest.raises(ClusterError, match="Expected a Dask scheduler"), connected(address):
            pass


def charging(tmp_path):
    """Return an estimator with a ledger, and a function that says what was spent."""
    book = Ledger(tmp_path / "people.ledger")
    book.open(Account.of("people", Budget(10.0)))
    return NaiveBayesClassifier(SCHEMA, epsilon=1.0, ledger=book.path), lambda: book.balance().spent / 2**40


RAISED = [ValueError, KeyError, OSError, FileNotFoundError, TimeoutError, RuntimeError, MemoryError, ImportError]


@pytest.mark.parametrize("kind", RAISED)
def test_a_partition_that_fails_is_named_as_that(client, tmp_path, kind):
    def fail(part):
        raise kind("what a cell holds")

    frame = dask_frame()
    estimator, spent = charging(tmp_path)
    said = {MemoryError: "more memory", ImportError: "the driver's packages"}.get(kind, "partitions can be computed")
    error = ClusterError if kind is ImportError else TableError
    with pytest.raises(error, match=rf"{said}.* Charge 1 of account 'people' stays") as caught:
        estimator.fit(frame.map_partitions(fail, meta=frame._meta), client=client)
    assert "a cell" not in str(caught.value)
    assert spent() == 1.0


def test_workers_that_died_are_named_as_that(client):
    from distributed import KilledWorker

    killed = SimpleNamespace(status="error", exception=lambda: KilledWorker("task", None, []))
    with pytest.raises(ClusterError, match="died several times"):
        sent(client, lambda: 1 / 0, [SimpleNamespace(status="finished"), killed])


def test_nothing_is_sent_while_a_connection_is_lost(client, monkeypatch):
    monkeypatch.setattr(client, "status", "connecting")
    with pytest.raises(ClusterError, match="lost connection"):
        sent(client, lambda: pytest.fail("it was sent"))


async def never(**_):
    await asyncio.sleep(60)


@pytest.mark.parametrize("case", ["closed", "no answer", "no client", "rows of this process", "no Dask"])
def test_what_is_known_before_rows_are_read_charges_nothing(client, folder, tmp_path, monkeypatch, impatient, case):
    from distributed import Client

    given, error, said = folder, ClusterError, ""
    if case == "closed":
        client = Client(client.scheduler.address, set_as_default=False)
        client.close()
        said = "one that was closed"
    elif case == "no answer":
        monkeypatch.setattr(client.scheduler, "identity", never, raising=False)
        said = "a scheduler that answers"
    elif case == "no client":
        client, error, said = "tcp://nowhere", ParameterError, "got client of type str"
    elif case == "rows of this process":
        given, error, said = rows().lazy(), ParameterError, "a query of this process"
    else:
        monkeypatch.setitem(sys.modules, "tacit.table.cluster", None)
        monkeypatch.delattr(sys.modules["tacit.table"], "cluster")
        error, said = MissingExtra, r"Install tacit\[dask\]"
    estimator, spent = charging(tmp_path)
    with pytest.raises(error, match=rf"{said}.* Nothing was charged\.$"):
        estimator.fit(given, client=client)
    assert spent() == 0


def test_rows_stay_on_the_workers_that_read_them(client, folder):
    table = read_on_cluster(opened_source(folder), SCHEMA, client, block_rows=64, shard_blocks=4)
    assert len(table._shards.sizes) == 2
    asked = [table.gathering(lambda block: block.labels) for _ in range(8)]
    assert {len(each()) for each in asked} == {500}
    assert [len(where) for where in client.who_has(table._shards._futures).values()] == [1, 1]

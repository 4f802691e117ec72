"""The store keeps each row once, whole, and is nothing but a store."""

from __future__ import annotations

import os
import sqlite3

import pytest

from tacit.errors import ParameterError
from tacit.study.run import Outcome, Store, Task

DONE = Outcome("done", {"accuracy": 0.75}, 0.5)
FAILED = Outcome("failed", {"error": "TableError", "message": "Expected."}, 0.1)


def task(epsilon=1.0, **labels):
    return Task("fit", {"epsilon": epsilon, "parameters": {"rounds": 3}}, labels)


@pytest.fixture(params=["file", ":memory:"])
def store(request, tmp_path):
    return Store(":memory:" if request.param == ":memory:" else tmp_path / "made" / "on the way" / "rows.sqlite")


def test_rows_hold_inputs_labels_and_results(store):
    store.put(task(), DONE)
    [row] = store.rows([task(name="BRC"), task(2.0)]).to_dicts()
    assert row["key"] == task().key
    assert (row["measure"], row["epsilon"], row["parameters"], row["name"]) == ("fit", 1.0, '{"rounds": 3}', "BRC")
    assert (row["status"], row["accuracy"], row["seconds"]) == ("done", 0.75, 0.5)


def test_a_task_under_two_labels_is_stored_once_and_shown_twice(store):
    store.put(task(), DONE)
    assert len(store) == 1
    assert store.rows([task(name="a"), task(name="b"), task(name="a")])["name"].to_list() == ["a", "b"]


def test_each_row_names_the_version_that_computed_it(store, monkeypatch):
    assert store.versions([task()]) == ()
    for number, version in ((1.0, "9"), (2.0, "8"), (3.0, "7")):
        monkeypatch.setattr("tacit.__version__", version)
        store.put(task(number), DONE)
    assert store.versions([task(1.0), task(2.0), task(4.0)]) == ("8", "9")


def test_a_finished_row_stays_and_a_failed_one_is_replaced(store):
    store.put(task(), FAILED)
    assert store.missing([task()]) == []
    assert store.missing([task(), task()], retry_failed=True) == [task()]
    store.put(task(), DONE)
    store.put(task(), Outcome("done", {"accuracy": 0.1}, 0.5))
    store.put(task(), FAILED)
    assert store.rows([task()])["accuracy"].to_list() == [0.75]
    assert store.finished([task(), task(2.0)]) == {task(): ("done", 0.5)}


def test_more_tasks_than_a_query_takes_names(store):
    tasks = [task(float(n)) for n in range(1, 1203)]
    with store.held_open():
        for each in tasks[:-1]:
            store.put(each, DONE)
    assert store.missing(tasks) == tasks[-1:]
    assert store.rows(tasks)["epsilon"].to_list() == [float(n) for n in range(1, 1202)]


def test_another_process_sees_a_row_at_once(tmp_path):
    writer, reader = Store(tmp_path / "s"), Store(tmp_path / "s")
    with writer.held_open():
        writer.put(task(), DONE)
        assert len(reader) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


def test_something_else_is_refused_in_one_sentence_and_left_alone(tmp_path):
    good = Store(tmp_path / "good")
    for n in range(1, 200):
        good.put(task(float(n)), DONE)
    whole = (tmp_path / "good").read_bytes()
    foreign = tmp_path / "foreign"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE people (age)")
    connection.close()
    contents = [b"age,income\n" * 100, whole[:6000], whole[:8192] + bytes(len(whole) - 8192), foreign.read_bytes()]
    for content in contents:
        path = tmp_path / "given"
        path.write_bytes(content)
        with pytest.raises(ParameterError) as caught:
            Store(path).rows([task()])
        assert str(caught.value).startswith("Expected a store of a study, got something else in ")
        assert path.read_bytes() == content
        for more in tmp_path.glob("given*"):
            more.unlink()


@pytest.mark.parametrize(
    "changed",
    [
        "result = 'no JSON'",
        "result = '[1]'",
        "result = 'null'",
        f"result = '{'[' * 100_000}'",
        f"result = '{{\"accuracy\": {'9' * 5000}}}'",
        "result = x'80ff'",
        "result = CAST(x'7b22ff227d' AS TEXT)",
        "seconds = 'long'",
        "seconds = 9e999",
        "seconds = -1",
    ],
    ids=lambda changed: changed[:24],
)
def test_a_row_that_another_hand_has_changed_is_no_result(tmp_path, changed):
    store = Store(tmp_path / "s")
    store.put(task(), DONE)
    with sqlite3.connect(tmp_path / "s") as connection:
        connection.execute(f"UPDATE rows SET {changed}")
    connection.close()
    for read in (store.rows, store.finished, store.missing):
        with pytest.raises(ParameterError, match="something else in"):
            read([task()])


@pytest.mark.parametrize("instead", ["TABLE rows (age)", "VIEW rows AS SELECT 1 AS key"])
def test_other_columns_are_no_store(tmp_path, instead):
    Store(tmp_path / "s")
    with sqlite3.connect(tmp_path / "s") as connection:
        connection.execute("DROP TABLE rows")
        connection.execute(f"CREATE {instead}")
    connection.close()
    with pytest.raises(ParameterError, match="something else in"):
        Store(tmp_path / "s").rows([task()])


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(ParameterError, match="Check the path"):
        Store(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_a_new_store_is_its_owners_alone_and_an_old_one_keeps_its_mode(tmp_path):
    Store(tmp_path / "rows").put(task(), DONE)
    assert [path.stat().st_mode & 0o777 for path in tmp_path.iterdir()] == [0o600]
    (tmp_path / "rows").chmod(0o640)
    Store(tmp_path / "rows").put(task(2.0), DONE)
    assert (tmp_path / "rows").stat().st_mode & 0o777 == 0o640

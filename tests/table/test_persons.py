"""Persons with several rows: identifiers, whole weights that add to the same for each, slices by person."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Identifier, Label, Numeric, Schema
from tacit.errors import PrivacyError, SchemaError, TableError
from tacit.features import LinearEncoding
from tacit.table import Table
from tacit.table.persons import Members, key_of, unit_weight_for
from tacit.table.sources import opened_source, read_source

COLUMNS, LABEL = [Numeric("a", 0, 16)], Label("y", ["no", "yes"])
SCHEMA = Schema(COLUMNS, label=LABEL, identifier=Identifier("person"))
FEATURES = LinearEncoding(SCHEMA, ("a",))


def table(identifiers, schema=SCHEMA, block_rows=3, values=None):
    values = np.arange(float(len(identifiers))) if values is None else values
    frame = pl.DataFrame({"person": identifiers, "a": values})
    return Table.from_frame(frame, ["yes", "no"] * (len(values) // 2) + ["no"] * (len(values) % 2), schema,
                            block_rows=block_rows)  # fmt: skip


def weights(rows):
    return rows.gather(lambda block: block.weights)


def numbers(rows):
    return ((rows.gather(lambda block: block.features(FEATURES)[:, 0]) + 1) * 8).tolist()


@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=40), st.sampled_from([1, 2, 8, 4096]))
def test_each_person_weighs_one_exactly_and_rows_differ_by_one_step_at_most(names, unit):
    found = Members.of(names).weights(unit)
    for name in set(names):
        own = found[np.asarray(names) == name]
        assert own.sum() == unit
        assert own.max() - own.min() <= 1


def test_a_person_of_more_rows_than_steps_still_weighs_one():
    found = Members.of(["a"] * 10_000 + ["b"]).weights(4096)
    assert (found[:-1].sum(), found[:-1].max(), found[-1]) == (4096, 1, 4096)


@pytest.mark.parametrize(("n_persons", "unit"), [(1, 4096), (2**21, 4096), (2**21 + 1, 2048), (2**33, 1), (2**40, 1)])
def test_sums_of_weights_times_a_fine_grid_stay_exact(n_persons, unit):
    assert unit_weight_for(n_persons) == unit
    assert unit == 1 or n_persons * unit * 2**20 <= 2**53


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=30), st.data())
def test_weights_of_others_stay_when_one_person_s_rows_are_replaced(names, data):
    """The order of a person's rows follows from the identifier and their order alone."""
    left = [name for name in names if name != "a"]
    at = data.draw(st.integers(0, len(left)))
    other = left[:at] + ["z"] * data.draw(st.integers(1, 9)) + left[at:]
    one, two = Members.of(names).weights(4096), Members.of(other).weights(4096)
    assert one[np.asarray(names) != "a"].tolist() == two[np.asarray(other) != "z"].tolist()


def test_a_table_counts_persons_and_hides_its_rows():
    rows = table(["b", "a", "b", "c", "b"])
    assert (rows.n_persons, rows.unit_weight, rows.influence) == (3, 4096, 4096)
    assert sorted(weights(rows)) == [1365, 1365, 1366, 4096, 4096]
    assert repr(rows) == "<Table of 3 persons, 1 columns; rows stay inside>"
    with pytest.raises(PrivacyError, match="n_persons"):
        rows.n_rows  # noqa: B018
    assert rows.unit.persons.identifier == "person"
    assert not rows.unit.persons.same_rows
    public = table(["b", "a"], Schema(COLUMNS, label=Label("y", ["no", "yes"], private=False),
                                      identifier=Identifier("person")))  # fmt: skip
    assert public.unit.persons.same_rows
    assert public.unit != rows.unit


def test_at_most_k_rows_of_each_person_are_kept_and_count_one():
    rows = table(list("aabaabcc"), Schema(COLUMNS, label=LABEL, identifier=Identifier("person", rows=2)))
    assert (rows.n_persons, rows.unit_weight, rows.influence, rows.is_weighted) == (3, 1, 2, False)
    kept = rows.gather(lambda block: block.members.person)
    assert sorted(kept) == [0, 0, 1, 1, 2, 2]
    assert {2.0, 5.0, 6.0, 7.0} < set(numbers(rows)), "all rows of b and c, with two of a"


def test_declared_rows_change_the_influence_alone():
    schema = Schema(COLUMNS, label=LABEL, rows_per_person=5)
    rows = Table.from_frame(np.zeros((8, 1)), ["no", "yes"] * 4, schema)
    assert (rows.n_rows, rows.n_persons, rows.unit_weight, rows.influence) == (8, 8, 1, 5)


@given(st.permutations(range(4)), st.integers(1, 3), st.integers(1, 11))
def test_slices_hold_all_rows_of_their_persons(order, size, block_rows):
    names = list("abacadbdcba")
    rows = table(names, block_rows=block_rows)
    one, two = rows.slices([size, 4 - size], order=np.asarray(order))
    groups = {"a": [0, 2, 4, 10], "b": [1, 6, 9], "c": [3, 8], "d": [5, 7]}
    persons = sorted("abcd", key=key_of)
    wanted = sorted(row for at in order[:size] for row in groups[persons[at]])
    assert numbers(one) == wanted
    assert sorted(numbers(one) + numbers(two)) == list(range(11))
    assert weights(one).sum() == size * 4096
    assert (one.n_persons, two.n_persons) == (size, 4 - size)
    assert one.unit.persons == rows.unit.persons
    again = two.slices([1], order=np.arange(two.n_persons)) if two.n_persons > 1 else (two,)
    assert weights(again[0]).sum() == 4096


def replaced(names, data, name="a"):
    """Return the names with another number of one person's rows, at other places; that person's rows are of 0."""
    left = [each for each in names if each != name]
    for _ in range(data.draw(st.integers(1, 5))):
        left.insert(data.draw(st.integers(0, len(left))), name)
    return left


def coins(rows):
    return rows.gather(lambda block: block.coins(2)).tolist()


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=30), st.data(), st.integers(1, 9))
def test_coins_of_others_stay_when_one_person_s_rows_move_or_are_others(names, data, block_rows):
    """A coin that followed from who appears before would be everybody's to move."""
    other = replaced(names, data)
    found = []
    for each in (names, other):
        of_rows = coins(table(each, block_rows=block_rows))
        found.append([coin for coin, name in zip(of_rows, each, strict=True) if name != "a"])
    assert found[0] == found[1]


def test_persons_differ_in_their_coins():
    of_rows = coins(table([str(at) for at in range(2_000)] * 2))
    assert of_rows[:2_000] == of_rows[2_000:]
    assert len({word for each in of_rows for word in each}) == 4_000


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=9), st.data())
def test_slices_hold_the_same_other_persons_wherever_one_person_s_rows_are(names, data):
    names = [*names, "a", "b"]
    other = replaced(names, data)
    order = np.asarray(data.draw(st.permutations(range(len(set(names))))))
    held = []
    for each in (names, other):
        [half] = table(each).slices([len(order) // 2], order=order)
        held.append({each[int(at)] for at in numbers(half)})
    assert held[0] == held[1]


@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=40), st.integers(1, 3))
def test_hashes_stay_with_their_persons(names, most):
    def hashes(of):
        return [key_of(name) for name in of]

    whole, half = Members.of(names), np.arange(0, len(names), 2)
    assert whole.key.tolist() == hashes(names)
    kept, first = whole.first(most)
    assert first.key.tolist() == hashes(names[at] for at in kept)
    for some in (whole.part(half), whole.take(half)):
        assert some.key.tolist() == hashes(names[at] for at in half)
    assert Members.joined([whole, first]).key.tolist() == [*whole.key.tolist(), *first.key.tolist()]


def test_persons_have_no_public_order():
    with pytest.raises(TableError, match="secret permutation"):
        table(list("abab")).slices([1, 1])


@pytest.mark.parametrize(
    "identifiers",
    [[1, 2, 1], ["1", "2", "1"], np.asarray([1, 2, 1], dtype=np.uint16), [2**64 - 1, 5, 2**64 - 1]],
)
def test_whole_numbers_and_texts_are_identifiers(identifiers):
    rows = Table.from_frame(pd.DataFrame({"a": [1.0, 2, 3], "person": identifiers}), ["no", "yes", "no"], SCHEMA)
    assert sorted(weights(rows)) == [2048, 2048, 4096]


NAMES = ["1", " 1", "1\t", "2", "\u00a02 ", "a b", " a b", "a  b", "01"]
"""Of five persons."""


def test_a_table_has_the_same_persons_through_every_door(tmp_path):
    """Blanks around an identifier make no other person; those within one do, and zeros."""
    frame = pl.DataFrame({"a": [1.0] * 9, "person": NAMES, "y": ["no", "yes", "no"] * 3})
    frame.write_csv(tmp_path / "t.csv", quote_style="always")
    frame.write_parquet(tmp_path / "t.parquet")
    doors = [tmp_path / "t.csv", tmp_path / "t.parquet", frame.lazy()]
    found = [read_source(opened_source(door, SCHEMA), SCHEMA) for door in doors]
    cells = frame.drop("y")
    frames = [
        cells,
        cells.to_arrow(),
        pd.DataFrame(cells.to_dict(as_series=False)),
        cells.cast({"person": pl.Categorical}),
    ]
    mixed = pd.DataFrame({"a": [1.0] * 9, "person": pd.Series([1, *NAMES[1:]], dtype=object)})
    found += [Table.from_frame(each, frame["y"], SCHEMA) for each in (*frames, mixed)]
    assert [table.n_persons for table in found] == [5] * 8
    assert len({str(weights(table)) for table in found}) == 1


def test_whole_numbers_beyond_the_doubles_are_not_merged():
    frame = pl.DataFrame({"a": [1.0, 2.0], "person": [2**53, 2**53 + 1]})
    assert Table.from_frame(frame, ["no", "yes"], SCHEMA).n_persons == 2


@pytest.mark.parametrize(
    "identifiers",
    [
        [1.0, 2.0, 3.0], [1.0, None, 3.0], [1, float("nan"), 2], ["secret", None, "b"], ["secret", "", "b"],
        ["secret", " ", "b"], ["secret", "NaN", "b"], ["secret", "NULL", "b"], ["secret", 1.5, "b"],
        [True, False, True], np.asarray(["2020-01-01"] * 3, dtype="M8[D]"), [b"x", b"y", b"z"], ["secret", True, "b"],
        ["secret", 10**5000, "b"],
    ],
)  # fmt: skip
@pytest.mark.parametrize("on_invalid", ["raise", "coerce"])
def test_missing_identifiers_and_those_of_other_types_are_refused_and_not_shown(identifiers, on_invalid):
    frame = pd.DataFrame({"a": [1.0, 2, 3], "person": pd.Series(identifiers)})
    with pytest.raises(TableError, match="identifier") as caught:
        Table.from_frame(frame, ["no", "yes", "no"], SCHEMA, on_invalid=on_invalid)
    assert "secret" not in str(caught.value)


def test_a_lazy_frame_is_collected_once():
    """A query may give its rows in another order each time: identifiers must stay with their rows."""
    calls = []
    frame = pl.LazyFrame({"person": ["a", "b", "a"], "a": [1.0, 2.0, 3.0], "other": [1, 2, 3]})
    frame = frame.map_batches(lambda found: calls.append(1) or found)
    assert Table.from_frame(frame, ["no", "yes", "no"], SCHEMA).n_persons == 2
    assert len(calls) == 1


@pytest.mark.parametrize("data", [np.zeros((3, 1)), [[1.0], [2.0], [3.0]], pl.DataFrame({"a": [1.0, 2.0, 3.0]})])
def test_a_table_without_the_identifier_is_refused(data):
    with pytest.raises(TableError, match="person"):
        Table.from_frame(data, ["no", "yes", "no"], SCHEMA)


@pytest.mark.parametrize(
    "arguments",
    [
        {"identifier": "person"}, {"identifier": Identifier("a")}, {"identifier": Identifier("y")},
        {"identifier": Identifier("person"), "rows_per_person": 2}, {"rows_per_person": 0},
        {"rows_per_person": 2.5}, {"rows_per_person": True},
        {"identifier": Identifier("person"), "ignored": {"person": "an identifier"}},
    ],
)  # fmt: skip
def test_schemas_refuse_identifiers_that_contradict_them(arguments):
    with pytest.raises(SchemaError, match=r"identifier|rows_per_person|twice"):
        Schema(COLUMNS, label=LABEL, **arguments)


@pytest.mark.parametrize("rows", ["median", 0, -1, 2.0, True, None, 10**6])
def test_identifiers_refuse_rows_that_are_no_number(rows):
    with pytest.raises(SchemaError, match="rows"):
        Identifier("person", rows=rows)


@pytest.mark.parametrize("identifier", [None, Identifier("person"), Identifier("a b", rows=7)])
def test_toml_says_the_identifier(identifier):
    schema = Schema(COLUMNS, label=LABEL, identifier=identifier, rows_per_person=1 if identifier else 4)
    assert Schema.from_toml(schema.to_toml()) == schema
    assert (
        eval(repr(schema), {"Schema": Schema, "Numeric": Numeric, "Label": Label, "Identifier": Identifier}) == schema
    )


@pytest.mark.parametrize(
    "text",
    ["[identifier]\nrows = 2", "[identifier]\nname = 3", '[identifier]\nname = "p"\nrow = 2', 'identifier = "p"'],
)
def test_toml_of_damaged_identifiers_is_refused(text):
    with pytest.raises(SchemaError, match="identifier"):
        Schema.from_toml(f"format = 1\n{text}\n" + Schema(COLUMNS, label=LABEL).to_toml().replace("format = 1\n", ""))


def test_bounds_on_rounding_do_not_follow_from_the_number_of_rows():
    """The minimizer's tolerance is in certificates, and counts strips of rows."""
    short, long = table(["a", "b"]), table(["a"] * 40 + ["b"])
    assert short.strips(2) == long.strips(2) == 2**20
    plain = Table.from_frame(np.zeros((9, 1)), ["no", "yes", "no"] * 3, Schema(COLUMNS, label=LABEL), block_rows=4)
    assert plain.strips(2) == 5

import datetime as dt
from fractions import Fraction

import numpy as np
import polars as pl
from hypothesis import assume, example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from tacit.errors import SchemaError
from tacit.schema import Categorical, Label, Numeric, Schema, draft_toml
from tacit.schema.guesses.bounds import outward_bounds, rounded_midpoint
from tacit.schema.guesses.header import NO_NAMES

texts = st.text(max_size=12)
names = texts.filter(lambda text: text.strip())
numbers = st.floats(-1e307, 1e307) | st.integers(-(2**63), 2**64 - 1)
values = st.one_of(
    st.lists(texts, min_size=2, max_size=6, unique=True),
    st.lists(st.integers(-(2**63), 2**64 - 1), min_size=2, max_size=6, unique=True),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=6, unique=True),
    st.permutations([False, True]),
)


NOTATIONS = [
    {},
    {"decimal": ",", "thousands": ".", "signs": ["€", "%"], "negatives": "brackets", "replace": {"none": "0", "-": ""}},
    {"thousands": "'", "below": "<", "below_counts": 0.5, "negatives": "behind"},
    {"date_part": "month", "dates": "%d.%m.%y"},
]


@st.composite
def numeric_columns(draw, name):
    kind = draw(st.sampled_from([numbers, st.dates()]))
    points = sorted(draw(st.lists(kind, min_size=2, max_size=5, unique_by=lambda point: _as_float(point))))
    inside = st.none() | st.sampled_from(points)
    may_be_whole = all(not isinstance(end, dt.date) and float(end).is_integer() for end in (points[0], points[-1]))
    return Numeric(
        name,
        points[0],
        points[-1],
        center=draw(inside),
        cuts=points[1:-1] or None,
        scale="linear" if isinstance(points[0], dt.date) else draw(st.sampled_from(["linear", "log"])),
        whole=may_be_whole and len(points) == 2 and draw(st.booleans()),  # cuts between whole numbers need one each
        missing=draw(inside),
        private=draw(st.booleans()),
        **draw(st.just({"dates": "%d.%m.%Y"}) if isinstance(points[0], dt.date) else st.sampled_from(NOTATIONS)),
    )


def _as_float(point):
    return point if isinstance(point, dt.date) else float(point)


@st.composite
def categorical_columns(draw, name):
    categories = draw(values)
    missing = draw(st.none() | st.sampled_from(categories))
    return Categorical(name, categories, other=draw(st.booleans()), missing=missing, private=draw(st.booleans()))


@st.composite
def schemas(draw):
    label, *rest = draw(st.lists(names, min_size=2, max_size=6, unique=True))
    n_columns = draw(st.integers(1, len(rest)))
    columns = [draw(numeric_columns(name) | categorical_columns(name)) for name in rest[:n_columns]]
    return Schema(
        columns,
        label=Label(label, draw(values), private=draw(st.booleans())),
        ignored={name: draw(texts) for name in rest[n_columns:]},
        guessed=draw(st.lists(st.sampled_from([label, *rest[:n_columns]]), max_size=4)),
    )


@given(schemas())
def test_toml_makes_the_equal_schema(schema):
    again = Schema.from_toml(schema.to_toml())
    assert again == schema
    assert hash(again) == hash(schema)
    assert repr(again) == repr(schema)
    assert again.to_toml() == schema.to_toml()


@given(schemas())
def test_json_and_repr_make_the_equal_schema(schema):
    adapter = TypeAdapter(Schema)
    assert adapter.validate_json(adapter.dump_json(schema)) == schema
    assert eval(repr(schema)) == schema


@given(schemas(), st.data())
def test_with_private_changes_protection_and_nothing_else(schema, data):
    chosen = data.draw(st.sets(st.sampled_from(schema.names)))
    turned = schema.with_private(chosen)
    assert set(turned.private_columns) == chosen
    assert turned.all_private() == schema.all_private()
    assert turned.with_private(schema.private_columns) == schema


@given(schemas())
def test_the_middle_lies_between_the_bounds(schema):
    for column in schema.columns:
        if isinstance(column, Numeric):
            assert column.lower <= column.middle <= column.upper


@given(st.lists(numbers, min_size=1, max_size=5))
def test_guessed_bounds_hold_the_data_on_exact_steps(data):
    smallest, largest = min(data), max(data)
    low, high = outward_bounds(smallest, largest)
    assert float(low) <= float(smallest) <= float(largest) <= float(high)
    assert low < high
    assert low <= rounded_midpoint(low, high) <= high
    least, most = Fraction(repr(smallest)), Fraction(repr(largest))
    if most > least:  # steps are at most 2.5 times as long as the range, and a bound is within one
        assert Fraction(repr(high)) - Fraction(repr(low)) <= 5 * (most - least) * (1 + Fraction(1, 2**40))


@given(st.fractions(Fraction(1, 1000), 1000, max_denominator=1000))
def test_guessed_bounds_are_within_two_and_a_half_times_the_data(value):
    low, high = outward_bounds(float(value), 2 * float(value))
    assert float(value) / 2.5 <= low * (1 + 1e-12)
    assert high <= 2 * float(value) * 2.5 * (1 + 1e-12)


cells = st.one_of(
    st.lists(st.none() | st.integers(-(2**40), 2**40), min_size=6, max_size=6),
    st.lists(st.none() | st.floats(-1e300, 1e300), min_size=6, max_size=6),
    st.lists(st.none() | st.sampled_from(["a", "b", "é"]), min_size=6, max_size=6),
    st.lists(st.none() | st.booleans(), min_size=6, max_size=6),
)


@given(st.dictionaries(names, cells, min_size=1, max_size=4))
@example({"^$": [None] * 6})  # polars takes such a name for a pattern of names
@example({"1\x1f": [None] * 6})  # a text's blanks are more than a number's
def test_guessed_columns_hold_every_cell_of_the_frame(columns):
    frame = pl.DataFrame({**columns, "the label": [0, 1] * 3, "kept": [0.5] * 6}, strict=False)
    try:
        schema = Schema.from_data(frame, "the label")
    except SchemaError as error:
        assume(NO_NAMES not in str(error))
        raise
    for column in schema.inputs:
        present = [cell for cell in frame[column.name] if cell is not None]
        has_missing = len(present) < 6
        if isinstance(column, Numeric):
            assert (column.missing == "indicator") == has_missing
            assert all(column.lower <= cell <= column.upper for cell in present)
        else:
            assert column.other and (column.missing is not None) == has_missing
            assert set(present) <= set(column.categories)
    drafted = Schema.from_toml(draft_toml(frame, "the label"))
    assert sorted(drafted.input_names) == sorted(schema.input_names)
    for column in schema.inputs:  # columns alike share the longest list of categories
        found = drafted.column(column.name)
        assert found == column or set(found.categories) > set(column.categories)


@given(st.lists(st.lists(st.floats(-1e300, 1e300), min_size=3, max_size=3), min_size=2, max_size=8))
def test_guessed_columns_hold_every_cell_of_an_array(rows):
    array = np.array(rows)
    schema = Schema.from_data(array, [k % 2 for k in range(len(rows))])
    assert schema.names == ("x0", "x1", "x2")
    assert (array >= [column.lower for column in schema.columns]).all()
    assert (array <= [column.upper for column in schema.columns]).all()

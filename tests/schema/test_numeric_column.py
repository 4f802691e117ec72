import dataclasses
import math
import pickle
from datetime import date, datetime

import numpy as np
import pytest

from tacit.errors import SchemaError
from tacit.schema import Numeric


def test_defaults_and_numbers():
    age = Numeric("age", 17, 90)
    assert (age.lower, age.upper, age.middle) == (17.0, 90.0, 53.5)
    assert age.private is True
    assert age.scale == "linear"
    assert age.cut_points is None
    assert age.missing_value is None
    assert age.is_date is False


def test_center_cuts_and_missing_are_numbers():
    age = Numeric("age", 17, 90, center=38, cuts=[25, 40.5], missing=17)
    assert age.middle == 38.0
    assert age.cut_points == (25.0, 40.5)
    assert age.missing_value == 17.0
    assert age.cuts == (25, 40.5)


def test_dates_are_days_since_1970():
    seen = Numeric("seen", "1970-01-02", date(1970, 1, 11), cuts=["1970-01-04"], missing=date(1970, 1, 3))
    assert seen.is_date
    assert seen.low == date(1970, 1, 2)
    assert (seen.lower, seen.upper, seen.middle) == (1.0, 10.0, 5.5)
    assert seen.cut_points == (3.0,)
    assert seen.missing_value == 2.0
    assert Numeric("old", "1969-12-31", "1970-01-01").lower == -1.0


def test_middle_of_a_log_column_is_the_midpoint_of_the_logarithms():
    assert Numeric("gain", 0, 99, scale="log").middle == pytest.approx(9.0)  # sqrt(1 * 100) - 1
    assert Numeric("net", -99, 99, scale="log").middle == 0.0
    assert Numeric("loss", -99, 0, scale="log").middle == pytest.approx(-9.0)


def test_rounding_cannot_take_the_middle_over_a_bound():
    low, high = 134364.2441124012, 134364.24411240124  # neighboring doubles
    assert low <= Numeric("x", low, high, scale="log").middle <= high


def test_integers_that_no_double_holds_are_rounded():
    assert Numeric("x", 0, 2**53 + 1).high == float(2**53)
    assert type(Numeric("x", 0, 2**53).high) is int


def test_numpy_scalars_become_python_values():
    column = Numeric("x", np.int64(0), np.float32(0.5), private=np.bool_(False))
    assert type(column.low) is int
    assert type(column.high) is float
    assert column.private is False


def test_a_whole_column_has_whole_bounds_and_anything_within_them():
    column = Numeric("n", -3, 2.0**60, center=0.5, cuts=[0.25], scale="log", whole=True, missing=-0.5)
    assert eval(repr(column)) == column != dataclasses.replace(column, whole=False)


def test_repr_says_what_differs_from_the_defaults_and_makes_the_column_again():
    plain = Numeric("age", 17, 90)
    assert repr(plain) == "Numeric('age', 17, 90)"
    full = Numeric("d", "2020-01-01", "2021-01-01", cuts=["2020-03-01"], missing="2020-02-01", private=False)
    expected = "Numeric('d', '2020-01-01', '2021-01-01', cuts=['2020-03-01'], missing='2020-02-01', private=False)"
    assert repr(full) == expected
    assert eval(repr(full)) == full


def test_frozen_comparable_hashable_picklable():
    column = Numeric("x", 0, 1, cuts=[0.5])
    assert column == Numeric("x", 0.0, 1.0, cuts=(0.5,))
    assert hash(column) == hash(Numeric("x", 0.0, 1.0, cuts=(0.5,)))
    assert column != Numeric("x", 0, 1, cuts=[0.5], private=False)
    assert pickle.loads(pickle.dumps(column)) == column
    with pytest.raises(dataclasses.FrozenInstanceError):
        column.low = 2


def test_options_are_keyword_only():
    with pytest.raises(TypeError):
        Numeric("x", 0, 1, 0.5)


@pytest.mark.parametrize(
    ("low", "high", "options", "field"),
    [
        (1, 1, {}, "low"),
        (2, 1, {}, "low"),
        (-1e308, 1e308, {}, "finite distance"),
        ("2021-01-01", "2020-01-01", {}, "low"),
        (math.nan, 1, {}, "low"),
        (0, math.inf, {}, "high"),
        (0, 10**400, {}, "high"),
        (None, 1, {}, "low"),
        ("0", 1, {}, "low"),
        (False, 1, {}, "low"),
        ("2021-02-30", "2022-01-01", {}, "low"),
        ("20210101", "2022-01-01", {}, "low"),
        (datetime(2020, 1, 1), date(2021, 1, 1), {}, "without a time"),
        (0, date(2021, 1, 1), {}, "high"),
        (date(2020, 1, 1), 5, {}, "high"),
        (0, 1, {"center": 2}, "center"),
        (0, 1, {"center": math.nan}, "center"),
        (0, 1, {"center": date(2020, 1, 1)}, "center"),
        (0, 1, {"missing": -0.1}, "missing"),
        (0, 1, {"missing": "no"}, "missing"),
        (0, 1, {"cuts": []}, "cuts"),
        (0, 1, {"cuts": [0]}, "cuts"),
        (0, 1, {"cuts": [1]}, "cuts"),
        (0, 1, {"cuts": [0.5, 0.5]}, "cuts"),
        (0, 1, {"cuts": [0.6, 0.5]}, "cuts"),
        (0, 1, {"cuts": 0.5}, "cuts"),
        (0, 1, {"cuts": "0.5"}, "cuts"),
        (0, 1, {"cuts": {0.5}}, "cuts"),
        (0, 1, {"scale": "Log"}, "scale"),
        (0, 1, {"scale": ["log"]}, "scale"),
        ("2020-01-01", "2021-01-01", {"scale": "log"}, "scale"),
        (0, 1, {"whole": 1}, "whole"),
        (0, 1, {"whole": "yes"}, "whole"),
        (0, 1.5, {"whole": True}, "whole"),
        (-0.5, 1, {"whole": True}, "whole"),
        ("2020-01-01", "2021-01-01", {"whole": True}, "whole"),
        (0, 1, {"private": "yes"}, "private"),
        (0, 1, {"private": 1}, "private"),
        (0, 1, {"private": None}, "private"),
    ],
)
def test_refusals_name_the_column_and_the_field(low, high, options, field):
    with pytest.raises(SchemaError, match=r"^Expected .*\. [A-Z].*\.$") as caught:
        Numeric("pulse", low, high, **options)
    assert "'pulse'" in str(caught.value)
    assert field in str(caught.value)


@pytest.mark.parametrize("name", ["", "  ", None, 3, ["age"]])
def test_a_name_is_a_text_with_something_in_it(name):
    with pytest.raises(SchemaError, match="name of a column"):
        Numeric(name, 0, 1)

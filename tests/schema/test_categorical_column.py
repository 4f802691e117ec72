import math

import numpy as np
import pandas as pd
import pytest

from tacit.errors import SchemaError
from tacit.schema import Categorical, Label


def test_codes_count_the_categories_and_other():
    assert Categorical("c", ["a", "b"]).n_codes == 2
    assert Categorical("c", ["a", "b"], other=True).n_codes == 3
    assert Categorical("c", ["b", "a"]).categories == ("b", "a")


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        (np.array(["a", "b"]), ("a", "b")),
        (np.array([1, 2]), (1, 2)),
        (pd.Series([True, False]), (True, False)),
        ([0, 0.5, 1], (0.0, 0.5, 1.0)),
        ([2**64 - 1, -(2**63)], (2**64 - 1, -(2**63))),
    ],
)
def test_lists_and_arrays_are_stored_as_tuples_of_python_values(given, stored):
    column = Categorical("c", given)
    assert column.categories == stored
    assert [type(value) for value in column.categories] == [type(value) for value in stored]


def test_missing_is_a_category_or_falls_into_other():
    assert Categorical("c", ["a", "?"], missing="?").missing == "?"
    assert Categorical("c", [False, True], other=True, missing="missing").missing == "missing"


def test_repr():
    column = Categorical("sex", ["F", "M"], other=True, missing="M", private=False)
    assert repr(column) == "Categorical('sex', ['F', 'M'], other=True, missing='M', private=False)"
    assert eval(repr(column)) == column
    assert hash(eval(repr(column))) == hash(column)
    assert repr(Label("y", [0, 1], private=False)) == "Label('y', [0, 1], private=False)"


@pytest.mark.parametrize(
    ("categories", "options", "field"),
    [
        ([], {}, "at least one"),
        ("FM", {}, "a list"),
        ({"F", "M"}, {}, "a list"),
        ({"F": 1}, {}, "a list"),
        (3, {}, "a list"),
        (None, {}, "a list"),
        (np.array([["a", "b"]]), {}, "a list"),
        (np.array("a"), {}, "a list"),
        (["a", "a"], {}, "twice"),
        ([1, 1.0], {}, "twice"),
        ([2**53, 2**53 + 1, 0.5], {}, "twice"),
        (["a", 1], {}, "one kind"),
        ([True, 1], {}, "one kind"),
        ([True, "True"], {}, "one kind"),
        (["a", None], {}, "something else"),
        ([0.0, math.nan], {}, "something else"),
        ([0.0, math.inf], {}, "something else"),
        ([10**30], {}, "something else"),
        ([("a",)], {}, "something else"),
        (["a"], {"missing": "b"}, "missing"),
        ([0, 1], {"missing": True}, "missing"),
        (["a"], {"missing": ["a"]}, "missing"),
        (["a"], {"other": True, "missing": math.nan}, "missing"),
        (["a"], {"other": "no"}, "other"),
        (["a"], {"private": "no"}, "private"),
    ],
)
def test_refusals_name_the_column_and_the_remedy(categories, options, field):
    with pytest.raises(SchemaError, match=r"^Expected .*\. [A-Z].*\.$") as caught:
        Categorical("blood", categories, **options)
    assert "'blood'" in str(caught.value)
    assert field in str(caught.value)


@pytest.mark.parametrize("categories", [pd.Series(["sentinel", "sentinel"]), ["sentinel", 1], ["sentinel", None]])
def test_a_column_of_rows_given_as_categories_is_not_repeated(categories):
    with pytest.raises(SchemaError) as caught:
        Categorical("blood", categories)
    assert "sentinel" not in str(caught.value)


@pytest.mark.parametrize(
    ("classes", "field"),
    [([], "at least one"), (["a"], "two classes"), ("ab", "a list"), ([0, "a"], "one kind"), ([1, 1], "twice")],
)
def test_labels_are_checked_likewise(classes, field):
    with pytest.raises(SchemaError, match=field) as caught:
        Label("sick", classes)
    assert "'sick'" in str(caught.value)


def test_label_refuses_other_types():
    with pytest.raises(SchemaError, match="private"):
        Label("sick", [0, 1], private=0)
    with pytest.raises(SchemaError, match="name"):
        Label("", [0, 1])


def test_the_center_is_a_category_and_says_where_ordinal_codes_have_their_zero():
    assert Categorical("c", ["a", "b", "c", "d"]).middle == 1.5
    assert Categorical("c", ["a", "b", "c", "d"], center="b").middle == 1.0
    assert Categorical("c", ["a", "b"], other=True).middle == 1.0
    for wrong in ("z", 1, True, None.__class__):
        with pytest.raises(SchemaError, match="center"):
            Categorical("c", ["a", "b"], center=wrong)

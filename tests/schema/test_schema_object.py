import pickle
from copy import deepcopy

import pandas as pd
import pytest
from pydantic import TypeAdapter, ValidationError

from tacit.errors import SchemaError
from tacit.schema import Categorical, Label, Numeric, Schema

AGE, SEX = Numeric("age", 17, 90), Categorical("sex", ["F", "M"], private=False)
INCOME = Label("income", ["<=50K", ">50K"])
SCHEMA = Schema([AGE, SEX], label=INCOME)


def test_names_by_protection():
    assert SCHEMA.columns == (AGE, SEX)
    assert SCHEMA.names == ("age", "sex")
    assert SCHEMA.private_columns == ("age",)
    assert SCHEMA.public_columns == ("sex",)


def test_column_by_name():
    assert SCHEMA.column("sex") is SEX
    with pytest.raises(SchemaError, match="Did you mean 'age'"):
        SCHEMA.column("Age")
    with pytest.raises(SchemaError, match="Use one of 'age', 'sex'"):
        SCHEMA.column("zzz")


def test_all_private():
    public = SCHEMA.with_private([], label=False)
    assert public.all_private().private_columns == ("age", "sex")
    assert public.all_private().label.private


def test_with_private_protects_exactly_the_named_columns():
    turned = SCHEMA.with_private(["sex"])
    assert (turned.private_columns, turned.public_columns) == (("sex",), ("age",))
    assert turned.label.private
    assert SCHEMA.with_private(("age", "sex")).private_columns == ("age", "sex")
    assert SCHEMA.with_private({"age"}) == SCHEMA
    assert SCHEMA.with_private([]).private_columns == ()


def test_with_private_leaves_the_label_unless_told():
    assert SCHEMA.with_private([], label=False).label.private is False
    assert SCHEMA.with_private([], label=False).with_private(["age"]).label.private is False
    assert SCHEMA.with_private([], label=False).with_private(["age"], label=True).label.private is True


@pytest.mark.parametrize("names", [["height"], ["income"], "age", [3]])
def test_with_private_refuses_what_is_no_column(names):
    with pytest.raises(SchemaError):
        SCHEMA.with_private(names)
    with pytest.raises(SchemaError, match="label"):
        SCHEMA.with_private(["age"], label="yes")


def test_guessed_and_ignored_survive_and_guessed_is_in_schema_order():
    schema = Schema([AGE, SEX], label=INCOME, ignored={"id": "names people"}, guessed=["income", "age", "age"])
    assert schema.guessed == ("age", "income")
    assert schema.ignored == (("id", "names people"),)
    assert schema.all_private().guessed == ("age", "income")
    assert schema != SCHEMA


def test_repr_makes_the_schema_again():
    schema = Schema([AGE, SEX], label=INCOME, ignored=[("id", "names people")], guessed=["age"])
    assert eval(repr(schema)) == schema
    assert repr(SCHEMA).splitlines()[2] == "        Numeric('age', 17, 90),"
    assert "ignored" not in repr(SCHEMA)


def test_hash_copy_and_pickle():
    again = Schema((Numeric("age", 17.0, 90.0), SEX), label=INCOME)
    assert again == SCHEMA
    assert hash(again) == hash(SCHEMA)
    assert deepcopy(SCHEMA) == SCHEMA
    assert pickle.loads(pickle.dumps(SCHEMA)) == SCHEMA
    assert Schema([SEX, AGE], label=INCOME) != SCHEMA


@pytest.mark.parametrize(
    ("columns", "options", "said"),
    [
        ([], {}, "at least one column"),
        ("age", {}, "a list"),
        (AGE, {}, "a list"),
        (["age"], {}, "Numeric or Categorical"),
        ([INCOME], {}, "Numeric or Categorical"),
        ([AGE, SEX, Numeric("age", 0, 1)], {}, "'age' twice"),
        ([AGE], {"label": "income"}, "to be a Label"),
        ([AGE], {"label": Label("age", [0, 1])}, "label 'age'"),
        ([AGE], {"ignored": {"age": "why"}}, "'age' twice"),
        ([AGE], {"ignored": {"income": "why"}}, "'income' twice"),
        ([AGE], {"ignored": [("id", "a"), ("id", "b")]}, "'id' twice"),
        ([AGE], {"ignored": ["id"]}, "name and a reason"),
        ([AGE], {"ignored": {"id": 3}}, "name and a reason"),
        ([AGE], {"ignored": {"": "why"}}, "name of an ignored column"),
        ([AGE], {"ignored": "id"}, "a list"),
        ([AGE], {"guessed": ["sex"]}, "'sex'"),
        ([AGE], {"guessed": "age"}, "a list"),
    ],
)
def test_contradictions_are_refused(columns, options, said):
    with pytest.raises(SchemaError, match=said):
        Schema(columns, **({"label": INCOME} | options))


def test_a_frame_in_the_wrong_place_is_not_repeated():
    frame = pd.DataFrame({"age": ["sentinel"]})
    for wrong in (lambda: Schema([AGE], label=frame), lambda: Schema([frame], label=INCOME), lambda: Label(frame, [])):
        with pytest.raises(SchemaError) as caught:
            wrong()
        assert "sentinel" not in str(caught.value)


def test_json_through_pydantic_makes_the_equal_schema():
    schema = Schema(
        [
            Numeric("seen", "2020-01-01", "2021-01-01", cuts=["2020-05-01"], private=False),
            Numeric("gain", 0, 2.5, scale="log", center=1),
            Categorical("flag", [True, False]),
            Categorical("code", [1, 2], other=True, missing=9),
        ],
        label=INCOME,
        ignored={"id": "names people"},
        guessed=["gain"],
    )
    adapter = TypeAdapter(Schema)
    again = adapter.validate_json(adapter.dump_json(schema))
    assert again == schema
    assert [type(value) for value in again.column("flag").categories] == [bool, bool]
    assert again.column("seen").is_date


@pytest.mark.parametrize("change", ['"low":17', '"name":"age"'])
def test_pydantic_refuses_unknown_fields_and_contradictions(change):
    text = TypeAdapter(Schema).dump_json(SCHEMA).decode()
    assert change in text
    with pytest.raises(ValidationError):
        TypeAdapter(Schema).validate_json(text.replace(change, change + ',"extra":1'))
    with pytest.raises(ValidationError):
        TypeAdapter(Schema).validate_json(text.replace('"low":17', '"low":99'))


def test_what_a_schema_keeps_is_never_itself():
    """Libraries that store objects by their attributes, as skops does, end at circles with an error."""
    plain, counted = Schema([AGE, SEX], label=INCOME), Schema([AGE], label=INCOME, group_columns=[SEX])
    assert plain.full is plain and counted.full.names == ("age", "sex")
    assert counted.full is counted.full and counted.full.full is counted.full
    for schema in (plain, counted, counted.full):
        assert not any(kept is schema for kept in vars(schema).values())

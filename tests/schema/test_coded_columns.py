"""Columns of many codes: buckets of a public hash, and listed prefixes."""

from __future__ import annotations

import pytest

from tacit.errors import SchemaError
from tacit.schema import Categorical, Label, Schema

BUCKETS = Categorical("zip", buckets=3, salt="2026")
PREFIXES = Categorical("code", ["I", "I21"], match="prefix", other=True, missing="I", center="I21")
SCHEMA = Schema([BUCKETS, PREFIXES], label=Label("y", [0, 1]))


def test_both_come_back_from_toml():
    text = SCHEMA.to_toml()
    assert 'buckets = 3\nsalt = "2026"\n' in text
    assert 'match = "prefix"\n' in text
    assert Schema.from_toml(text) == SCHEMA
    assert eval(repr(SCHEMA), {"Schema": Schema, "Categorical": Categorical, "Label": Label}) == SCHEMA


def test_a_column_of_neither_is_written_as_before():
    written = Schema([Categorical("c", ["a"])], label=Label("y", [0, 1])).to_toml()
    assert not {"buckets", "salt", "match"} & set(written.split())


def test_codes_have_words():
    assert BUCKETS.n_codes == 4
    assert BUCKETS.words == ("bucket 0", "bucket 1", "bucket 2", "missing")
    assert BUCKETS.feature_names[-1] == "zip=missing"
    assert PREFIXES.words == ("I*", "I21*", "another value")
    assert PREFIXES.feature_names == ("code=I*", "code=I21*", "code otherwise")
    assert BUCKETS.extent == "any text, in 3 buckets"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"buckets": 1}, "Expected 2 to 65,534 buckets in column 'c', got buckets=1."),
        ({"buckets": 65_535}, "got buckets=65535"),
        ({"buckets": True}, "got buckets=True"),
        ({"buckets": 2.0}, "got buckets=2.0"),
        ({"buckets": 2, "categories": ["a"]}, "Expected buckets without categories"),
        ({"buckets": 2, "other": True}, "Expected buckets without other"),
        ({"buckets": 2, "missing": "a"}, "Expected buckets without missing"),
        ({"buckets": 2, "center": "a"}, "Expected buckets without center"),
        ({"buckets": 2, "match": "prefix"}, "Expected buckets or match='prefix'"),
        ({"buckets": 2, "salt": 3}, "for salt of column 'c'"),
        ({"buckets": 2, "salt": "x" * 1_001}, "for salt of column 'c'"),
        ({"categories": ["a"], "salt": "x"}, "Expected a salt with buckets only"),
        ({"categories": ["a"], "match": "start"}, "Expected match 'value' or 'prefix'"),
        ({"categories": ["a", ""], "match": "prefix"}, "Expected texts without blanks"),
        ({"categories": ["a", " b"], "match": "prefix"}, "Expected texts without blanks"),
        ({"categories": [1, 2], "match": "prefix"}, "Expected texts without blanks"),
        ({}, "Expected categories, or buckets, in column 'c', got neither"),
    ],
)
def test_nonsense_is_refused(fields, said):
    with pytest.raises(SchemaError) as refused:
        Categorical("c", **fields)
    assert said in str(refused.value)


def test_all_buckets_together_are_limited():
    columns = [Categorical(name, buckets=40_000) for name in "abc"]
    with pytest.raises(SchemaError, match="got 120,000"):
        Schema(columns, label=Label("y", [0, 1]))

import tomllib

import numpy as np
import polars as pl
import pytest

from tacit.errors import SchemaError
from tacit.schema import Identifier, Schema, draft_toml

FRAME = pl.DataFrame(
    {
        "age": [17, 64, None],
        "sex": ["F", "M", "F"],
        "vegan": [True, None, False],
        "id": [7, 8, 9],
        "income": ["low", "high", "low"],
    }
)
DRAFT = draft_toml(FRAME, "income")


def test_a_draft_is_the_guessed_schema():
    assert Schema.from_toml(DRAFT) == Schema.from_data(FRAME, "income")
    assert Schema.from_toml(DRAFT).guessed == ("age", "sex", "vegan", "income")


def test_every_entry_is_marked_and_says_what_to_do():
    marked = [line for line in DRAFT.splitlines() if line.startswith("guessed = true")]
    assert len(marked) == 4
    assert all("read off your data, not private: delete this line" in line for line in marked)


def test_deleting_the_marks_leaves_nothing_guessed():
    kept = [line for line in DRAFT.splitlines() if not line.startswith("guessed")]
    assert Schema.from_toml("\n".join(kept)).guessed == ()


@pytest.mark.parametrize(
    ("start", "advice"),
    [
        ("classes =", "published"),
        ("categories =", "published"),
        ("low =", "without the table"),
        ('missing = "indicator"', "empty cell"),
        ('missing = "missing"', "empty cell"),
        ("other =", "lacks"),
        ("private =", "everybody"),
    ],
)
def test_lines_that_need_checking_carry_advice(start, advice):
    lines = [line for line in DRAFT.splitlines() if line.startswith(start)]
    assert lines
    assert all(advice in line.partition("#")[2] for line in lines)


def test_the_introduction_warns():
    introduction = DRAFT.partition("format = 1")[0]
    assert all(line.startswith("#") for line in introduction.splitlines() if line)
    for said in ("NOTHING HERE IS PRIVATE YET", "read off your data", "`private = false`", "guessed = true"):
        assert said in introduction


def test_columns_left_out_are_named_with_the_reason():
    assert "identifier" in tomllib.loads(DRAFT)["ignored"]["id"]
    assert "[ignored]" not in draft_toml(FRAME.drop("id"), "income")


def test_long_lists_keep_their_advice():
    frame = pl.DataFrame({"c": [f"category {k}" for k in range(40)] * 2, "y": [0, 1] * 40})
    draft = draft_toml(frame, "y")
    assert "]  # check" in draft.replace("] #", "]  #")
    assert Schema.from_toml(draft) == Schema.from_data(frame, "y")


def test_an_unknown_label_is_refused():
    with pytest.raises(SchemaError, match="Did you mean 'income'"):
        draft_toml(FRAME, "incom")


def test_a_column_of_persons_is_proposed_and_taken_by_uncommenting_it():
    names = [f"p{k}" for k in range(60)] * 3
    frame = pl.DataFrame({"who^1": names, "a": np.arange(180.0) % 7, "y": ["no", "yes"] * 90})
    text = draft_toml(frame, "y")
    assert Schema.from_toml(text).identifier is None
    lines = [line for line in text.splitlines() if not line.startswith('"who^1" =')]
    at = lines.index("# [identifier]")
    lines[at : at + 3] = [line.removeprefix("# ") for line in lines[at : at + 3]]
    assert Schema.from_toml("\n".join(lines)).identifier == Identifier("who^1", rows="mean")

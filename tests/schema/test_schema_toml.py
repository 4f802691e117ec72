from datetime import date

import pytest

from tacit.errors import SchemaError
from tacit.schema import Categorical, Label, Numeric, Schema

SCHEMA = Schema(
    [
        Numeric("age", 17, 90, center=38, cuts=[25, 40.5], private=False),
        Numeric("seen", "2020-01-01", "2021-01-01", missing="2020-06-01"),
        Categorical("sex", ["F", "M"], other=True, missing="?"),
    ],
    label=Label("income", [True, False]),
    ignored={"id": "names people", 'a "b".c': "odd"},
    guessed=["sex", "income"],
)
TEXT = """\
format = 1

[label]
name = "income"
classes = [true, false]
private = true
guessed = true

[[column]]
name = "age"
kind = "numeric"
low = 17
high = 90
center = 38
cuts = [25, 40.5]
private = false

[[column]]
name = "seen"
kind = "numeric"
low = 2020-01-01
high = 2021-01-01
missing = 2020-06-01
private = true

[[column]]
name = "sex"
kind = "categorical"
categories = ["F", "M"]
other = true
missing = "?"
private = true
guessed = true

[ignored]
id = "names people"
"a \\"b\\".c" = "odd"
"""


def test_written_text_says_private_always_and_no_other_default():
    assert SCHEMA.to_toml() == TEXT


def test_text_makes_the_equal_schema():
    assert Schema.from_toml(TEXT) == SCHEMA
    assert Schema.from_toml(TEXT).guessed == ("sex", "income")
    assert Schema.from_toml(TEXT).column("seen").low == date(2020, 1, 1)


def test_what_is_left_out_is_private():
    text = TEXT.replace("private = true\n", "")
    assert Schema.from_toml(text) == SCHEMA
    assert Schema.from_toml(text.replace("private = false\n", "")) == SCHEMA.all_private()


def test_long_lists_are_broken_into_lines():
    schema = Schema([Categorical("c", [f"category {k}" for k in range(40)])], label=Label("y", [0, 1]))
    assert max(map(len, schema.to_toml().splitlines())) < 40
    assert Schema.from_toml(schema.to_toml()) == schema


@pytest.mark.parametrize("name", ["schema.toml", "run=3.toml"])
def test_paths_and_texts_that_are_paths(tmp_path, name):
    path = tmp_path / name
    path.write_text(TEXT, encoding="utf-8")
    assert Schema.from_toml(path) == SCHEMA
    assert Schema.from_toml(str(path)) == SCHEMA


def test_files_from_windows_editors(tmp_path):
    path = tmp_path / "schema.toml"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert Schema.from_toml(path) == SCHEMA
    assert Schema.from_toml(TEXT.replace("\n", "\r\n")) == SCHEMA


def test_unreadable_files(tmp_path):
    absent = tmp_path / "absent.toml"
    for source in (absent, str(absent), tmp_path, "", "x" * 5000, "a\0b"):
        with pytest.raises(SchemaError, match="Check the path"):
            Schema.from_toml(source)
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    with pytest.raises(SchemaError, match="UTF-8"):
        Schema.from_toml(tmp_path / "latin.toml")
    with pytest.raises(SchemaError, match="path or TOML text"):
        Schema.from_toml(3)


def test_a_line_with_an_equals_sign_is_text():
    with pytest.raises(SchemaError, match=r"one \[label\]"):
        Schema.from_toml("format = 1")
    with pytest.raises(SchemaError, match="Expected TOML in the schema text"):
        Schema.from_toml("x=" * 3000)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("format = 1", "format = 2", "format=2"),
        ("format = 1", "format = true", "format=True"),
        ("format = 1", 'format = "1"', "format='1'"),
        ("format = 1\n", "", "format=None"),
        ("format = 1", "format = 1 1", "line 1"),
        ("format = 1", "format = 1\nformatt = 2", "Did you mean 'format'"),
        ("[ignored]", "[ignore]", "Did you mean 'ignored'"),
        ('id = "names people"', "id = 3", r"\[ignored\]"),
        ("[label]", "[labels]", "Did you mean 'label'"),
        ("[label]", "[[label]]", r"one \[label\]"),
        ("classes = [true, false]\n", "", "classes in label 'income'"),
        ("classes = [true, false]", "classes = [true]", "two classes"),
        ('name = "income"', 'name = "age"', "label 'age'"),
        ('name = "income"', 'nome = "income"', r"\[label\], got 'nome'. Did you mean 'name'"),
        ("classes = [true, false]", 'kind = "numeric"', "'kind'"),
        ('name = "age"\n', "", r"name in \[\[column\]\] number 1"),
        ('name = "seen"', 'name = "age"', "'age' twice"),
        ('name = "seen"', 'name = ""', "name of a column"),
        ('kind = "categorical"', 'kind = "category"', "kind='category'"),
        ('kind = "categorical"', 'kind = ["numeric"]', "kind=a list"),
        ('kind = "categorical"\n', "", "kind=None"),
        ("center = 38", "centre = 38", "column 'age', got 'centre'. Did you mean 'center'"),
        ("center = 38", "center = 380", "center"),
        ("center = 38", "categories = [1]", "'categories'"),
        ("low = 17", 'low = "17"', "low"),
        ("low = 17", "low = true", "low"),
        ("low = 17", "low = nan", "finite"),
        ("low = 17", "low = 2020-01-01T00:00:00", "without a time"),
        ("low = 17\n", "", "low and high in column 'age', got one"),
        ('["F", "M"]', '"FM"', "a list"),
        ('["F", "M"]', '["F", 1]', "one kind"),
        ('["F", "M"]', '["F", 2020-01-01]', "something else"),
        ("private = false", 'private = "no"', "private"),
        ('missing = "?"', 'missing = "?"\nguessed = 1', "Expected TOML"),
        ("guessed = true\n\n[[column]]", 'guessed = "yes"\n\n[[column]]', "guessed of label 'income'"),
        ("[[column]]", "[[columns]]", "Did you mean 'column'"),
    ],
)
def test_refusals_name_the_entry(old, new, said):
    assert old in TEXT
    with pytest.raises(SchemaError, match=said):
        Schema.from_toml(TEXT.replace(old, new))


@pytest.mark.parametrize("entry", ["column = 3", "[column]\nname = 'a'", "column = [1]", "column = []"])
def test_columns_are_entries_in_two_brackets(entry):
    text = f"format = 1\nlabel = {{name = 'y', classes = [0, 1]}}\n{entry}\n"
    with pytest.raises(SchemaError, match="column"):
        Schema.from_toml(text)


@pytest.mark.parametrize("value", ["", "[" * 5000, "[" * 5000 + "]" * 5000, "{a = " * 5000, "9" * 5000])
def test_reading_leaves_no_foreign_error_behind(value):
    with pytest.raises(SchemaError) as caught:
        Schema.from_toml(f"format = {value}\n")
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None

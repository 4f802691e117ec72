"""`tacit schema review`: the page that it writes, and the review in the terminal, which stops and goes on."""

from __future__ import annotations

import polars as pl
import pytest
import typer
from typer.testing import CliRunner

from tacit.cli import review_prompts
from tacit.cli.app import app
from tacit.schema import Categorical, Identifier, Label, Numeric, Schema
from tacit.schema.draft import draft_toml

ROWS = pl.DataFrame(
    {
        "age": [17, 64, 33] * 20,
        "code": [1.5, 2.5, 3.5] * 20,
        "sex": ["F", "M", "F"] * 20,
        "note\n\x1b[31m": ["a", "b, c", '"d"'] * 20,
        "income": ["low", "high", "low"] * 20,
    }
)


@pytest.fixture
def files(tmp_path):
    table, schema = tmp_path / "people.parquet", tmp_path / "schema.toml"
    ROWS.write_parquet(table)
    schema.write_text(draft_toml(ROWS, "income"), encoding="utf-8")
    return table, schema


def review(files, *answers, options=()):
    typed = "".join(f"{answer}\n" for answer in answers)
    return CliRunner().invoke(app, ["schema", "review", *map(str, files), *options], input=typed)


def test_answers_are_kept_and_the_same_command_goes_on(files):
    first = review(files, "a", "c", "", "0", "120", "none")
    assert first.exit_code == 0 and "Why: " in first.output and "3 left to decide" in first.output
    kept = Schema.from_toml(files[1])
    assert kept.guessed == ("code", "sex", "note\n\x1b[31m") and kept.column("age") == Numeric(
        "age", 0, 120, whole=True
    )
    second = review(files, "x", "p", "a", "c", "", "a", "f", "y", "none")
    assert "income" not in second.output and "Everything is decided" in second.output
    done = Schema.from_toml(files[1])
    assert done.column("sex") == Categorical("sex", ["F", "M"], other=True, private=False)
    assert done.names == ("age", "sex", "note\n\x1b[31m") and dict(done.ignored) == {"code": "left out in the review"}
    assert "Everything is decided" in review(files).output
    assert "\x1b" not in first.output + second.output


def test_categories_are_struck_and_added_as_typed(files):
    done = review(files, "n", "n", "n", "n", "c", "", 'a, "b, c"', 'e, "f, g"', "y", "e")
    column = Schema.from_toml(files[1]).columns[-1]
    assert column.categories == ('"d"', "e", "f, g") and column.other and column.missing == "e"
    assert "4 left" in done.output


def test_later_undo_and_all_of_a_kind(files):
    before = Schema.from_toml(files[1])
    done = review(files, "n", "A", "n", "u", "n", "h", "u", "A", "y", "u", "q")
    assert "Accept these 2 as they are?" in done.output and done.exit_code == 0
    assert Schema.from_toml(files[1]) == before
    review(files, "n", "A", "y")
    assert Schema.from_toml(files[1]).guessed == ("sex", "note\n\x1b[31m", "income")


def test_a_refused_answer_is_said_and_asked_again(files):
    text = files[1].read_text(encoding="utf-8")
    done = review(files, "x", "n", "c", "", "120", "0", "none", "c", "neither", "c", "", "0", "x", "none", "")
    assert "Type one of" in done.output and "Expected low below high" in done.output
    assert "got kind='neither'" in done.output and "Expected a finite number" in done.output
    assert files[1].read_text(encoding="utf-8") == text


def test_a_number_becomes_categories_for_all_columns_of_its_entry(files):
    review(files, "a", "c", "categorical", "", "1, 2, 30", "n", "none")
    assert Schema.from_toml(files[1]).column("age") == Categorical("age", [1, 2, 30])


def test_buckets_and_a_struck_category_that_missing_cells_counted_as(files):
    column = Categorical("sex", ["F", "M"], missing="F")
    schema = Schema([Numeric("code", 0, 1), column], label=Label("income", ["low", "high"]), guessed=["code", "sex"])
    files[1].write_text(schema.to_toml(), encoding="utf-8")
    review(files, "c", "categorical", "256", "c", "", "F", "", "y", "")
    struck = Categorical("sex", ["M"], other=True, missing="missing")
    assert Schema.from_toml(files[1]).columns == (Categorical("code", buckets=256), struck)


def test_one_class_is_made_of_several(files):
    ROWS.with_columns(income=pl.Series(["low", "high", "none"] * 20)).write_parquet(files[0])
    schema = Schema([Numeric("age", 0, 100)], label=Label("income", ["a", "b", "c"]), guessed=["income"])
    files[1].write_text(schema.to_toml(), encoding="utf-8")
    review(files, "c", "", "d", "c, d")
    found = Schema.from_toml(files[1])
    assert found.label == Label("income", ["a", "b", "c", "d"], positive=["c", "d"]) and not found.guessed


@pytest.mark.parametrize("stopped", [KeyboardInterrupt, typer.Abort])
def test_ctrl_c_loses_no_answer(files, monkeypatch, stopped):
    answers = iter(["a"])

    def prompt(*_, **__):
        try:
            return next(answers)
        except StopIteration:
            raise stopped from None

    monkeypatch.setattr(review_prompts.typer, "prompt", prompt)
    done = review(files)
    assert "4 left to decide" in done.output and "income" not in Schema.from_toml(files[1]).guessed


def test_the_page_names_the_file_and_the_drafts_reasons(files):
    page = files[0].with_name("review.html")
    done = review(files, options=("--html", str(page)))
    assert done.exit_code == 0 and "5 to decide" in done.output and "do not pass it on" in done.output
    text = page.read_text(encoding="utf-8")
    assert "at most 50 different values" in text and "different values, the same" not in text
    assert '"file":"schema.toml"' in text and Schema.from_toml(files[1]).guessed[0] in text
    refused = review(files, options=("--html", str(files[1])))
    assert refused.exit_code == 1 and "also an input" in refused.output


def test_columns_that_share_an_entry_are_one_decision(files):
    rows = ROWS.with_columns(other_sex="sex", third_sex="sex")
    rows.write_parquet(files[0])
    drafted = CliRunner().invoke(
        app, ["schema", "draft", str(files[0]), "-l", "income", "-o", str(files[1]), "--force"]
    )
    assert drafted.exit_code == 0 and len(Schema.from_toml(files[1]).guessed) == 7
    assert "5 guesses" in drafted.stderr and f"schema review {files[0]} {files[1]} --html review.html" in drafted.stderr
    page = files[0].with_name("review.html")
    assert "5 to decide" in review(files, options=("--html", str(page))).output
    assert "4 left to decide" in review(files, "a").output


def test_a_schema_whose_table_cannot_be_drafted_is_reviewed_without_reasons(files):
    ROWS.with_columns(income=None).write_parquet(files[0])
    assert "4 left to decide" in review(files, "a").output
    schema = Schema([Numeric("age", 0, 1)], label=Label("nobody", [0, 1]), guessed=["age"])
    files[1].write_text(schema.to_toml(), encoding="utf-8")
    assert review(files, "a").exit_code == 1


def test_an_identifier_is_kept(files):
    schema = Schema(
        [Numeric("age", 0, 1)], label=Label("income", ["a", "b"]), guessed=["age"], identifier=Identifier(["who", "nr"])
    )
    files[1].write_text(schema.to_toml(), encoding="utf-8")
    review(files, "a")
    assert Schema.from_toml(files[1]).identifier == Identifier(["who", "nr"])


def test_a_stream_of_blank_answers_ends(files):
    text = files[1].read_text(encoding="utf-8")
    done = review(files, *[""] * 60)
    assert done.exit_code == 0 and done.output.count("Type one of") == 20 and "left to decide" in done.output
    assert files[1].read_text(encoding="utf-8") == text


def test_it_says_that_comments_are_lost_as_long_as_there_are_any(files):
    drafted = review(files, "q")
    assert "Comments in schema.toml are not kept" in drafted.output
    review(files, "a")
    assert "Comments in" not in review(files, "q").output
    files[1].write_text(files[1].read_text(encoding="utf-8") + "\n# mine\n", encoding="utf-8")
    assert "Comments in" in review(files, "q").output

"""The review in the terminal says all that a schema can, forgets nothing, and takes no telling texts in at once."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from typer.testing import CliRunner

from harness.review_answers import LABEL, TYPED, as_schema
from tacit.cli.app import app
from tacit.schema import Categorical, FileFormat, Identifier, Label, LearnedEntries, Numeric, Schema
from tacit.schema.entry_fields import FIELDS

ROWS = pl.DataFrame({"x": [1, 2], "number": [0, 1], "who": [1, 2], "y": ["no", "yes"]})


@pytest.fixture
def review(tmp_path):
    table, file = tmp_path / "people.csv", tmp_path / "schema.toml"
    ROWS.write_csv(table)

    def run(schema, *answers):
        file.write_text(schema.to_toml(), encoding="utf-8")
        typed = "".join(f"{answer}\n" for answer in answers)
        done = CliRunner().invoke(app, ["schema", "review", str(table), str(file)], input=typed)
        assert done.exit_code == 0, done.output
        run.output = done.output
        return Schema.from_toml(file)

    run.file = file
    return run


def answers_for(kind, name, before, typed):
    """Return the answers that go to an entry and say this field of it."""
    if kind == "table":
        return ["t", "c", *(typed if name == field.name else "" for field in FIELDS["table"])]
    line = ", ".join(typed) if isinstance(typed, list) else "y" if typed is True else typed
    struck = [""] if name in ("categories", "classes") else []
    return ["g", before.names[0], "f", name, *struck, line]


@pytest.mark.parametrize(("kind", "name"), TYPED)
def test_every_field_can_be_said(review, kind, name):
    before, typed, after = TYPED[kind, name]
    first = Numeric("first", 0, 1)  # an entry to decide, from which one goes to another

    def schema(entry):
        found = as_schema(entry)
        return replace(found, columns=[first, *found.inputs], guessed=["first"])

    assert review(schema(before), *answers_for(kind, name, before, typed)) == schema(after), review.output


def test_buckets_are_left_for_a_list_or_prefixes_and_made_of_a_list(review):
    buckets, schema = Categorical("x", buckets=8, salt="s"), Schema([Numeric("n", 0, 1)], label=LABEL)
    schema = replace(schema, columns=[buckets], guessed=["x"])
    assert review(schema, "c", "", "list", "a, b", "n", "none").columns == (Categorical("x", ["a", "b"]),)
    prefixes = review(schema, "c", "prefix", "list", "I, I21", "y", "none")
    assert prefixes.columns == (Categorical("x", ["I", "I21"], match="prefix", other=True),)
    listed = Categorical("x", ["a", "b"], other=True, missing="a", center="b", match="prefix", private=False)
    schema = replace(schema, columns=[listed])
    assert review(schema, "c", "buckets", "16").columns == (Categorical("x", buckets=16, private=False),)
    assert review(schema, "f", "buckets", "16").guessed == ("x",) and "buckets without" in review.output
    assert review(schema, "c", "categorical", "", "", "", "").columns == (replace(listed, match="value"),)


def test_what_was_decided_or_left_out_can_be_looked_at_again(review):
    schema = Schema([Numeric("x", 0, 1)], label=LABEL, ignored={"who": "why", "z": "because"})
    found = review(
        schema, "who", "c", "identifier", "", "z", "r", "kept elsewhere", "z", "h", "x", "f", "center", "0.5"
    )
    assert "Everything is decided. The name of an entry" in review.output
    assert found == Schema([Numeric("x", 0, 1, center=0.5)], label=LABEL, identifier=Identifier("who"))
    assert review(schema, "z", "r", "another", "who", "c", "numeric", "0", "9", "none").ignored == (("z", "another"),)
    assert review(schema, "nobody", "") == schema and "There is no entry of this name" in review.output


def test_texts_that_may_name_somebody_are_not_accepted_with_others(review):
    names = Categorical("who", ["Anna Meier", "Bo Li"])
    schema = Schema(
        [Categorical("x", ["a", "b"]), names, Categorical("z", ["c"])], label=LABEL, guessed=["x", "who", "z"]
    )
    assert review(schema, "A", "y").guessed == ("who",)
    assert "Accept these 2 as they are?" in review.output and "Not among them: who." in review.output
    assert review(schema, "n", "A", "n", "n", "a").guessed == ("x", "who")


def test_a_learned_entry_that_is_rewritten_is_no_longer_learned_and_its_cost_stays(review):
    learned = LearnedEntries(["x", "number", "y"], "{}")
    schema = Schema([Numeric("x", 0, 1), Numeric("number", 0, 1)], label=LABEL, learned=learned, guessed=["x"])
    found = review(schema, "c", "", "0", "2", "none", "number", "x")
    assert found.learned == LearnedEntries(["y"], "{}") and found.names == ("x",)


def test_what_people_wrote_into_the_file_is_kept(review):
    schema = Schema([Numeric("x", 0, 1)], label=LABEL, guessed=["x"], file=FileFormat(encoding="utf-8"))
    review(schema, "q")
    before, kept = (
        review.file.read_text(encoding="utf-8") + "# mine\n",
        review.file.with_name("schema.before-review.toml"),
    )
    review.file.write_text(before, encoding="utf-8")
    table = review.file.with_name("people.csv")
    for answers in ("q\n", "a\n"):
        done = CliRunner().invoke(app, ["schema", "review", str(table), str(review.file)], input=answers)
        assert "the file goes to schema.before-review.toml" in done.output
        assert kept.exists() == (answers == "a\n")
    assert kept.read_text(encoding="utf-8") == before and Schema.from_toml(review.file).guessed == ()


def test_a_file_that_was_changed_meanwhile_is_not_written_over(review, monkeypatch):
    from tacit.cli import review_prompts

    def prompt(*_, **__):
        review.file.write_text(theirs, encoding="utf-8")
        return next(answers)

    answers = iter(["a", "q"])
    schema = Schema([Numeric("x", 0, 1)], label=LABEL, guessed=["x"])
    theirs = replace(schema, label=Label("y", ["no", "yes"])).to_toml()
    monkeypatch.setattr(review_prompts.typer, "prompt", prompt)
    review(schema)
    assert "got a file that was changed since" in review.output
    assert review.file.read_text(encoding="utf-8") == theirs

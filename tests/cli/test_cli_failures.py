"""Bad input, bad output, bad settings: one line, the right exit code, nothing left behind, and no cell told."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from tacit.cli.app import app
from tacit.cli.failures import OneLineErrors
from tacit.errors import TableError


@pytest.fixture
def fit(run, table, schema, tmp_path):
    """Fit with changed arguments; the model must not be there after a failure."""

    def invoke(*more, code=1, **changed):
        out = tmp_path / "model.json"
        options = {"--schema": schema, "--epsilon": 1, "--out": out, "--learner": "brc"} | {
            f"--{k}": v for k, v in changed.items()
        }
        flat = [part for pair in options.items() for part in pair]
        message = run("fit", table, *flat, *more, code=code).stderr
        assert (code != 0) == (not out.exists())
        assert not [path for path in tmp_path.iterdir() if path.name.endswith(".part")]
        return message

    return invoke


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "inf", "1e9"])
def test_epsilon_must_make_sense(fit, epsilon):
    assert "epsilon" in fit(epsilon=epsilon)


@pytest.mark.parametrize("delta", ["-1e-9", "1", "nan", "0.1"])
def test_delta_must_make_sense(fit, delta):
    assert "delta" in fit(delta=delta)


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        ("rounds=0", "rounds"),
        ("rounds=-3", "rounds"),
        ("rounds=many", "a whole number or 'auto'"),
        ("rouns=3", "Did you mean 'rounds'"),
        ("rounds", "name=value"),
        ("epsilon=3", "--epsilon"),
        ("random-state=3", "--seed"),
        ("public_learner=x", "Python only"),
        ("intercept=zero-ish", "'uniform'"),
        ("c1=nan", "c1"),
    ],
)
def test_settings_must_be_the_learners(fit, assignment, said):
    assert said in fit("--set", assignment)


def test_a_setting_twice_is_refused(fit):
    assert "twice" in fit("--set", "rounds=1", "--set", "rounds=2")


def test_an_unknown_learner_lists_the_known(fit):
    assert "Choose one of auto" in fit(learner="bcr")


@pytest.mark.parametrize("arguments", [["fit"], ["fit", "x", "--nonsense"], ["nonsense"], ["--nonsense"], ["inspect"]])
def test_wrong_usage_is_code_two(run, arguments):
    assert "--help" in run(*arguments, code=2).stderr


def test_epsilon_that_is_no_number_is_wrong_usage(fit):
    assert "--epsilon" in fit(epsilon="much", code=2)


def test_outputs_are_checked_before_anything_is_spent(run, table, schema, tmp_path, monkeypatch):
    import tacit.table

    def spend(*arguments, **_):
        raise AssertionError("spent")

    monkeypatch.setattr(tacit.table, "read_source", spend)
    before = table.read_bytes()
    link = tmp_path / "link.csv"
    link.symlink_to(table)
    for out in (tmp_path / "no" / "m.json", tmp_path, table, link, schema, "/dev/null"):
        message = run("fit", table, "-s", schema, "-e", 1, "-o", out, code=1).stderr
        assert "--out" in message
    assert table.read_bytes() == before
    for command in (["schema", "draft", table, "--label", "income"], ["predict", tmp_path / "m.json", table]):
        assert "input" in run(*command, "--out", table, code=1).stderr


def test_a_folder_that_cannot_be_written_is_refused(run, table, schema, tmp_path, monkeypatch):
    import tempfile

    def refuse(dir=None, **more):
        raise PermissionError(13, "Permission denied", str(dir))

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    assert "writable" in run("fit", table, "-s", schema, "-e", 1, "-o", tmp_path / "m.json", code=1).stderr


def test_a_disk_that_fills_up_leaves_nothing(run, table, schema, tmp_path, monkeypatch):
    import os

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    out = tmp_path / "m.json"
    assert "No space left" in run("fit", table, "-s", schema, "-e", 1, "-o", out, code=1).stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "schema.toml"]


def rows(*lines):
    return "age,code,since,income\n" + "".join(line + "\n" for line in lines)


GOOD = "30,1,2010-01-01,high", "60,01,2011-01-01,low"
BAD_ROWS = {
    "": ["empty"],
    rows(): ["at least one row"],
    rows(*GOOD).replace("age", "aeg"): ["'age'"],
    rows(*GOOD).replace("income", "incom"): ["'income'"],
    rows(*GOOD, "old,1,2010-01-01,low"): ["'age'", "number"],
    rows(*GOOD, "NaN,1,2010-01-01,low"): ["'age'", "finite"],
    rows(*GOOD, "inf,1,2010-01-01,low"): ["'age'", "finite"],
    rows(*GOOD, "1,7,2010-01-01,low"): ["'code'", "categories"],
    rows(*GOOD, "1,,2010-01-01,low"): ["'code'", "categories"],
    rows(*GOOD, "1,1,yesterday,low"): ["'since'", "date"],
    rows(*GOOD, "1,1,2010-01-01,medium"): ["'income'", "classes"],
    rows(*GOOD, "1,1,2010-01-01,"): ["'income'", "missing = 'drop'"],
    rows(*GOOD).replace("age,", "code,"): ["twice"],
}


@pytest.mark.parametrize(("content", "said"), BAD_ROWS.items())
def test_bad_rows_name_the_column_and_the_remedy(fit, table, content, said):
    table.write_text(content)
    message = fit()
    for part in said:
        assert part in message


def test_most_bad_rows_can_be_counted_as_missing(fit, table):
    bad = ["old,1,2010-01-01,low", "inf,7,never,medium", ",,,", "1e308,01,1900-01-01,high"]
    table.write_text(rows(*GOOD, *bad))
    fit("--on-invalid", "coerce", code=0)


def test_numbers_out_of_bounds_count_as_the_bound(run, model, tmp_path):
    inside, outside = tmp_path / "inside.csv", tmp_path / "outside.csv"
    inside.write_text("age,code,since\n100,1,2020-12-31\n0,01,2000-01-01\n")
    outside.write_text("age,code,since\n1e30,1,2999-01-01\n-5,01,1900-01-01\n")
    assert run("predict", model, inside).stdout == run("predict", model, outside).stdout


def test_one_row_and_one_class(fit, table, schema):
    table.write_text(rows(GOOD[0]))
    fit(code=0)


def test_one_class_under_a_public_label_is_refused(fit, table, schema):
    schema.write_text(schema.read_text().replace("private = true", "private = false", 1))
    table.write_text(rows(GOOD[0], GOOD[0]))
    assert "one class" in fit()


def test_a_broken_model_is_refused(run, model, table, tmp_path):
    text = model.read_text()
    broken = tmp_path / "broken.json"
    contents = {
        text[: len(text) // 2]: "cut off",
        text.replace('"high": 100', '"high": 101'): "digest",
        '{"a": 1}': "another kind",
        "age,code\n1,2\n": "JSON",
        "[" * 100_000: "JSON",
        "": "JSON",
    }
    for content, said in contents.items():
        assert content != text
        broken.write_text(content)
        for arguments in (["inspect", broken], ["predict", broken, table], ["inspect", broken, "--json"]):
            result = run(*arguments, code=1)
            assert said in result.stderr
            assert result.stdout == ""
    assert "No such file" in run("inspect", tmp_path / "none.json", code=1).stderr


def test_a_broken_schema_is_refused(run, schema, table, fit):
    for content in ("", "not toml [", "format = 7\n", "{}\n"):
        schema.write_text(content)
        run("schema", "check", schema, code=1)
        fit()
    run("schema", "check", schema.parent / "none.toml", code=1)


def test_escape_codes_of_a_foreign_file_do_not_reach_the_terminal(run, schema, table, tmp_path):
    out = tmp_path / "m.json"
    schema.write_text(schema.read_text().replace('"age"', r'"\u001b[2Jage[red]\u202e"'))
    table.write_text(table.read_text().replace("age", "\x1b[2Jage[red]\u202e", 1))
    run("fit", table, "-s", schema, "-e", 1, "-o", out)
    for arguments in (["inspect", out], ["schema", "check", schema]):
        said = run(*arguments).output
        assert "\x1b" not in said
        assert "\u202e" not in said
        assert "age[red]" in said


TEXT, NUMBER = "ZQ-sentinel-QZ", "76543.219876"


@pytest.mark.parametrize("more", [[], ["--debug"], ["--json"], ["--on-invalid", "coerce"]])
def test_a_rare_cell_is_in_no_output_error_or_file(run, table, schema, tmp_path, caplog, recwarn, more):
    out = tmp_path / "model.json"
    said = []
    fits = ["fit", table, "-s", schema, "-e", 1, "-o", out, "--force", *more]
    planted = [
        rows(*GOOD, f"{NUMBER},1,2010-01-01,low"),
        rows(*GOOD, f"1,{TEXT},2010-01-01,low"),
        rows(*GOOD, f"{TEXT},1,2010-01-01,low"),
        rows(*GOOD, f"1,1,{TEXT},low"),
        rows(*GOOD, f"1,1,2010-01-01,{TEXT}"),
        rows(*GOOD, f"1,1,2010-01-01,low,{TEXT}"),
        rows(*GOOD, f'1,1,2010-01-01,"{TEXT}'),
        f"{TEXT},1,2010-01-01,low\n{NUMBER},1,2010-01-01,high\n",
    ]
    for content in planted:
        table.write_text(content)
        for arguments in (fits, ["inspect", out], ["predict", out, table]):
            result = CliRunner().invoke(app, [str(each) for each in arguments])
            said += [result.output, result.stderr, repr(result.exception)]
        said += [path.read_text() for path in tmp_path.iterdir() if path != table]
    assert out.exists()
    said += [caplog.text, *(str(warning.message) for warning in recwarn)]
    for text in said:
        assert TEXT not in text
        assert NUMBER[:8] not in text


def test_a_draft_rounds_numbers_and_leaves_rare_texts_out(run, table):
    lines = [f"{i},1,2010-01-01,high,text {i}" for i in range(60)] + [f"{NUMBER},1,2010-01-01,low,{TEXT}"]
    table.write_text("age,code,since,income,remark\n" + "\n".join(lines) + "\n")
    said = run("schema", "draft", table, "--label", "income").output
    assert TEXT not in said
    assert NUMBER[:5] not in said
    assert "high = 100000" in said


def failing(error):
    broken = typer.Typer(cls=OneLineErrors, pretty_exceptions_enable=False)

    @broken.callback()
    def root():
        pass

    @broken.command()
    def fail():
        raise error

    return CliRunner().invoke(broken, ["fail"])


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ValueError(TEXT), 1),
        (KeyError(TEXT), 1),
        (TableError("Expected this."), 1),
        (OSError(5, TEXT), 1),
        (MemoryError(), 1),
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(32, "pipe"), 141),
    ],
)
def test_exceptions_become_codes_and_foreign_words_are_withheld(error, code):
    result = failing(error)
    assert result.exit_code == code
    assert TEXT not in result.output
    assert "Traceback" not in result.output
    assert len(result.stderr.splitlines()) == (0 if code == 141 else 1)


def test_debug_shows_where_but_no_values(run, table, schema, tmp_path, monkeypatch):
    import tacit.table

    def broken(*_, **__):
        cells = TEXT
        raise ValueError(cells)

    monkeypatch.setattr(tacit.table, "read_source", broken)
    for arguments in (["--debug"], []):
        flat = ["fit", table, "-s", schema, "-e", 1, "-o", tmp_path / "m.json", *arguments]
        result = CliRunner().invoke(app, [str(each) for each in flat])
        assert ("test_cli_failures.py" in result.stderr) == bool(arguments)
        assert TEXT not in result.output
        assert "ValueError" in result.stderr


def test_json_of_a_check_is_json_only(run, schema):
    json.loads(run("schema", "check", schema, "--json").stdout)


def test_warnings_of_other_libraries_are_not_repeated(run, table, schema, tmp_path, monkeypatch):
    import warnings

    from tacit.estimators.brc import BRCFit

    fit, warned = BRCFit.fit_table, []

    def chatty(self, table):
        warned.append(1)
        warnings.warn("a cell holds 4711", UserWarning, stacklevel=1)
        return fit(self, table)

    monkeypatch.setattr(BRCFit, "fit_table", chatty)
    result = run("fit", table, "-s", schema, "-e", 1, "--learner", "brc", "-o", tmp_path / "m.json")
    assert warned
    assert "4711" not in result.stdout + result.stderr

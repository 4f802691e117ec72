"""`tacit compare`: what it refuses before a row is used, what it leaves, and that it goes on where it stopped."""

from __future__ import annotations

import json
import random
import shutil
import stat
import sys

import polars as pl
import pytest

from tacit.schema import Schema
from tacit.study.run import Store
from tacit.study.study import Study

QUICK = ("--learners", "naive-bayes", "--epsilons", "0.5,2", "--repeats", 2, "--workers", 1)
FILES = {"spec.toml", "store.sqlite", "results.csv", "results.parquet", "report.html"}
REFERENCES = 3
"""Beside private learners, where no column is public."""


@pytest.fixture
def study(tmp_path):
    return tmp_path / "study"


@pytest.fixture
def compared(run, table, schema, study):
    def compare(*options, code=0, table=table, schema=schema):
        usual = (pair for pair in zip(QUICK[::2], QUICK[1::2], strict=True) if pair[0] not in options)
        chosen = sum(usual, ()) if "--epsilons" not in options else ()
        return run("compare", table, "--schema", schema, "--out", study, *chosen, *options, code=code)

    return compare


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_a_comparison_leaves_a_table_files_and_a_warning_on_top(compared, study):
    result = compared()
    assert result.stdout.startswith("NOT PRIVATE")
    assert "not covered by the certificate" in result.stdout.split("people:")[0]
    assert "people: 150 training rows, 50 test rows; 2 of 3 columns private" in result.stdout
    assert names(study) == FILES
    assert stat.S_IMODE(study.stat().st_mode) == 0o700
    assert "not covered by the certificate" in (study / "report.html").read_text()
    frame = pl.read_parquet(study / "results.parquet")
    assert frame.equals(pl.read_csv(study / "results.csv", schema=frame.schema))
    assert frame.height == 2 * (2 + REFERENCES) and (frame["status"] == "done").all()
    assert f"{frame.height} fits." in result.stdout
    assert Study.from_toml(study / "spec.toml").repeats == 2
    assert result.stderr == ""


def test_what_is_shown_is_what_was_measured(compared, study):
    result = compared()
    frame = pl.read_parquet(study / "results.parquet")
    lines = [line for line in result.stdout.splitlines() if "naive-bayes" in line]
    for epsilon, cell in zip((0.5, 2.0), lines[0].split("│")[2:4], strict=True):
        own = frame.filter(pl.col("learner") == "naive-bayes", pl.col("epsilon") == epsilon)["accuracy"]
        assert cell.strip() == f"{100 * own.mean():.1f} ± {100 * own.std():.1f}"
    odds = next(line for line in result.stdout.splitlines() if "odds" in line)
    assert [cell.strip() for cell in odds.split("│")[2:4]] == ["x 1.65", "x 7.39"]


def test_other_measures_are_shown_without_privacy_too(compared, study):
    lines = compared().stdout.splitlines()
    frame = pl.read_parquet(study / "results.parquet")
    after = lines[next(at for at, line in enumerate(lines) if "Other measures" in line) :]
    base = next(line for line in after if "majority class" in line)
    own = frame.filter(pl.col("learner") == "baseline:majority")
    cells = base.removeprefix("majority class").split()
    assert cells == ["none", "50.0", "50.0", f"{own['log_loss'].mean():.3f}", f"{own['brier'].mean():.3f}"]
    assert after.index(base) > next(at for at, line in enumerate(after) if "naive-bayes" in line)


@pytest.fixture
def lopsided(tmp_path):
    """Nine of ten rows are of one class."""
    generator = random.Random(3)
    rows = [(generator.random(), "high" if at % 10 == 0 else "low") for at in range(200)]
    path, schema = tmp_path / "rare.csv", tmp_path / "rare.toml"
    path.write_text("x,y\n" + "".join(f"{0.5 * x + (0.5 if y == 'high' else 0)},{y}\n" for x, y in rows))
    schema.write_text(
        'format = 1\n[label]\nname = "y"\nclasses = ["high", "low"]\nprivate = true\n'
        '[[column]]\nname = "x"\nkind = "numeric"\nlow = 0\nhigh = 1\nprivate = true\n'
    )
    return {"table": path, "schema": schema}


def test_auc_leads_where_one_class_has_most_rows(compared, study, lopsided):
    result = compared(**lopsided)
    frame = pl.read_parquet(study / "results.parquet")
    share = frame["majority"].mean()
    assert share > 0.8
    assert "AUC (%), mean ± standard deviation over 2 splits" in result.stdout
    assert f"already right for {100 * share:.1f} % of the rows." in " ".join(result.stdout.split())
    # A path is not broken, so that it can be copied.
    assert [line for line in result.stdout.splitlines() if len(line) > 80 and str(study) not in line] == []
    for epsilon, cell in zip((0.5, 2.0), _line(result, "naive-bayes"), strict=True):
        own = frame.filter(pl.col("learner") == "naive-bayes", pl.col("epsilon") == epsilon)["auc"]
        assert cell.strip() == f"{100 * own.mean():.1f} ± {100 * own.std():.1f}"
    after = result.stdout[result.stdout.index("Other measures") :].splitlines()[1].split()
    assert after[:3] == ["epsilon", "accuracy", "balanced"]
    document = json.loads(compared("--json", **lopsided).stdout)
    assert [each["measure"] for each in document["leading"]] == ["auc"]


def test_accuracy_leads_where_classes_are_even(compared):
    result = compared()
    assert "Accuracy (%), mean" in result.stdout and " leads: " not in result.stdout


def test_the_same_command_computes_nothing_twice(compared, study):
    compared()
    first = pl.read_parquet(study / "results.parquet")
    assert "10 were there from an earlier run" in compared().stdout
    assert pl.read_parquet(study / "results.parquet").equals(first)


def test_more_epsilons_learners_and_repeats_add_to_it(compared, study):
    compared()
    more = ("--learners", "naive-bayes,tree", "--epsilons", "0.5,1,2", "--repeats", 3, "--workers", 1)
    assert "10 were there from an earlier run" in compared(*more).stdout
    assert pl.read_parquet(study / "results.parquet").height == 3 * (2 * 3 + REFERENCES)


@pytest.mark.parametrize(
    "other",
    [("--seed", 1), ("--test-share", 0.5), ("--folds", 2), ("--privacy", "all-private"), ("--on-invalid", "coerce")],
)
def test_a_folder_is_of_one_way_to_split_and_protect(compared, study, other):
    compared()
    before = (study / "results.csv").read_bytes()
    result = compared(*other, code=1)
    assert "whose study has others" in result.stderr
    assert (study / "results.csv").read_bytes() == before


def test_a_folder_of_another_table_is_refused(compared, table, study, tmp_path):
    compared()
    other = shutil.copy(table, tmp_path / "others.csv")
    compared(table=other, code=1)


def test_a_folder_that_holds_something_else_is_left_alone(compared, study):
    study.mkdir()
    (study / "letter.txt").write_text("dear")
    result = compared(code=1)
    assert "holds something else" in result.stderr
    assert names(study) == {"letter.txt"}


def test_a_folder_with_a_foreign_spec_is_left_alone(compared, study):
    study.mkdir()
    (study / "spec.toml").write_text("x = 1\n")
    compared(code=1)
    assert (study / "spec.toml").read_text() == "x = 1\n"


def test_what_a_killed_process_left_is_no_hindrance(compared, study):
    compared()
    for name in (".results.csv.x1.part", "store.sqlite-journal", ".report.html.y.part"):
        (study / name).touch()
    compared()


def test_an_empty_folder_is_shut_to_others(compared, study):
    study.mkdir(mode=0o755)
    compared()
    assert stat.S_IMODE(study.stat().st_mode) == 0o700


def test_a_file_is_no_folder_and_a_parent_must_be_there(run, table, schema, tmp_path):
    (tmp_path / "file").write_text("mine")
    run("compare", table, "--schema", schema, *QUICK, "--out", tmp_path / "file", code=1)
    run("compare", table, "--schema", schema, *QUICK, "--out", tmp_path / "none" / "study", code=1)
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--epsilons", "0.1,x"), "numbers between commas"),
        (("--epsilons", ""), "numbers between commas"),
        (("--epsilons", "0"), "from 1e-09 to 1e+06"),
        (("--epsilons", "-1,1"), "from 1e-09 to 1e+06"),
        (("--epsilons", "nan"), "from 1e-09 to 1e+06"),
        (("--epsilons", "inf"), "from 1e-09 to 1e+06"),
        (("--epsilons", "1e7"), "from 1e-09 to 1e+06"),
        (("--epsilons", "1,1.0"), "each epsilon once"),
        (("--learners", "magic"), "brc, lazybb"),
        (("--learners", "baseline:magic"), "baseline"),
        (("--learners", "brc,brc"), "twice"),
        (("--repeats", "0"), "repeats"),
        (("--folds", "1"), "cv"),
        (("--folds", "201"), "row for each fold"),
        (("--folds", "5", "--test-share", "0.1"), "Leave one out"),
        (("--test-share", "1"), "test_share"),
        (("--test-share", "0.001"), "too few"),
        (("--delta", "1"), "delta"),
        (("--delta", "-0.1"), "delta"),
        (("--data", "adult"), "one source of rows"),
        (("--simulate", "50"), "one source of rows"),
        (("--spec", "study.toml"), "with --spec"),
    ],
)
def test_refusals_come_before_a_row_is_used_or_a_file_written(run, table, schema, study, options, said):
    base = [] if "--epsilons" in options else ["--epsilons", "1"]
    result = run("compare", table, "--schema", schema, "--out", study, *base, *options, code=1)
    assert said in result.stderr
    assert not study.exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "Say where the rows come from"),
        (("--data", "adult"), "--epsilons"),
        (("--data", "adult", "--schema", "s.toml", "--epsilons", "1"), "has its own"),
        (("--data", "adlut", "--epsilons", "1"), "'adult'"),
        (("people.csv", "--epsilons", "1"), "--schema"),
        (("--simulate", "9", "--epsilons", "1"), "--schema"),
        (("--data", "adult", "--epsilons", "1", "--on-invalid", "coerce"), "--on-invalid"),
        (("--spec", "none.toml"), "none.toml"),
    ],
)
def test_rows_come_from_one_place(run, study, options, said):
    assert said in run("compare", "--out", study, *options, code=1).stderr
    assert not study.exists()


@pytest.mark.parametrize("simulate", ["0", "-3", "many"])
def test_a_number_of_rows_is_one(run, schema, study, simulate):
    run("compare", "--simulate", simulate, "--schema", schema, "--out", study, *QUICK, code=2)


def test_tables_are_refused_without_repeating_a_cell(compared, table, study):
    lines = table.read_text().splitlines()
    only = [lines[0], *(line for line in lines if ",high," in line)]
    table.write_text("\n".join(only) + "\n")
    said = compared(code=1).stderr
    assert "one class" in said and "high" not in said
    table.write_text("\n".join([*lines, "17,sentinel,2010-05-17,high,x"]) + "\n")
    assert "sentinel" not in compared(code=1).stderr
    table.write_text("\n".join(line.rsplit(",", 2)[0] for line in lines) + "\n")
    assert "'income'" in compared(code=1).stderr
    table.unlink()
    compared(code=1)
    assert not study.exists()


def test_a_learner_that_cannot_is_a_row_with_its_reason(run, tmp_path, study):
    generator = random.Random(0)
    text = (tmp_path / "schema.toml", tmp_path / "people.csv")
    text[0].write_text(
        'format = 1\n[label]\nname = "y"\nclasses = ["a", "b", "c"]\nprivate = true\n'
        '[[column]]\nname = "x"\nkind = "numeric"\nlow = 0\nhigh = 1\nprivate = true\n'
    )
    text[1].write_text("x,y\n" + "".join(f"{generator.random()},{generator.choice('abc')}\n" for _ in range(90)))
    options = ("--learners", "baseline:one-rule,naive-bayes", "--epsilons", "1,2", "--repeats", 2, "--workers", 1)
    result = run("compare", text[1], "--schema", text[0], "--out", study, *options)
    frame = pl.read_parquet(study / "results.parquet").filter(pl.col("status") == "failed")
    assert set(frame["learner"]) == {"baseline:one-rule"} and frame.height == 2
    line = next(line for line in result.stdout.splitlines() if line.startswith("failed: baseline:one-rule:"))
    assert "two classes" in line
    assert "2 of them failed" in result.stdout
    assert [cell.strip() for cell in _line(result, "baseline:one-rule")] == ["failed", "failed"]
    assert "±" in _line(result, "naive-bayes")[0]


def _line(result, learner):
    found = next(line for line in result.stdout.splitlines() if line.startswith(f"│ {learner} "))
    return found.split("│")[2:-1]


def test_a_delta_too_large_for_the_rows_fails_row_by_row(compared, study):
    result = compared("--delta", 0.1)
    assert "At delta 0.1." in result.stdout
    assert "failed: naive-bayes at epsilon 0.5, 2: " in result.stdout and "1/n_rows" in result.stdout
    assert names(study) == FILES


def test_nothing_but_failures_is_still_an_answer(compared, study):
    result = compared("--delta", 0.1, "--learners", "naive-bayes,baseline:logistic-public", "--privacy", "all-private")
    assert "6 fits, 6 of them failed" in result.stdout
    assert {"results.csv", "report.html"} < names(study)


def test_failed_rows_are_tried_again_when_asked(compared, study, monkeypatch):
    compared("--delta", 0.1)
    assert "10 were there" in compared("--delta", 0.1).stdout
    assert "6 were there" in compared("--delta", 0.1, "--retry-failed").stdout


def test_rows_made_up_have_no_identifier(run, schema, study):
    schema.write_text(schema.read_text() + '\n[identifier]\nname = "person"\nrows = 3\n')
    options = ("--simulate", 60, "--schema", schema, "--out", study, *QUICK)
    assert "Nobody's row was read" in run("compare", *options).stdout
    used = Schema.from_toml(study / "schema.toml")
    assert used.identifier is None and used.rows_per_person == 3
    again = run("compare", "--spec", study / "spec.toml", "--out", study, "--workers", 1)
    assert "Nobody's row was read" in again.stdout


def test_rows_from_a_schema_are_public_and_stay_the_same(run, schema, study):
    options = ("--simulate", 60, "--schema", schema, "--out", study, *QUICK)
    result = run("compare", *options)
    assert "Nobody's row was read" in result.stdout and "NOT PRIVATE" not in result.stdout
    assert "schema, simulated: 45 training rows" in result.stdout
    assert names(study) == FILES | {"simulated.csv", "schema.toml"}
    assert pl.read_csv(study / "simulated.csv").columns == ["age", "code", "since", "income"]
    assert "10 were there" in run("compare", *options).stdout
    refused = run("compare", "--simulate", 61, "--schema", schema, "--out", study, *QUICK, code=1)
    assert "Name another folder" in refused.stderr
    again = run("compare", "--spec", study / "spec.toml", "--out", study, "--workers", 1)
    assert "10 were there" in again.stdout
    assert "Nobody's row was read" in again.stdout and "NOT PRIVATE" not in again.stdout


def test_what_a_spec_calls_simulated_is_believed_only_if_it_is(run, table, schema, study, tmp_path):
    """The file's name and place prove nothing: people's rows there are private."""
    run("compare", "--simulate", 60, "--schema", schema, "--out", study, *QUICK)
    other = tmp_path / "other"
    other.mkdir()
    for name in ("spec.toml", "simulated.csv", "schema.toml"):
        (other / name).write_bytes((study / name).read_bytes())
    (other / "spec.toml").write_text((other / "spec.toml").read_text().replace(str(study), str(other)))

    def said(name):
        return run("compare", "--spec", other / "spec.toml", "--out", tmp_path / name, "--workers", 1).stdout

    assert "Nobody's row was read" in said("as-made")
    rows = (other / "simulated.csv").read_text()
    first, *rest = rows.splitlines(keepends=True)
    (other / "simulated.csv").write_text("".join([first, *reversed(rest)]))
    assert said("reordered").startswith("NOT PRIVATE")
    (other / "simulated.csv").write_bytes(table.read_bytes())
    assert said("people").startswith("NOT PRIVATE")
    (other / "simulated.csv").write_text(rows)
    spec = (other / "spec.toml").read_text()
    (other / "spec.toml").write_text("seed = 1\n" + spec)
    assert said("another-seed").startswith("NOT PRIVATE")
    with_guesses = (other / "schema.toml").read_text().replace('name = "age"', 'name = "age"\nguessed = true')
    (other / "schema.toml").write_text(with_guesses)
    (other / "spec.toml").write_text(spec)
    assert "with guesses" in said("guessed")


def test_the_most_private_table_of_a_spec_decides(run, table, schema, study, tmp_path):
    run("compare", "--simulate", 60, "--schema", schema, "--out", study, *QUICK)
    made = f'[[table]]\npath = "{study}/simulated.csv"\nschema = "{study}/schema.toml"\n'
    own = f'[[table]]\npath = "{table}"\nschema = "{schema}"\n'
    known = 'datasets = ["breast-cancer"]\n'
    rest = '[[learner]]\nlearner = "naive-bayes"\n'
    expected = {
        "public": (known, ""),
        "public too": (known, made),
        "simulated": ("", made),
        "private": ("", made + own),
    }
    for place, (kind, (named, tables)) in enumerate(expected.items()):
        spec = tmp_path / f"{place}.toml"
        spec.write_text(f"format = 1\n{named}epsilons = [1.0]\nrepeats = 1\n{tables}{rest}")
        found = run("compare", "--spec", spec, "--out", tmp_path / f"out-{place}", "--workers", 1, "--json").stdout
        assert json.loads(found)["rows"] == kind.split()[0]


def test_a_guessed_schema_is_named(run, schema, study):
    schema.write_text(schema.read_text().replace('name = "age"', 'name = "age"\nguessed = true'))
    result = run("compare", "--simulate", 60, "--schema", schema, "--out", study, *QUICK)
    assert "guessed" in result.stderr
    assert "with guesses" in result.stdout and "costs no privacy" not in result.stdout


def test_a_known_data_set_and_its_schema(run, study, tmp_path):
    result = run("compare", "--data", "breast-cancer", "--out", study, *QUICK)
    assert "public table" in result.stdout and "24 of 30 columns private" in result.stdout
    assert "logistic, public columns" in result.stdout
    other = tmp_path / "other"
    made = run("compare", "--data", "breast-cancer", "--simulate", 80, "--out", other, *QUICK)
    assert "breast-cancer, simulated: 60 training rows" in made.stdout


def test_everything_private(compared):
    result = compared("--privacy", "all-private")
    assert "3 of 3 columns private, and the label" in result.stdout
    assert "public columns" not in result.stdout


def test_folds_are_one_cross_validation_unless_said_otherwise(run, table, schema, study):
    options = ("--learners", "naive-bayes", "--epsilons", "1", "--workers", 1, "--folds", 4)
    result = run("compare", table, "--schema", schema, "--out", study, *options)
    assert "standard deviation over 4 splits" in result.stdout
    assert pl.read_parquet(study / "results.parquet")["fold"].unique().sort().to_list() == [0, 1, 2, 3]


def test_named_references_take_the_place_of_the_usual_ones(compared):
    shown = compared("--learners", "naive-bayes,baseline:majority").stdout
    assert "majority class" in shown and "logistic" not in shown


def test_a_spec_of_several_tables(run, table, schema, study, tmp_path, monkeypatch):
    spec = tmp_path / "spec.toml"
    spec.write_text(
        f'format = 1\ndatasets = ["breast-cancer"]\nepsilons = [1.0]\nrepeats = 1\ndeltas = [0.0, 1e-6]\n'
        f'[[table]]\npath = "{table.name}"\nschema = "{schema.name}"\n[[learner]]\nlearner = "naive-bayes"\n'
    )
    monkeypatch.chdir(tmp_path)
    result = run("compare", "--spec", spec.name, "--out", study, "--workers", 1)
    assert result.stdout.startswith("NOT PRIVATE")
    assert "breast-cancer: " in result.stdout and "people: " in result.stdout
    assert "naive-bayes, delta 1e-06" in result.stdout
    assert names(study) == FILES
    own = study / "spec.toml"
    own.write_text("# mine\n" + own.read_text())
    assert "4 were there" in run("compare", "--spec", own, "--out", study, "--workers", 1).stdout
    assert own.read_text().startswith("# mine")


def test_json_holds_the_same_numbers(compared, study):
    found = json.loads(compared("--json").stdout)
    assert (found["rows"], found["fits"], found["failed"]) == ("private", 10, 0)
    assert "not covered" in found["notice"]
    assert {path.rsplit("/", 1)[1] for path in found["files"]} == FILES
    means = {(each["learner"], each["epsilon"]): each["mean"] for each in found["settings"]}
    frame = pl.read_parquet(study / "results.parquet")
    own = frame.filter(pl.col("learner") == "naive-bayes", pl.col("epsilon") == 2.0)
    assert means["naive-bayes", 2.0] == pytest.approx(own["accuracy"].mean())


def test_the_page_needs_no_extra(compared, study, monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly", None)
    result = compared()
    assert "browser" in result.stdout
    assert "privacy_curve" not in result.stderr and "Plotly.react" in (study / "report.html").read_text()


def test_an_interruption_keeps_what_was_finished(compared, study, monkeypatch):
    put, kept = Store.put, []

    def interrupted(store, task, outcome):
        put(store, task, outcome)
        kept.append(task)
        if len(kept) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Store, "put", interrupted)
    study.mkdir()
    from typer.testing import CliRunner

    from tacit.cli.app import app

    result = CliRunner().invoke(
        app, ["compare", str(study.parent / "people.csv"), "--schema", str(study.parent / "schema.toml"), "--out",
              str(study), *map(str, QUICK)],
    )  # fmt: skip
    assert result.exit_code == 130
    assert "goes on from there" in result.stderr
    monkeypatch.setattr(Store, "put", put)
    assert "3 were there" in compared().stdout


def test_quiet_leaves_results(compared):
    assert compared("--quiet").stdout.startswith("NOT PRIVATE")


def test_no_cell_is_in_any_file(run, table, schema, study):
    lines = table.read_text().splitlines()
    table.write_text("\n".join(line.replace("whatever", "sentinel") for line in lines) + "\n")
    run("compare", table, "--schema", schema, "--out", study, *QUICK)
    for path in study.iterdir():
        assert b"sentinel" not in path.read_bytes(), path.name

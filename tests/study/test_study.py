"""A study crosses what its spec names, and says in one sentence what is wrong with a spec."""

from __future__ import annotations

import os
from dataclasses import fields

import polars as pl
import pytest

from tacit.errors import ParameterError, TableError
from tacit.study.fit import COLUMNS, fit_results
from tacit.study.run import Store
from tacit.study.study import DataSpec, LearnerSpec, Study

QUICK = {"repeats": 2, "epsilons": [0.5, 2.0]}


def study(learners=("naive-bayes", "baseline:majority"), datasets=("breast-cancer",), **more):
    return Study(datasets, learners, **QUICK | more)


@pytest.fixture
def people(tmp_path):
    """A table on disk, 40 rows, and its schema."""
    table = tmp_path / "people.csv"
    table.write_text("age,income\n" + "".join(f"{n + 20},{'high' if n > 19 else 'low'}\n" for n in range(40)))
    schema = tmp_path / "schema.toml"
    schema.write_text(
        'format = 1\n[label]\nname = "income"\nclasses = ["high", "low"]\nprivate = true\n'
        '[[column]]\nname = "age"\nkind = "numeric"\nlow = 0\nhigh = 100\ncuts = [39]\nprivate = false\n'
    )
    return DataSpec(table, schema)


def test_one_task_for_each_budget_and_one_a_split_without_privacy():
    tasks = study(deltas=[0.0, 1e-6], privacy=["as-declared", "all-private"]).tasks()
    assert len(tasks) == len(set(tasks)) == 2 * 2 * (2 * 2 + 1)
    baselines = [task for task in tasks if task.labels["kind"] == "baseline"]
    assert {(task.inputs["epsilon"], task.inputs["delta"]) for task in baselines} == {(None, None)}
    own = study([LearnerSpec("naive-bayes", deltas=[1e-5])], deltas=[0.0, 1e-6]).tasks()
    assert {task.inputs["delta"] for task in own} == {1e-5}


def test_all_learners_share_their_splits_and_folds_replace_shares():
    tasks = study(cv=3).tasks()
    splits = {task.inputs["learner"]: set() for task in tasks}
    for task in tasks:
        splits[task.inputs["learner"]].add(str(task.inputs["split"]))
    assert len(set(map(frozenset, splits.values()))) == 1
    assert {(task.inputs["repeat"], task.inputs["fold"]) for task in tasks} == {
        (r, f) for r in (0, 1) for f in range(3)
    }
    official = study(datasets=["adult"], split="official").tasks()
    assert len(set(official)) == len(official)
    assert official[0].inputs["split"] == {"kind": "official"}


def test_the_results_have_their_columns_and_types_whatever_was_run():
    found = study([LearnerSpec("naive-bayes", {"n_bins": 8}, name="NB"), "baseline:logistic"]).run(workers=1)
    assert dict(found.schema) == COLUMNS
    private, baseline = found.filter(kind="private"), found.filter(kind="baseline")
    assert (private.height, baseline.height) == (4, 2)
    assert private["name"].unique().to_list() == ["NB"]
    assert private["parameters"].unique().to_list() == ['{"n_bins": 8}']
    assert baseline["epsilon"].null_count() == baseline["delta"].null_count() == 2
    assert found["n_train"].unique().to_list() == [427]
    assert found["n_test"].unique().to_list() == [142]
    assert (found["n_columns"].unique().to_list(), found["fold"].null_count()) == ([30], 6)
    assert baseline["accuracy"].min() > 0.93
    assert private.filter(epsilon=2.0)["auc"].min() > 0.6
    assert dict(study(["tree"], repeats=1, epsilons=[1.0], cv=30).run(workers=1).schema) == COLUMNS


def test_values_that_no_fit_gives_are_refused():
    frame = pl.DataFrame({"key": ["k"], "accuracy": ["a lot"]})
    with pytest.raises(ParameterError, match="no fit gives") as caught:
        fit_results(frame)
    assert "a lot" not in str(caught.value)


def test_what_is_protected_changes_what_is_learned():
    found = study(["naive-bayes"], privacy=["as-declared", "all-private", "public-label"], repeats=1).run(workers=1)
    assert found["n_private_columns"].to_list() == [24, 24, 30, 30, 30, 30]
    assert found["accuracy"].n_unique() > 1


def test_names_change_rows_but_nothing_that_is_computed():
    store = Store(":memory:")
    first = study(["naive-bayes"]).run(store, workers=1)
    seen = []
    named = study([LearnerSpec("naive-bayes", name="other")]).run(store, workers=1, progress=seen.append)
    assert named["name"].unique().to_list() == ["other"]
    assert named.drop("name").equals(first.drop("name"))
    assert [step.done for step in seen] == [4]


def test_the_seed_changes_every_row():
    one, other = study(["naive-bayes"]).run(workers=1), study(["naive-bayes"], seed=1).run(workers=1)
    assert not set(one["seed"]) & set(other["seed"])
    assert (one["accuracy"] != other["accuracy"]).any()


def test_a_table_on_disk_is_known_by_path_size_and_time(people):
    store, small = Store(":memory:"), study(["baseline:one-rule"], [people], repeats=1)
    found = small.run(store, workers=1)
    assert (found["data"].item(), found["status"].item(), found["accuracy"].item()) == ("people", "done", 1.0)
    assert [task.key for task in small.tasks()] == found["key"].to_list()
    later = people.path.stat().st_mtime + 10
    os.utime(people.path, (later, later))
    again = small.run(store, workers=1)
    assert again["key"].item() != found["key"].item()
    with people.path.open("a") as stream:
        stream.write("50,low\n" * 8)
    assert small.run(store, workers=1)["n_train"].item() == 36
    assert len(store) == 3


def test_a_table_that_changes_while_the_study_runs_is_not_mixed_in(people):
    tasks = study(["baseline:one-rule"], [people], repeats=1).tasks()
    people.path.write_text("age,income\n1,low\n")
    from tacit.study.run import run

    assert run(tasks, Store(":memory:"), workers=1)["message"].item().startswith("Expected people.csv as it was when")


def test_nothing_of_the_table_is_in_the_tasks_or_in_what_a_failure_says(people):
    people.path.write_text("age,income\nSENTINEL,low\n" + "30,high\n" * 10)
    tasks = study([LearnerSpec("baseline:logistic", name="L")], [people]).tasks()
    assert set(tasks[0].inputs["file"]) == {"path", "size", "mtime_ns", "schema", "schema_digest", "on_invalid"}
    found = study(["baseline:logistic"], [people]).run(workers=1)
    assert found["error"].unique().to_list() == ["TableError"]
    assert "'age'" in found["message"][0]
    assert "SENTINEL" not in str(found.to_dicts())


def test_a_table_that_is_not_there_is_an_error_before_anything_runs(people):
    with pytest.raises(TableError, match="there is none"):
        study(datasets=[DataSpec("nowhere.csv", people.schema)]).tasks()


SPECS = [
    study(),
    study(
        ["brc", LearnerSpec("lazybb", {"density": 0.5}, name="lazy", deltas=[1e-5])],
        ["adult", DataSpec("a.csv", "b.toml", name="people", on_invalid="coerce")],
        deltas=[0.0, 1e-6],
        cv=5,
        balanced=True,
        privacy=["all-private", "public-label"],
        seed=7,
    ),
    study(["baseline:majority"], epsilons=[], repeats=3, split="official", test_share=0.1),
    study(datasets=[DataSpec("a.parquet", "s.toml")]),
]


@pytest.mark.parametrize("spec", SPECS)
def test_specs_survive_toml(spec):
    text = spec.to_toml()
    assert Study.from_toml(text) == spec
    assert Study.from_toml(text).to_toml() == text


def test_paths_in_a_file_are_relative_to_it(tmp_path, people):
    (tmp_path / "study.toml").write_text(SPECS[3].to_toml())
    [data] = Study.from_toml(tmp_path / "study.toml").datasets
    assert (data.path, data.schema) == (tmp_path / "a.parquet", tmp_path / "s.toml")


HEAD = 'format = 1\ndatasets = ["adult"]\nepsilons = [1]\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("format = 2\n", "format = 1"),
        ("x = [\n", "Expected TOML"),
        (HEAD + "repeat = 3\n", "Did you mean 'repeats'?"),
        (HEAD, "list of one or more learners"),
        (HEAD + '[learner]\nlearner = "brc"\n', r"\[\[learner\]\] entries"),
        (HEAD + '[[learner]]\nname = "x"\n', "'learner' in each"),
        (HEAD + '[[learner]]\nlearner = "brc"\nepsilon = 1\n', r"entries in \[\[learner\]\], got 'epsilon'"),
        (HEAD + '[[learner]]\nlearner = "brc"\nparameters = 3\n', "table of parameters"),
        (HEAD + '[[table]]\npath = "a"\n[[learner]]\nlearner = "brc"\n', "'schema' in each"),
        (HEAD.replace('["adult"]', '"adult"') + '[[learner]]\nlearner = "brc"\n', "list of one or more data sets"),
        (HEAD + "[[learner]]\nlearner = 1\n", "Expected learner in .* to be the name of a learner, got learner=1"),
        (HEAD + '[[learner]]\nlearner = "brc"\nname = 3\n', r"name in \[\[learner\]\] to be a text, got name=3"),
        (HEAD + '[[learner]]\nlearner = "brc"\ndeltas = 0.0\n', "list of numbers from 0 to below 1, got deltas=0.0"),
        (
            HEAD + '[[learner]]\nlearner = "brc"\ndeltas = ["a"]\n',
            "list of numbers from 0 to below 1, got 'a' among them",
        ),
        (HEAD + '[[table]]\npath = 1\nschema = "s"\n[[learner]]\nlearner = "brc"\n', "of a file, got path="),
        (
            HEAD + '[[table]]\npath = "a\\u0000"\nschema = "s"\n[[learner]]\nlearner = "brc"\n',
            "path of a file, got path=",
        ),
        (
            HEAD + '[[table]]\npath = "p"\nschema = "s"\nname = 4\n[[learner]]\nlearner = "brc"\n',
            r"name in \[\[table\]\] to be a text",
        ),
        (HEAD.replace("[1]", "[1" + 400 * "0" + "]") + '[[learner]]\nlearner = "brc"\n', "list of numbers above 0"),
    ],
)
def test_one_sentence_says_what_is_wrong_with_a_file(text, words):
    with pytest.raises(ParameterError, match=words) as caught:
        Study.from_toml(text)
    assert len(str(caught.value).splitlines()) == 1


def test_no_spec_where_none_is(tmp_path):
    with pytest.raises(ParameterError, match="no file"):
        Study.from_toml(tmp_path / "nowhere.toml")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"datasets": []}, "list of one or more data sets, got datasets=[]"),
        ({"datasets": ["adlt"]}, "Did you mean 'adult'?"),
        ({"datasets": ["adult", "adult"]}, "'adult' twice"),
        ({"learners": []}, "list of one or more learners, got learners=[]"),
        ({"learners": ["bcr"]}, "got learner='bcr'. Choose one of auto, boosted-trees, brc"),
        ({"learners": ["baseline:oracle"]}, "majority"),
        ({"learners": ["oracle:brc"]}, "oracle:brc"),
        ({"learners": ["brc", "brc"]}, "name="),
        ({"learners": "brc"}, "got learners='brc'"),
        ({"epsilons": []}, "at least one epsilon"),
        ({"epsilons": 1.0}, "list of numbers above 0, got epsilons=1.0"),
        ({"epsilons": ["1"]}, "above 0, got '1' among them"),
        ({"epsilons": [0.0]}, "above 0, got 0.0 among them"),
        ({"epsilons": [float("nan")]}, "above 0, got nan among them"),
        ({"deltas": []}, "at least one delta"),
        ({"deltas": [1.0]}, "below 1, got 1.0 among them"),
        ({"repeats": 0}, "repeats=0"),
        ({"repeats": 10**12}, "from 1 to 100000"),
        ({"repeats": 1.5}, "repeats=1.5"),
        ({"seed": -1}, "seed=-1"),
        ({"cv": 1}, "cv=1"),
        ({"cv": 3, "split": "official"}, "either cv or"),
        ({"test_share": 1.0}, "test_share=1.0"),
        ({"test_share": "half"}, "test_share='half'"),
        ({"balanced": "yes"}, "balanced='yes'"),
        ({"privacy": []}, "list of one or more cases, got privacy=[]"),
        ({"privacy": ["all"]}, "privacy='all'"),
        ({"privacy": ["as-declared", "as-declared"]}, "twice"),
        ({"split": "random"}, "split='random'"),
    ],
)
def test_one_sentence_says_what_is_wrong_with_a_study(wrong, words):
    with pytest.raises(ParameterError) as caught:
        study(**wrong)
    assert words in str(caught.value)


@pytest.mark.parametrize("spec", [("brc", {"round": 3}), ("brc", {"epsilon": 1.0}), ("baseline:majority", {"C": 1})])
def test_learners_take_their_own_parameters_only(spec):
    with pytest.raises(ParameterError, match="Expected parameters of"):
        LearnerSpec(*spec)


ODD = [None, True, 1, -1, 1.5, float("inf"), "x", b"x", [], {}, [None], [[]], [{}], {"x": 1}, object(), 10**400]


@pytest.mark.parametrize("name", [each.name for each in fields(Study)])
def test_whatever_stands_in_an_entry_gets_one_sentence(name):
    for value in ODD:
        try:
            study(**{name: value})
        except ParameterError as error:
            assert str(error).startswith("Expected") and len(str(error).splitlines()) == 1


@pytest.mark.parametrize("kind", [LearnerSpec, DataSpec])
def test_whatever_stands_in_an_entry_of_a_part_gets_one_sentence(kind):
    good = {"learner": "brc"} if kind is LearnerSpec else {"path": "a", "schema": "b"}
    for name in (each.name for each in fields(kind)):
        for value in ODD:
            try:
                kind(**good | {name: value})
            except ParameterError as error:
                assert str(error).startswith("Expected")


def test_an_entry_that_is_not_known_or_missing_in_python():
    with pytest.raises(ParameterError, match="Did you mean 'repeats'"):
        study(repeat=3)
    with pytest.raises(ParameterError, match="'datasets' in"):
        Study(learners=["brc"], epsilons=[1.0])

"""How the table of past studies is made."""

from __future__ import annotations

import numpy as np
import pytest

import benchmarks.advice.__main__ as command
from benchmarks.advice import experiments
from benchmarks.advice.experiments import CEILINGS, MAJORITY, _area, budgets, past_tasks, repeats, row_counts
from benchmarks.advice.public_tables import PublicTable, public_tables
from benchmarks.advice.rebuild import gathered, rebuild
from tacit.errors import ParameterError
from tacit.study.advice import PastStudies
from tacit.study.advice.past_studies import MAX_LOG_LOSS, by_measure
from tacit.study.learners import private_learners
from tacit.study.run import Store, Task
from tacit.study.run.measures import compute, find_measure
from tacit.study.run.store import Outcome
from tacit.study.run.tables import Tables

SAMPLE = {"data": "breast-cancer", "target": None, "rows": 60, "repeat": 0}


def fits(privacy="all-private", **changes) -> Task:
    asked = {"privacy": privacy, "budgets": [[1.0, 0.0]], "learners": ["naive-bayes"]}
    return Task("advice-scores", SAMPLE | asked | changes)


def baselines(*learners) -> list[Task]:
    return [Task("advice-baseline", SAMPLE | {"learner": learner}) for learner in learners]


def baseline_scores(accuracy) -> dict:
    others = {"balanced_accuracy": accuracy - 0.1, "brier": (1 - accuracy) / 2}
    return {"accuracy": accuracy, "auc": accuracy, "log_loss": 1 - accuracy} | others


def test_tables_are_public_schemas_with_nothing_guessed():
    tables = public_tables()
    assert len({table.name for table in tables}) == len(tables) >= 29
    for table in tables:
        private, label, partly = (table.schema(each) for each in ("all-private", "public-label", "partly-private"))
        assert not private.public_columns
        assert private.label.private
        assert not label.public_columns
        assert not label.label.private
        assert partly.public_columns
        assert partly.private_columns
        assert not partly.label.private
    assert PublicTable("wine-red").source == PublicTable("wine-white").source


def test_packaged_public_columns_stay_and_else_every_second_is_public():
    assert PublicTable("sepsis-survival").schema("partly-private").private_columns == ("age_years",)
    assert (
        PublicTable("haberman").schema("partly-private").private_columns
        == PublicTable("haberman").schema("all-private").names[::2]
    )


def test_another_target_is_no_column_and_has_its_classes():
    schema = PublicTable("abalone", "sex").schema("all-private")
    assert schema.label.name == "sex"
    assert len(schema.label.classes) == 3
    assert "sex" not in schema.names
    assert "rings" not in " ".join(schema.names).lower()
    with pytest.raises(ParameterError, match="categorical"):
        PublicTable("credit-default", "MARRIAGE").schema("all-private")


def test_each_setting_has_its_baselines_and_no_delta_reaches_one_over_rows():
    tasks = past_tasks([PublicTable("sepsis-survival")])
    assert len(set(tasks)) == len(tasks)
    samples = {(task.inputs["rows"], task.inputs["repeat"]) for task in tasks}
    assert len(samples) == sum(repeats(rows) for rows in row_counts(PublicTable("sepsis-survival")))
    for rows, repeat in samples:
        own = [task for task in tasks if (task.inputs["rows"], task.inputs["repeat"]) == (rows, repeat)]
        assert sorted(task.inputs["learner"] for task in own if "learner" in task.inputs) == sorted(
            (MAJORITY, *CEILINGS)
        )
        assert len(own) == 3 + 4
    assert all(
        delta < 1 / rows
        for rows in (60, 99_999, 10**6)
        for _, delta in budgets(PublicTable("adult"), rows, "all-private")
    )


def test_measures_have_names():
    assert find_measure("advice-scores") is experiments.scores
    assert find_measure("advice-baseline") is experiments.baseline


def test_a_fit_gives_the_same_again_and_another_repeat_another():
    generous = {"rows": 200, "budgets": [[50.0, 0.0]]}
    first, again = (compute(fits(**generous), Tables()).result["scores"] for _ in range(2))
    assert first == again
    assert first[0][:3] == [50.0, 0.0, "naive-bayes"]
    assert 0.8 < first[0][3] <= 1 and 0.8 < first[0][6] <= 1 and 0 < first[0][7] < 0.2
    assert compute(fits(**generous, repeat=1), Tables()).result["scores"] != first


def test_smaller_samples_are_part_of_larger_and_test_rows_are_others():
    few, many = (experiments._split(fits(rows=rows), "all-private") for rows in (60, 200))
    assert len(few.train_index) == 60
    assert set(few.train_index) < set(many.train_index)
    assert np.array_equal(few.test_index, many.test_index)
    assert len(few.test_index) == 569 - round(0.75 * 569)
    assert not set(many.train_index) & set(many.test_index)


def test_a_learner_that_refuses_counts_as_sure_and_never_right():
    refused = fits(learners=["naive-bayes", "tree"], budgets=[[1.0, 0.5]])  # no delta is that large
    outcome = compute(refused, Tables())
    assert [row[3:] for row in outcome.result["scores"]] == [[0.0, 0.0, MAX_LOG_LOSS, 0.0, 1.0]] * 2
    store = Store(":memory:")
    store.put(refused, outcome)
    for task in baselines(MAJORITY, CEILINGS[0]):
        store.put(task, Outcome("done", baseline_scores(0.6), 0.1))
    assert gathered(store, [refused, *baselines(MAJORITY, CEILINGS[0])]).accuracies.tolist() == [[0.0, 0.0]]


def test_repeats_are_averaged_and_the_ceiling_is_the_best_baseline():
    store, tasks = Store(":memory:"), []
    for repeat, right in ((0, 0.7), (1, 0.8)):
        task = fits(repeat=repeat, learners=["naive-bayes", "brc"])
        store.put(
            task,
            Outcome(
                "done",
                {
                    "scores": [
                        [1.0, 0.0, "naive-bayes", right, right, 0.4, right - 0.2, 0.25],
                        [1.0, 0.0, "brc", 0.5, 0.5, None, 0.5, 0.3],
                    ]
                },
                0.1,
            ),
        )
        tasks.append(task)
        for learner, accuracy in ((MAJORITY, 0.6), (CEILINGS[0], right + 0.1), (CEILINGS[1], 0.8)):
            task = Task("advice-baseline", SAMPLE | {"repeat": repeat, "learner": learner})
            store.put(task, Outcome("done", baseline_scores(accuracy), 0.1))
            tasks.append(task)
    past = gathered(store, tasks)
    (row,) = past.frame.rows(named=True)
    assert (row["table"], row["privacy"], row["rows"], row["repeats"]) == ("breast-cancer", "all-private", 60, 2)
    assert (row["majority"], row["ceiling"]) == pytest.approx((0.6, 0.85))
    assert (row["naive-bayes"], row["brc"]) == pytest.approx((0.75, 0.5))
    assert (row["auc of naive-bayes"], row["auc of ceiling"]) == pytest.approx((0.75, 0.85))
    assert (row["log-loss of naive-bayes"], row["log-loss of ceiling"]) == pytest.approx((0.4, 0.15))
    assert "log-loss of brc" not in row
    measured = {name: row[f"{name} of brc"] for name in ("balanced accuracy", "Brier score")}
    assert measured == {"balanced accuracy": pytest.approx(0.5), "Brier score": pytest.approx(0.3)}
    # The best baseline is right for 0.85 of the rows on average: 0.75 balanced, a Brier score of 0.075.
    assert by_measure(past, "balanced-accuracy").losses[0] == pytest.approx([0.25, 0.2])
    assert by_measure(past, "brier").losses[0] == pytest.approx([0.225, 0.175])
    assert by_measure(past, "log-loss").losses[0] * MAX_LOG_LOSS == pytest.approx([0.25])


def test_areas_of_several_classes_are_means_over_pairs_that_test_rows_have():
    truth = np.asarray([0, 0, 1, 1, 3, 3])
    likely = np.asarray([[6, 3, 1, 1], [4, 5, 1, 1], [3, 6, 1, 1], [5, 4, 1, 1], [2, 2, 1, 6], [1, 1, 1, 8]]) / 11
    # Classes 0 and 1: three of four pairs are in order by the probability of 0, and by that of 1 as many. The rows of 3
    # are apart from all others, and no test row is of class 2.
    assert _area(truth, likely) == pytest.approx((0.75 + 1 + 1) / 3)
    assert _area(truth[:4], likely[:4]) == pytest.approx(0.75)
    assert _area(truth[:2], likely[:2]) is None


def test_nothing_is_made_of_what_is_missing_or_failed():
    store = Store(":memory:")
    alone = [fits(), *baselines(MAJORITY)]
    with pytest.raises(ParameterError, match="every experiment"):
        gathered(store, alone)
    store.put(alone[0], Outcome("done", {"scores": [[1.0, 0.0, "naive-bayes", 0.7, 0.7, 0.5, 0.6, 0.2]]}, 0.1))
    store.put(alone[1], Outcome("done", baseline_scores(0.6), 0.1))
    with pytest.raises(ParameterError, match="every experiment"):
        gathered(store, alone)  # a constant answer is no ceiling
    store.put(baselines(CEILINGS[0])[0], Outcome("done", baseline_scores(0.8), 0.1))
    whole = [*alone, *baselines(CEILINGS[0])]
    assert gathered(store, whole).frame.height == 1
    failed = fits(repeat=1)
    store.put(failed, Outcome("failed", {"error": "ValueError", "message": "withheld"}, 0.1))
    with pytest.raises(ParameterError, match="every experiment"):
        gathered(store, [*whole, failed])


def test_a_table_of_past_studies_is_made_from_end_to_end_and_not_twice(monkeypatch):
    monkeypatch.setattr(experiments, "row_counts", lambda table: (100,))
    monkeypatch.setattr(experiments, "repeats", lambda rows: 1)
    monkeypatch.setattr(experiments, "EPSILONS", dict.fromkeys(experiments.EPSILONS, (20.0,)))
    store, seen = Store(":memory:"), []
    tables = [PublicTable("breast-cancer")]
    past = rebuild(store, tables=tables, workers=1, progress=lambda progress: seen.append(progress.done))
    assert seen == list(range(3 + 4 + 1))
    assert past.frame.height == 3 * 2
    assert past.learners == tuple(sorted(set(private_learners()) - {"auto"}))
    assert 0.9 < past.frame["auc of logistic"].mean() < 1
    assert past.frame["log-loss of logistic"].max() < np.log(2)
    assert past.frame["log-loss of ceiling"].mean() < past.frame["log-loss of logistic"].mean()
    assert (past.frame["ceiling"] > 0.85).all()
    # At a hundred rows logistic regression is a mean operator, whose threshold is the middle of both classes' scores.
    assert past.losses[:, past.learners.index("logistic")].max() < 0.2
    assert rebuild(store, tables=tables, workers=1, progress=lambda progress: seen.append(-1)).frame.equals(past.frame)
    assert seen.count(-1) == 1


def test_the_command_keeps_finished_fits_and_writes_the_table(tmp_path, monkeypatch, capsys):
    seen = []

    def rebuilt(store, *, tables, workers, progress):
        assert workers == 1
        seen.append(store.path)
        return PastStudies.packaged("number" if tables[-1].known.target else "class")

    monkeypatch.setattr(command, "rebuild", rebuilt)
    out = tmp_path / "past.parquet"
    command.main([str(out), "--workers", "1"])
    assert str(out) in capsys.readouterr().out
    assert PastStudies.read(out).frame.equals(PastStudies.packaged().frame)
    assert seen == [tmp_path / "past.parquet.store"]
    command.main([str(out), "--workers", "1", "--numbers"])
    assert PastStudies.read(out).outcome == "number"
    with pytest.raises(SystemExit):
        command.main([str(tmp_path / "none" / "past.parquet")])
    assert "folder" in capsys.readouterr().err

"""The external learners: names with versions, parameters with types, budgets where they are needed."""

import importlib.util

import pytest

from reproductions.external import ENVIRONMENTS, EXTERNAL, environment, find_external
from tacit.errors import ParameterError
from tacit.study.learners import spends_budget, unit_of
from tacit.study.study import LearnerSpec, Study


@pytest.mark.parametrize("each", ENVIRONMENTS.values(), ids=lambda each: each.name)
def test_every_package_is_pinned_and_the_one_in_the_name_to_its_version(each):
    lines = each.requirements.read_text().split()
    assert all(line.count("==") == 1 for line in lines)
    assert f"{each.package}=={each.version}" in lines


@pytest.mark.parametrize("each", ENVIRONMENTS.values(), ids=lambda each: each.name)
def test_scripts_have_the_models_of_the_registry_and_import_nothing_heavy(each):
    spec = importlib.util.spec_from_file_location("models", each.models)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert set(script.MODELS) == {learner.model for learner in EXTERNAL.values() if learner.environment is each}


def test_names_carry_versions():
    assert all(learner.environment.version in name for name, learner in EXTERNAL.items())
    assert len(EXTERNAL) == 17


def test_an_unknown_learner_is_refused_with_the_nearest_name():
    with pytest.raises(ParameterError, match=r"Did you mean 'external:opacus-1\.6\.0-logistic'"):
        LearnerSpec("external:opacus-logistic")


def test_an_unknown_environment_is_refused():
    with pytest.raises(ParameterError, match="name='opaque'"):
        environment("opaque")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"rounds": 3}, "got 'rounds'"),
        ({"steps": 1.5}, "a whole number"),
        ({"steps": True}, "a whole number"),
        ({"clip": "1"}, "a number"),
        ({"relation": "both"}, "relation='both'"),
        ({"encoding": 2}, "a text"),
    ],
)
def test_parameters_are_checked_before_anything_runs(parameters, words):
    with pytest.raises(ParameterError, match=words):
        LearnerSpec("external:opacus-1.6.0-logistic", parameters)


def test_whole_numbers_will_do_for_numbers():
    assert find_external("opacus-1.6.0-logistic").complete({"clip": 2})["clip"] == 2


def test_only_private_external_learners_have_budgets():
    assert spends_budget("external:interpret-0.7.8-dp-ebm") and not spends_budget("external:scikit-learn-1.9.1-tree")
    learners = ["external:scikit-learn-1.9.1-tree", "external:diffprivlib-0.6.6-tree"]
    study = Study(["breast-cancer"], learners, [0.1, 1.0], repeats=2)
    tasks = study.tasks()
    assert [task.inputs["epsilon"] for task in tasks] == [None, 0.1, 1.0] * 2
    assert {task.labels["kind"] for task in tasks} == {"external"}
    with pytest.raises(ParameterError, match="relation"):
        LearnerSpec("external:scikit-learn-1.9.1-tree", {"relation": "ours"})


def test_an_epsilon_that_is_passed_on_unchanged_protects_the_unit_of_the_library():
    opacus, logistic = "external:opacus-1.6.0-logistic", "external:diffprivlib-0.6.6-logistic"
    assert unit_of(opacus, {"relation": "theirs"}) == "add/remove one row"
    assert unit_of(opacus, {}) == unit_of(opacus, {"relation": "ours"}) == "replace one row"
    assert unit_of(logistic, {"relation": "theirs"}) == "replace one row"
    assert unit_of("external:scikit-learn-1.9.1-tree", {}) == unit_of("tree", {}) == ""


def test_the_unit_of_regressors_is_beside_them():
    units = {
        "external:interpret-0.7.8-dp-ebm-regressor": "add/remove one row",
        "external:opendp-0.16.0-line": "add/remove one row",
        "external:diffprivlib-0.6.6-linear": "replace one row",
        "external:diffprivlib-0.6.6-linear-centered": "replace one row",
    }
    for learner, unit in units.items():
        assert unit_of(learner, {"relation": "theirs"}) == unit and unit_of(learner, {}) == "replace one row"
    assert unit_of("external:scikit-learn-1.9.1-ridge", {}) == ""
    line = find_external("opendp-0.16.0-line")
    assert line.settings(line.complete({}), 1.0, 1e-6)["epsilon"] == 0.5


def test_settings_hold_the_converted_budget_and_what_is_the_models_own():
    learner = find_external("diffprivlib-0.6.6-forest")
    assert learner.settings(learner.complete({"max_depth": 3}), 0.4, None) == {
        "n_estimators": 10,
        "max_depth": 3,
        "epsilon": 0.2,
        "delta": 0.0,
    }
    assert learner.settings(learner.complete({"relation": "theirs"}), 0.4, 0.0)["epsilon"] == 0.4
    logistic = find_external("diffprivlib-0.6.6-logistic")
    assert logistic.settings(logistic.complete({}), 0.4, 0.0)["epsilon"] == 0.4


@pytest.mark.parametrize(("epsilon", "delta", "words"), [(None, 1e-5, "epsilon=None"), (1.0, 0.0, "delta=0")])
def test_a_missing_budget_is_refused(epsilon, delta, words):
    learner = find_external("interpret-0.7.8-dp-ebm")
    with pytest.raises(ParameterError, match=words):
        learner.settings(learner.complete({}), epsilon, delta)

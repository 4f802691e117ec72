"""Prediction sets of fitted models: what they cover of rows that were not there, and who is refused."""

from __future__ import annotations

import json
from math import pi, sqrt

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit import AutoClassifier, Identifier, Label, LogisticClassifier, NaiveBayesClassifier, Numeric, Schema, evaluate
from tacit.cli.app import app
from tacit.errors import ParameterError
from tacit.estimators.holdout import asked_of, halvings_for_sets
from tacit.estimators.set_plan import planned_sets
from tacit.privacy import Budget, PrivacyUnit

COLUMNS = [Numeric("a", -4, 4), Numeric("b", -4, 4)]


def drawn(n_rows, n_classes, seed):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n_rows, 2)).clip(-4, 4)
    return X, np.digitize(X[:, 0] + generator.normal(0, 0.7, n_rows), np.linspace(-0.5, 0.5, n_classes - 1))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_sets_of_fits_cover_each_class(n_classes):
    schema = Schema(COLUMNS, label=Label("y", list(range(n_classes))))
    fresh, truth = drawn(20_000, n_classes, 99)
    covered, together = [], []
    for seed in range(6):
        X, y = drawn(20_000, n_classes, seed)
        fitted = LogisticClassifier(schema, epsilon=2.0, holdout=0.3).fit(X, y)
        sets = fitted.predict_set(fresh, 0.9)
        assert sets.shape == (len(fresh), n_classes) and sets.dtype == bool
        assert sets[np.arange(len(fresh)), fitted.predict(fresh)].all()
        assert (sets <= fitted.model_.predict_set(fresh, 0.95)).mean() > 0.99
        marginal = fitted.predict_set(fresh, 0.9, by_class=False)
        together.append((marginal[np.arange(len(fresh)), truth].mean(), marginal.sum(axis=1).mean()))
        covered.append([sets[truth == each, each].mean() for each in range(n_classes)])
    assert (np.mean(covered, axis=0) >= 0.895).all()
    assert np.mean(together, axis=0)[0] >= 0.895 and np.mean(together, axis=0)[1] <= n_classes - 0.3
    assert sets.sum(axis=1).mean() < n_classes - 0.3


def test_who_is_refused():
    X, y = drawn(3000, 2, 0)
    schema = Schema(COLUMNS, label=Label("y", [0, 1]))
    with pytest.raises(ParameterError, match="Fit with holdout"):
        NaiveBayesClassifier(schema, epsilon=1.0).fit(X, y).predict_set(X)
    fitted = NaiveBayesClassifier(schema, epsilon=1.0, holdout=0.2).fit(X, y)
    for wrong in ({"coverage": 1.5}, {"coverage": "x"}, {"confidence": 0.0}, {"by_class": "no"}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            fitted.predict_set(X, **wrong)
    frame = pl.DataFrame({"who": np.arange(3000) // 2, "a": X[:, 0], "b": X[:, 1]})
    persons = Schema(COLUMNS, label=Label("y", [0, 1]), identifier=Identifier("who", rows=2))
    of_persons = NaiveBayesClassifier(persons, epsilon=3.0, holdout=0.4).fit(frame, y)
    with pytest.raises(ParameterError, match="count one together"):
        of_persons.predict_set(frame)
    assert of_persons.model_.sets() is None


def test_sets_of_persons_cover_rows_of_new_ones():
    """Of persons half have one row, the others seven, which are like each other."""
    schema = Schema(COLUMNS, label=Label("y", [0, 1]), identifier=Identifier("who", rows="mean"))

    def people(number, seed):
        draw = np.random.default_rng(seed)
        count = np.where(draw.random(number) < 0.5, 1, 7)
        who = np.repeat(np.arange(number), count)
        a = (draw.normal(size=number)[who] + 0.3 * draw.normal(size=len(who))).clip(-4, 4)
        frame = pl.DataFrame({"who": who, "a": a, "b": draw.normal(size=len(who)).clip(-4, 4)})
        return frame, (a + draw.normal(0, 0.7, len(who)) > 0).astype(int), 1.0 / count[who]

    fresh, truth, share = people(10_000, 99)
    covered = []
    for seed in range(4):
        frame, y, _ = people(8_000, seed)
        model = NaiveBayesClassifier(schema, epsilon=3.0, holdout=0.3).fit(frame, y).model_
        sets = model.predict_set(fresh)
        right = sets[np.arange(len(truth)), truth]
        covered.append([np.average(right[truth == each], weights=share[truth == each]) for each in (0, 1)])
        assert model.predict_set(fresh, confidence=0.9).sum() >= sets.sum() > 0
        assert model.predict_set(fresh, by_class=False).sum() < 2 * len(sets)
    assert (np.mean(covered, axis=0) >= 0.89).all() and sets.sum(axis=1).mean() < 1.7


def test_other_people_are_counted_at_the_edges_of_the_sets():
    for n_classes in (2, 3):
        X, y = drawn(30_000, n_classes, 3)
        schema = Schema(COLUMNS, label=Label("y", list(range(n_classes))))
        model = LogisticClassifier(schema, epsilon=2.0, holdout=0.3).fit(X, y).model_
        fresh, truth = drawn(20_000, n_classes, 98)
        found = evaluate(model, fresh, truth, epsilon=3.0, other_people=True)
        sets = model.predict_set(fresh)
        for each, own in zip(found.sets.classes, range(n_classes), strict=True):
            covered = sets[truth == own, own].mean()
            assert each.covered.low - 0.01 < covered < each.covered.high + 0.01
            assert each.covered.high - each.covered.low < 0.1
        # Within noise: levels that ended elsewhere would be off by up to 0.06.
        assert abs(found.sets.size - sets.sum(axis=1).mean()) < 0.01
        assert found.document()["sets"]["coverage"] == 0.9
        own = model.sets()
        assert [each.name for each in own.classes] == [str(each) for each in range(n_classes)]


def test_full_sets_are_said_before_the_fit():
    def plan(n_rows, epsilon, label, delta=0.0):
        return planned_sets(AutoClassifier(Schema(COLUMNS, label=label), epsilon=epsilon, delta=delta), n_rows, 0.2)

    three = plan(10_000, 0.3, Label("y", [0, 1, 2]))
    assert not three.counted and "scores are not counted" in next(three.lines())
    assert plan(100_000, 1.0, Label("y", [0, 1, 2])).always == ()
    rare = Label("y", [0, 1], prevalence=[0.97, 0.03])
    assert plan(20_000, 0.3, rare).always == ("1",) and plan(200_000, 1.0, rare).always == ()
    # What is said beforehand is so afterwards, wherever noise and rows fall.
    X = np.random.default_rng(0).normal(size=(20_000, 2)).clip(-4, 4)
    y = (X[:, 0] + X[:, 1] > 2.66).astype(int)
    for _ in range(3):
        found = LogisticClassifier(Schema(COLUMNS, label=rare), epsilon=0.3, holdout=0.2).fit(X, y).model_.sets()
        assert [each.always for each in found.classes] == [False, True]


def test_the_command_says_which_sets_will_be_full(tmp_path):
    schema = Schema(COLUMNS, label=Label("y", [0, 1], prevalence=[0.97, 0.03]))
    (tmp_path / "s.toml").write_text(schema.to_toml())
    asked = ["advise", "--schema", str(tmp_path / "s.toml"), "--rows", "20000", "--epsilon", "0.3", "--explain"]
    said = CliRunner().invoke(app, [*asked, "--holdout", "0.2"])
    assert said.exit_code == 0 and "will each have '1'" in " ".join(said.stdout.split()), said.output
    document = json.loads(CliRunner().invoke(app, [*asked, "--holdout", "0.2", "--json"]).stdout)
    assert document["sets"]["always"] == ["1"]


def test_the_command_writes_sets(tmp_path):
    X, y = drawn(20_000, 2, 1)
    schema = Schema(COLUMNS, label=Label("y", [0, 1]))
    model = LogisticClassifier(schema, epsilon=1.0, holdout=0.3).fit(X, y).model_
    model.save(tmp_path / "model.json")
    pl.DataFrame({"a": X[:50, 0], "b": X[:50, 1]}).write_csv(tmp_path / "new.csv")
    arguments = ["predict", str(tmp_path / "model.json"), str(tmp_path / "new.csv"), "--coverage", "0.9", "--json"]
    said = CliRunner().invoke(app, arguments)
    assert said.exit_code == 0, said.output
    rows = [json.loads(line) for line in said.stdout.splitlines()]
    names = np.asarray(["0", "1"])
    assert [row["y: set"] for row in rows] == [" or ".join(names[each]) for each in model.predict_set(X[:50])]
    assert {row["y: set"] for row in rows} == {"0", "1", "0 or 1"}
    said = CliRunner().invoke(app, [*arguments, "--marginal"])
    marginal = [json.loads(line)["y: set"] for line in said.stdout.splitlines()]
    sets = model.predict_set(X[:50], by_class=False)
    assert marginal == [" or ".join(names[each]) for each in sets]
    refused = CliRunner().invoke(app, [*arguments[:3], "--marginal"])
    assert refused.exit_code and "Add --coverage" in refused.stderr


def test_levels_are_no_more_than_leave_the_rarest_class_sets():
    """Noise of deviation d on 2^h + 1 counts, sqrt(2/pi) d sqrt(2^h + 1), is at most half of a tenth of the rows."""
    d, rows = 3.5355, 180
    assert [halvings_for_sets(most, d, rows) for most in (2, 3, 4, 5)] == [2, 3, 3, 3]
    assert sqrt(2 / pi) * d * sqrt(9) <= 0.05 * rows < sqrt(2 / pi) * d * sqrt(17)
    # Where even the fewest levels are too many nothing is given up for sets.
    assert halvings_for_sets(4, d, 20) == 4 and halvings_for_sets(4, 0.0, 20) == 4
    unit, budget = PrivacyUnit(("a", "b"), label=True), Budget(1.0)
    found = [asked_of(6_000, 2, unit, budget, rarest=share).halvings for share in (None, 0.5, 0.03)]
    assert found[0] == found[1] > found[2] == 3
    declared = Label("y", [0, 1], prevalence=[0.97, 0.03])
    X = np.random.default_rng(0).normal(size=(30_000, 2)).clip(-4, 4)
    y = (X[:, 0] + X[:, 1] > 2.66).astype(int)
    for label, levels in ((declared, 9), (Label("y", [0, 1]), 17)):
        held_out = LogisticClassifier(Schema(COLUMNS, label=label), epsilon=1.0, holdout=0.2).fit(X, y).model_.held_out
        assert held_out.max_levels == levels and len(held_out.edges) < levels

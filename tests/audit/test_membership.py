"""Membership tests: what they find of classifiers that tell all, nothing, or exactly what epsilon allows."""

from __future__ import annotations

import json
from contextlib import closing
from math import e

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit import Categorical, Identifier, Label, Numeric, Schema
from tacit.audit import Claim
from tacit.audit import membership as attacks
from tacit.audit.membership import allowed_auc, allowed_power, membership_tests
from tacit.audit.membership_game import MembershipGame
from tacit.audit.runs import RunStore
from tacit.cli.app import app
from tacit.errors import ParameterError, TableError
from tacit.report.audit_figures import membership
from tacit.study.simulate import simulate

SCHEMA = Schema(
    [Numeric("age", 0, 90), Categorical("sex", ["f", "m"], private=False), Numeric("pay", 0, 1)],
    label=Label("y", ["no", "yes"]),
)
GAME = MembershipGame.made_up(SCHEMA, 3)


class Answering:
    """Its score of a row says whether the row was there: truly with the probability that epsilon admits."""

    classes_ = np.asarray(["no", "yes"])

    def __init__(self, epsilon, seed):
        self.truth, self.generator = 1 / (1 + e**-epsilon), np.random.default_rng(seed)

    def fit(self, frame, labels):
        self.known = set(frame["age"].to_list())
        return self

    def decision_function(self, frame):
        there = np.asarray([age in self.known for age in frame["age"].to_list()])
        said = np.where(self.generator.random(len(there)) < self.truth, there, ~there)
        own = np.where(GAME.target_labels.to_numpy() == "yes", 1.0, -1.0)
        return own * np.where(said, 1.0, -1.0)


def report(factor=1.0, n_fits=40):
    seeds = iter(range(10_000))
    return membership_tests(
        lambda epsilon: Answering(factor * min(epsilon, 500.0), next(seeds)), Claim(1.0), GAME, n_fits=n_fits, seed=1
    )


@pytest.fixture(scope="module")
def exact():
    return report()


def test_what_a_claim_allows_by_hand():
    """Through (0, delta), where e^epsilon a + delta and 1 - a meet, (1 - delta, 1) and (1, 1)."""
    assert allowed_power(Claim(1.0, 0.1), 0.01) == pytest.approx(0.01 * e + 0.1)
    assert allowed_power(Claim(1.0), 0.5) == pytest.approx(1 - 0.5 / e)
    assert allowed_auc(Claim(1.0)) == pytest.approx(e / (1 + e))
    # From (0, 0.2) over (0.4, 0.6) to (0.8, 1): 0.4 * 0.4 + 0.4 * 0.8 + 0.2.
    assert allowed_auc(Claim(0.0, 0.2)) == pytest.approx(0.68)
    assert allowed_auc(Claim(0.0, 1.0)) == 1.0


def test_randomized_response_is_found_as_far_as_its_epsilon_admits_and_no_further(exact):
    simple = next(one for one in exact.private if one.attack == "one threshold")
    assert simple.auc.low <= allowed_auc(Claim(1.0)) <= simple.auc.high
    assert simple.auc.high - simple.auc.low < 0.06
    assert not exact.exceeds
    assert all(one.auc.value > 0.99 for one in exact.exposed)
    assert all(one.found[0].value > 0.9 for one in exact.exposed)


def test_a_learner_with_three_times_the_epsilon_is_seen_to_exceed():
    """At a false alarm in ten it finds 0.95 of the members, where 0.27 are allowed."""
    assert report(3.0, n_fits=16).exceeds


def test_scores_that_ignore_the_rows_are_guessing():
    found = membership_tests(lambda epsilon: Constant(), Claim(1.0), GAME, n_fits=16, seed=0)
    assert all(one.auc.value == pytest.approx(0.5, abs=0.1) for one in (*found.private, *found.exposed))


class Constant(Answering):
    def __init__(self):
        super().__init__(1.0, 0)

    def decision_function(self, frame):
        return np.zeros(len(frame))


def test_members_and_those_in_their_places_have_the_same_public_cells():
    assert GAME.targets["sex"].equals(GAME.others["sex"])
    assert not GAME.targets["age"].equals(GAME.others["age"])
    assert (GAME.target_labels != GAME.other_labels).all()
    public = MembershipGame.made_up(Schema(SCHEMA.columns, label=Label("y", ["no", "yes"], private=False)), 3)
    assert public.target_labels.equals(public.other_labels)
    members = np.arange(len(GAME.target_labels)) < 30
    frame, labels = GAME.table(members)
    assert len(frame) == len(labels) == 1000
    assert set(GAME.targets["age"][:30].to_list()) <= set(frame["age"].to_list())
    assert not set(GAME.targets["age"][30:].to_list()) & set(frame["age"].to_list())
    assert set(GAME.others["age"][30:].to_list()) <= set(frame["age"].to_list())


def test_an_attacked_fit_is_none_of_its_own_shadow_models():
    """Scores are noise: with itself among the shadow models a fit would be found."""
    generator = np.random.default_rng(0)

    class Noise(Constant):
        def decision_function(self, frame):
            return generator.normal(size=len(frame))

    found = membership_tests(lambda epsilon: Noise(), Claim(0.0), GAME, n_fits=8, seed=0)
    assert found.private[0].auc.value < 0.55


def test_too_few_fits_persons_and_public_schemas_are_refused():
    with pytest.raises(ParameterError, match="8 fits or more"):
        report(n_fits=7)
    persons = Schema(SCHEMA.columns, label=SCHEMA.label, identifier=Identifier("who", rows=2))
    with pytest.raises(ParameterError, match="without an identifier"):
        MembershipGame.made_up(persons, 0)
    public = Schema([Numeric("age", 0, 90, private=False)], label=Label("y", ["no", "yes"], private=False))
    with pytest.raises(ParameterError, match="all is public"):
        MembershipGame.made_up(public, 0)


def test_the_command_says_and_writes_it(tmp_path):
    schema, out = tmp_path / "schema.toml", tmp_path / "found"
    schema.write_text(SCHEMA.to_toml())
    arguments = ["audit", "--learner", "naive-bayes", "-e", "1", "-s", str(schema), "--membership", "8", "-o", str(out)]
    said = CliRunner().invoke(app, arguments)
    assert said.exit_code == 0, said.output
    assert max(map(len, said.stdout.partition("Without noise the best")[0].splitlines())) <= 85
    document = json.loads((out / "membership.json").read_text())
    assert document["allowed"] == pytest.approx([0.01 * e, 0.1 * e])
    assert "at most, by the claim" in (out / "membership.html").read_text()
    refused = CliRunner().invoke(app, [*arguments[:-2], "--minutes", "1"])
    assert refused.exit_code == 1 and "--membership" in refused.stderr


def test_kept_fits_are_not_fitted_again(tmp_path, monkeypatch):
    """A call of fewer fits has other members, so none of its fits is taken for another's."""
    monkeypatch.setattr(attacks, "_RESAMPLED", 5)  # which fits are made does not depend on intervals
    made = []
    with closing(RunStore(tmp_path / "runs.sqlite")) as store:

        def attack(n_fits):
            made.clear()
            return membership_tests(make, Claim(1.0), GAME, n_fits=n_fits, seed=1, store=store)

        def make(epsilon):
            made.append(epsilon)
            return Answering(min(epsilon, 500.0), len(made))

        first = attack(8)
        assert len(made) == 16
        assert attack(8) == first and not made
        attack(9)
        assert len(made) == 9 + 1  # those at the claim begin with the same members


def real_rows(n_rows=260):
    frame, labels = simulate(SCHEMA, n_rows, 9)
    return frame.with_columns(age=pl.Series([20.0 + at / 8 for at in range(n_rows)])), labels


def test_real_targets_are_the_tables_rows_and_each_row_has_one_place():
    frame, labels = real_rows()
    game = MembershipGame.of_rows(frame, labels, SCHEMA, 4)
    assert game.real and game.n_rows == 160
    parts = [game.rows["age"], game.targets["age"], game.others["age"]]
    assert sorted(pl.concat(parts).to_list()) == frame["age"].to_list()
    assert game.targets["sex"].equals(game.others["sex"])
    by_age = dict(zip(frame["age"], zip(frame["sex"], frame["pay"], labels, strict=True), strict=True))
    for age, sex, pay, label in zip(*game.targets, game.target_labels, strict=True):
        assert by_age[age] == (sex, pay, label)
    assert [by_age[age][2] for age in game.others["age"]] == game.other_labels.to_list()
    other = MembershipGame.of_rows(frame, labels, SCHEMA, 5)
    assert set(other.targets["age"]) != set(game.targets["age"])
    assert MembershipGame.of_rows(frame, labels, SCHEMA, 4).targets.equals(game.targets)


def test_under_a_public_label_who_takes_a_place_has_its_label():
    frame, labels = real_rows()
    public = Schema(SCHEMA.columns, label=Label("y", ["no", "yes"], private=False))
    game = MembershipGame.of_rows(frame, labels, public, 4)
    assert game.other_labels.equals(game.target_labels)


def test_too_few_real_rows_and_cells_that_the_schema_does_not_admit_are_refused():
    with pytest.raises(ParameterError, match="more than 200 rows"):
        MembershipGame.of_rows(*real_rows(200), SCHEMA, 0)
    frame, labels = real_rows()
    with pytest.raises(TableError, match="'sex'"):
        MembershipGame.of_rows(frame.with_columns(sex=pl.lit("x")), labels, SCHEMA, 0)
    with pytest.raises(TableError):
        MembershipGame.of_rows(frame, pl.Series("y", ["maybe"] * 260), SCHEMA, 0)


def test_the_picture_has_the_bound_of_the_claim(exact):
    drawn = {trace["name"]: trace for trace in membership(exact)["data"]}
    bound = drawn["at most, by the claim"]
    assert bound["y"][0] == pytest.approx(e * bound["x"][0]) and bound["y"][-1] == 1.0
    assert pl.Series(drawn["without noise"]["y"]).max() == 1.0

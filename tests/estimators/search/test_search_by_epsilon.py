"""A search paid in epsilon: its runs are within their budget, the best leaves, and nothing tells their number."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest

from harness.flipped_labels import PAIRS, SCHEMA
from tacit import Label, LogisticClassifier, NaiveBayesClassifier, Numeric, PaidSearch, Schema, TreeClassifier
from tacit.audit import Claim, replay
from tacit.audit.certificate import CertifiedClaim, audit_certificate
from tacit.errors import ParameterError, PrivacyError
from tacit.estimators import forget_fits, spent
from tacit.estimators.search import by_epsilon, by_rows, price
from tacit.estimators.search.candidates import candidates_of
from tacit.ledger import UNIT, Account, Ledger
from tacit.mechanisms import SimulatedNoise
from tacit.privacy import Accountant, Budget, PrivacyUnit, observing
from tacit.privacy.conversions import zcdp_rho
from tacit.privacy.random_runs import UNSEEN_RUNS, RandomRuns

WIDE = Schema([Numeric("a", -1, 1), Numeric("b", -1, 1)], label=Label("y", ["no", "yes"]))
X = pl.DataFrame(np.random.default_rng(0).uniform(-1, 1, (4000, 2)), schema=["a", "b"])
Y = np.where((X["a"] > 0.2) | (X["b"] > 0.6), "yes", "no")
BAD = TreeClassifier(WIDE, max_splits=1)


def search(**given):
    usual = {"estimator": BAD, "grid": {"max_splits": [1, 6]}, "epsilon": 4.0, "random_state": 0, "pay": "epsilon"}
    return PaidSearch(**{**usual, **given})


def tiny(**given):
    estimator = NaiveBayesClassifier(SCHEMA, cut_points="grid", calibration=0.0, n_bins=2)
    usual = {"epsilon": 8.0, "rows": 0.5, "scoring": "accuracy", "pay": "epsilon"}
    return PaidSearch(estimator, {"n_bins": [8]}, **{**usual, **given})


@pytest.fixture(autouse=True)
def _a_search_that_few_rows_pay_for(monkeypatch):
    monkeypatch.setattr(price, "MIN_SIGNAL_OF_RUN", 1.0)
    monkeypatch.setattr(price, "MIN_ROWS", 10)
    forget_fits()


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_certificate_holds_the_best_run_alone_within_what_one_may_cost(delta):
    fitted = search(delta=delta, random_state=None).fit(X, Y)
    privacy = fitted.privacy_
    assert (privacy.status, privacy.epsilon, privacy.delta) == ("private", 4.0, delta)
    assert privacy.runs == search(delta=delta).cost(4000).runs and UNSEEN_RUNS in privacy.assumptions
    for number in (1, 2):
        lines = [line for line in privacy.releases if line.asked.endswith(f"(slice {number} of 2)")]
        limit = privacy.runs.rho(Budget(4.0, delta)) if delta else 2.0
        assert sum(line.loss for line in lines) == pytest.approx(limit, rel=1e-6)
    assert spent(WIDE).fits == 1
    found = audit_certificate(CertifiedClaim("search", privacy))
    assert found.verdict == "not refuted" and found.bound == pytest.approx(4.0, rel=1e-3)
    assert found.half_noise > 4.0


def test_a_planted_bad_default_is_replaced():
    chosen = [search(random_state=seed).fit(X, Y).best_params_["max_splits"] for seed in range(12)]
    assert chosen.count(6) >= 7


@pytest.mark.parametrize(("splits", "usual"), [([2, 3], 0), ([2, "auto"], 2)])
def test_every_second_run_is_of_our_own_default_or_the_first(splits, usual):
    """As every fifth search has one run alone."""
    found = candidates_of(BAD, {"max_splits": splits}, "log-loss")
    drawn = by_epsilon.EpsilonSearch(found, "log-loss", search().cost(4000))
    noise = SimulatedNoise(1)
    counts = np.bincount([drawn._drawn(noise) for _ in range(2000)], minlength=3)
    assert abs(counts[usual] - 1000) < 100 and abs(np.delete(counts, usual) - 500).max() < 100


def test_the_best_of_many_runs_is_the_better_candidate(monkeypatch):
    monkeypatch.setattr(by_epsilon, "number_of_runs", lambda noise, stop: 14)
    assert all(search(random_state=seed).fit(X, Y).best_index_ == 1 for seed in range(3))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_one_run_is_within_its_budget_and_half_the_noise_is_not(delta, monkeypatch):
    monkeypatch.setattr(by_epsilon, "number_of_runs", lambda noise, stop: 1)
    one = tiny(delta=delta).cost(200).budget
    found = replay(lambda: tiny(delta=delta), PAIRS, claim=Claim(one.epsilon, delta))
    assert found.verdict == "not refuted"
    assert one.epsilon / 2 < found.bound <= one.epsilon * (1 + 1e-6)
    assert [control.name for control in found.controls if control.caught != control.broken] == []


def test_nothing_tells_how_many_runs_there_were(monkeypatch, capsys):
    shown = {}
    for count in (1, 9):
        monkeypatch.setattr(by_epsilon, "number_of_runs", lambda noise, stop, count=count: count)
        monkeypatch.setattr(by_epsilon.EpsilonSearch, "_drawn", lambda self, noise: 1)
        seen = []
        with observing(seen.append), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fitted = search(random_state=None).fit(X, Y)
        forget_fits()
        printed = capsys.readouterr()
        shown[count] = (
            len(seen),
            [str(each.message) for each in caught],
            str(fitted.privacy_),
            sorted(vars(fitted)),
            printed.out + printed.err,
        )
    assert shown[1] == shown[9] and shown[1][0] == 0


@pytest.mark.parametrize(
    ("estimator", "grid", "delta"),
    [
        (LogisticClassifier(WIDE), {"method": ["gaussian-objective"]}, 1e-6),
        (LogisticClassifier(WIDE, encoding="binned"), {"method": ["k-norm"]}, 1e-6),
    ],
)
def test_candidates_without_a_cost_of_one_run_are_refused_whether_drawn_or_not(estimator, grid, delta):
    for seed in range(3):
        with pytest.raises(ParameterError, match="pay in rows"):
            search(estimator=estimator, grid=grid, delta=delta, random_state=seed).fit(X, Y)
    assert spent(WIDE).fits == 0


def test_where_the_search_cannot_pay_the_default_is_trained_on_all_rows(monkeypatch):
    monkeypatch.setattr(price, "MIN_SIGNAL_OF_RUN", 1e9)
    fitted = search().fit(X, Y)
    assert fitted.best_index_ == 0 and fitted.privacy_.runs is None and not search().cost(4000).searches


def test_an_account_of_rho_refuses_the_best_of_runs_under_a_delta(tmp_path):
    """It is (epsilon, delta)-DP, and within no rho of this epsilon."""
    book = Ledger(tmp_path / "people.ledger")
    book.open(Account.of("people", Budget(8.0, 1e-6)))
    with pytest.raises(ParameterError, match="account counts rho"):
        search(delta=1e-6, random_state=None, ledger=book.path).fit(X, Y)
    assert book.balance().spent == 0


@pytest.mark.parametrize("pay", ["rows", "epsilon"])
def test_search_and_model_are_one_charge(pay, tmp_path):
    book = Ledger(tmp_path / "people.ledger")
    book.open(Account.of("people", Budget(9.0)))
    fitted = search(pay=pay, random_state=None, ledger=book.path).fit(X, Y)
    assert book.balance().spent == 4 * UNIT
    assert fitted.privacy_.charge is not None and fitted.best_estimator_.privacy_ == fitted.privacy_


def test_the_price_says_how_much_noise_a_run_carries():
    pure, approximate = search().cost(4000), search(delta=1e-6).cost(4000)
    assert pure.noise == pytest.approx(2.0) and pure.budget == Budget(2.0)
    rho = approximate.runs.rho(Budget(4.0, 1e-6))
    assert approximate.noise == pytest.approx((zcdp_rho(4.0, 1e-6) / rho) ** 0.5)
    assert (pure.training, pure.choosing) == (3600, 400) and "runs on average" in str(pure)


def test_an_accountant_keeps_one_run_and_nothing_beside_runs():
    unit = PrivacyUnit(("a",), label=False)
    door = Accountant(Budget(1.0), unit, SimulatedNoise(0), n_rows=100)
    with pytest.raises(PrivacyError, match="best of the runs"):
        door.keep_run(door)
    begin = door.in_runs(RandomRuns(9))
    run = begin()
    [share] = run.split(1)
    assert share.epsilon == 0.5
    for refused in (lambda: door.split(1), lambda: door.in_runs(RandomRuns(9))):
        with pytest.raises(PrivacyError):
            refused()
    door.keep_run(run)
    with pytest.raises(PrivacyError, match="best of the runs"):
        door.keep_run(begin())
    assert door.guarantee().runs == RandomRuns(9) and door.guarantee().epsilon == 1.0


@pytest.mark.parametrize("pay", ["epsilon", "rows"])
def test_what_a_run_draws_is_its_own(pay, monkeypatch):
    """Structures of one do not tell how much others drew."""
    module = by_epsilon if pay == "epsilon" else by_rows
    trained = module.train_all

    def first_draws(extra):
        firsts = []

        def watched(learner, table, releases, generator):
            firsts.append(int(generator.integers(2**62)))
            generator.integers(9, size=extra * len(firsts))
            return trained(learner, table, releases, generator)

        monkeypatch.setattr(module, "train_all", watched)
        search(pay=pay, rows=0.3).fit(X, Y)
        return firsts

    monkeypatch.setattr(by_epsilon, "number_of_runs", lambda noise, stop: 3)
    found = first_draws(0)
    assert len(set(found)) == len(found) == 3
    assert first_draws(7) == found

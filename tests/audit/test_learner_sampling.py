"""Sampling audits of this package's learners: not refuted, near their claim, and half the noise is caught."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tacit.audit import Effort, audit_learner
from tacit.audit.learners import SUBJECTS, _of_half_noise
from tacit.audit.trade_offs import ApproximateTradeOff, ConcentratedTradeOff
from tacit.errors import ParameterError
from tacit.privacy.conversions import zcdp_rho
from tacit.schema import Label, Numeric, Schema

ENOUGH = Effort(minutes=240, most=8_650)
"""Runs decide and not the clock: on a busy machine, an end by minutes came before enough runs."""


def test_a_learner_is_audited_from_its_own_pair():
    # So few runs find little of an epsilon of 1: no bound at all in some of them. A fit of the tree takes least.
    finding = audit_learner("tree", epsilon=2.0, effort=replace(ENOUGH, most=1_020))
    assert 0.4 < finding.bound <= 2
    assert finding.half_noise > 1.4
    assert finding.subject == "tree (max_splits=1)"
    assert finding.claim.epsilon == 2


@pytest.mark.audit
def test_a_learner_is_audited_on_a_schema():
    schema = Schema([Numeric("age", 0, 90)], label=Label("y", ["no", "yes"]))
    finding = audit_learner("logistic", epsilon=2.0, schema=schema, effort=replace(ENOUGH, most=340))
    assert 0.2 < finding.bound <= 2
    assert finding.subject == "logistic"


def test_half_the_noise_is_twice_epsilon_or_four_times_rho():
    assert _of_half_noise(1.0, 0.0, ApproximateTradeOff()) == 2
    epsilon = _of_half_noise(1.0, 1e-6, ConcentratedTradeOff(1e-6))
    assert zcdp_rho(epsilon, 1e-6) == pytest.approx(4 * zcdp_rho(1.0, 1e-6))


def test_an_unknown_learner_is_refused():
    with pytest.raises(ParameterError, match="got learner='forest'"):
        audit_learner("forest")


@pytest.mark.audit
@pytest.mark.parametrize("learner", SUBJECTS)
def test_every_learner_is_found_above_half_its_claim_and_half_the_noise_is_refuted(learner):
    finding = audit_learner(learner, effort=ENOUGH)
    assert 0.5 <= finding.bound <= 1 < finding.half_noise
    assert finding.verdict == "not refuted"


@pytest.mark.audit
@pytest.mark.parametrize(
    ("learner", "settings"),
    [("logistic", {"method": "mean-operator"}), ("lazybb", {"rounds": 1}), ("naive-bayes", {})],
)
def test_gaussian_noise_is_tested_by_its_rho(learner, settings):
    # A large epsilon, as Gaussian noise of a small rho takes many more runs; and few releases, as coefficients that
    # are learned from many noisy gradients show too little of each: replays test those (tests/audits).
    effort = Effort(minutes=240, most=3_900)
    finding = audit_learner(learner, epsilon=4.0, delta=1e-3, settings=settings, effort=effort)
    assert finding.verdict == "not refuted"

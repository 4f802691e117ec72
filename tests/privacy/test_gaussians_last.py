"""Gaussian releases that come last: their exact loss, against integrals and enumerations; and what is refused."""

from __future__ import annotations

from fractions import Fraction
from math import exp, sqrt

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import norm

from tacit.errors import PrivacyError
from tacit.mechanisms import Releases
from tacit.mechanisms.gaussian import Gaussian, gaussian_delta
from tacit.mechanisms.noise import noise_source
from tacit.mechanisms.releases import announce
from tacit.mechanisms.selection import ExponentialMechanism
from tacit.privacy import ZCDP, Accountant, Budget, Charge, PlanEntry, PrivacyUnit, ReservedCharge, paying
from tacit.privacy.conversions import zcdp_delta, zcdp_epsilon, zcdp_rho
from tacit.privacy.gaussians_last import delta_of, epsilon_of, is_exact, rho_of
from tacit.privacy.plan import PrivacyFilter, divide
from tacit.privacy.random_runs import RandomRuns
from tacit.privacy.statistic import NumericStatistic, SelectionStatistic

BUDGETS = [(0.01, 1e-5), (0.1, 1e-6), (1.0, 1e-5), (3.0, 1e-9), (0.001, 1e-15), (1.0, 0.2)]
UNIT = PrivacyUnit(("age",), label=True)
PLAN = [PlanEntry("selection", weight=0.1), PlanEntry("last noise", count=9, weight=0.1)]


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_alone_they_cost_what_one_of_the_summed_rho_does(epsilon, delta):
    rho = rho_of(epsilon, delta, 1.0)
    assert gaussian_delta(epsilon, 1 / sqrt(2 * rho)) == pytest.approx(delta, rel=1e-4)
    assert gaussian_delta(epsilon, 1 / sqrt(2 * rho)) <= delta
    assert epsilon_of(0.0, rho, delta) == pytest.approx(epsilon, rel=1e-6)
    assert rho > 1.05 * zcdp_rho(epsilon, delta)


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
@pytest.mark.parametrize("share", [0.3, 0.8, 0.95])
def test_a_gaussian_release_before_them_costs_at_least_what_it_does_among_them(epsilon, delta, share):
    rho = rho_of(epsilon, delta, share)
    assert gaussian_delta(epsilon, 1 / sqrt(2 * rho)) <= delta
    assert zcdp_rho(epsilon, delta) <= rho <= rho_of(epsilon, delta, 1.0)
    assert rho_of(epsilon, delta, share) <= rho_of(epsilon, delta, share + 0.05)


def selections_then_noise(epsilon: float, tilt: float, range_: float, count: int, rho: float) -> float:
    """Return delta of ``count`` choices of log ratio ``tilt`` or ``tilt - range_``, and Gaussian noise of rho."""
    often = (exp(range_ - tilt) - 1) / (exp(range_ - tilt) - exp(-tilt))
    found = 0.0
    for k in range(count + 1):
        weight = np.exp(np.log(np.arange(1, count + 1)).sum() - np.log(np.arange(1, k + 1)).sum())
        weight /= np.exp(np.log(np.arange(1, count - k + 1)).sum())
        loss = k * tilt + (count - k) * (tilt - range_)
        left = epsilon - loss
        if left > 0:
            delta = gaussian_delta(left, 1 / sqrt(2 * rho))
        else:
            m = sqrt(2 * rho)
            delta = norm.cdf(m / 2 - left / m) - exp(left) * norm.cdf(-m / 2 - left / m)
        found += weight * often**k * (1 - often) ** (count - k) * delta
    return found


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS[:4])
@pytest.mark.parametrize("share", [0.4, 0.9])
@pytest.mark.parametrize("count", [1, 12])
def test_exponential_mechanisms_before_them_stay_within_delta_and_leave_little(epsilon, delta, share, count):
    rho = rho_of(epsilon, delta, share)
    range_ = sqrt(8 * rho * (1 - share) / count)
    true = max(
        selections_then_noise(epsilon, t * range_, range_, count, rho * share) for t in (0.02, 0.25, 0.5, 0.75, 0.98)
    )
    assert true <= delta
    if share > 0.5 or count > 1:  # a single choice is bounded, which rho does not say
        larger = sqrt(8 * 1.25 * rho * (1 - share) / count)
        assert selections_then_noise(epsilon, larger / 2, larger, count, 1.25 * rho * share) > delta


def test_no_budget_gains_where_rounding_could_decide_or_nothing_is_gaussian():
    assert not is_exact(0.0009, 1e-5)
    assert not is_exact(1.0, 1e-16)
    assert rho_of(0.0009, 1e-5, 1.0) == zcdp_rho(0.0009, 1e-5)
    assert rho_of(1.0, 1e-5, 0.0) == zcdp_rho(1.0, 1e-5)
    assert delta_of(0.01, 0.0, 1.0) == zcdp_delta(0.01, 1.0)


@pytest.mark.parametrize(("before", "gaussian"), [(1e-3, 1e-40), (1.0, 1e-12), (1e-6, 1e-8), (4543.0, 4.5e-4)])
@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 2e4])
def test_a_vanishing_part_costs_what_all_of_them_do_as_gaussian_noise_at_least(before, gaussian, epsilon):
    """As a certificate from a file may state one, where rounding hides the difference of the two terms."""
    together = gaussian_delta(epsilon, 1 / sqrt(2 * (before + gaussian)))
    assert together <= delta_of(before, gaussian, epsilon) <= zcdp_delta(before + gaussian, epsilon)
    assert epsilon_of(before, gaussian, 1e-6) <= zcdp_epsilon(before + gaussian, 1e-6)
    assert zcdp_rho(epsilon, 1e-6) <= rho_of(epsilon, 1e-6, gaussian / before) <= zcdp_rho(epsilon, 1e-6) * 1.01


@given(st.floats(1e-3, 30), st.floats(1e-12, 0.1), st.floats(0.01, 1.0))
@example(0.026528749820209845, 1e-12, 0.026528749820209845)
def test_delta_is_kept_and_never_above_what_rho_says(epsilon, delta, share):
    rho = rho_of(epsilon, delta, share)
    found = delta_of((1 - share) * rho, share * rho, epsilon)
    # Where nothing is gained rho is that of the whole: two rounded products may add up to the next float above it.
    assert (found if rho > zcdp_rho(epsilon, delta) else zcdp_delta(rho, epsilon)) <= delta
    assert found <= zcdp_delta(rho, epsilon) * (1 + 1e-12)
    assert rho >= zcdp_rho(epsilon, delta)


def test_discrete_noise_is_no_worse_than_the_continuous_distribution_it_is_counted_as():
    """Two coordinates that move by one each, so that rotation to one number does not apply, by enumeration."""
    for rho in (0.5, 0.02):
        statistic = NumericStatistic("counts", UNIT, np.zeros(2, dtype=np.int64), l1=2.0, l2=sqrt(2))
        deviation = Gaussian(ZCDP(rho, gaussian=True)).noise_scale(statistic)
        assert deviation == pytest.approx(sqrt(1 / rho + 4))
        k = np.arange(-400, 401)
        one, other = (np.exp(-((k - shift) ** 2) / (2 * deviation**2)) for shift in (0, 1))
        p, q = np.outer(one, one).ravel(), np.outer(other, other).ravel()
        p, q = p / p.sum(), q / q.sum()
        for epsilon in (0.05, 0.3, 1.0, 2.0):
            assert np.maximum(0, p - exp(epsilon) * q).sum() <= gaussian_delta(epsilon, 1 / sqrt(2 * rho))


def test_a_plan_divides_the_larger_rho_and_marks_who_may_spend_it():
    division = divide(Budget(0.1, 1e-5), PLAN, exact_last=True)
    assert float(division.limit) == rho_of(0.1, 1e-5, 0.9)
    assert division.gaussian == division.limit * Fraction(9, 10)
    assert [share.gaussian for share in division.shares] == [False] + [True] * 9
    assert sum(Fraction(share.rho) for share in division.shares) <= division.limit


@pytest.mark.parametrize(
    "plan",
    [
        PLAN[::-1],
        [*PLAN, PlanEntry("noise")],
        [PlanEntry("selection")],
        [PlanEntry.approximate(0.01, 1e-7), *PLAN],
    ],
)
def test_other_plans_are_counted_by_rho(plan):
    plain, asked = (divide(Budget(0.1, 1e-5), plan, "zcdp", exact_last=exact) for exact in (False, True))
    assert plain == asked
    assert not any(share.gaussian for share in asked.shares)


def test_a_filter_keeps_both_parts_apart_and_refuses_what_comes_too_late():
    division = divide(Budget(0.1, 1e-5), PLAN, exact_last=True)
    first, last = division.shares[0], division.shares[-1]
    charged = PrivacyFilter(division)
    with pytest.raises(PrivacyError):
        charged.charge(ZCDP(first.rho * 2))  # the other part pays for nothing before it
    charged.charge(last)
    with pytest.raises(PrivacyError, match="Gaussian noise alone"):
        charged.charge(first)
    for _ in range(8):
        charged.charge(last)
    with pytest.raises(PrivacyError):
        charged.charge(last)


def accountant(seed: int | None = 0) -> Accountant:
    return Accountant(Budget(0.1, 1e-5), UNIT, noise_source(seed), n_rows=1_000)


def test_an_accountant_refuses_a_choice_that_is_paid_with_them():
    spender = accountant()
    share = spender.split(PLAN)[-1]
    with pytest.raises(PrivacyError, match="Gaussian noise for this share"):
        spender.release(ExponentialMechanism(share), SelectionStatistic("scores", UNIT, np.zeros(3), range=1.0))


def test_its_certificate_states_the_part_and_slices_and_asked_compositions_gain_nothing():
    spender = accountant(seed=None)
    spender.split(PLAN)
    promise = spender.guarantee()
    assert promise.rho == pytest.approx(rho_of(0.1, 1e-5, 0.9))
    assert promise.gaussian == pytest.approx(0.9 * promise.rho)
    assert "Gaussian noise that comes last" in " ".join(str(promise).split())
    plain = accountant()
    plain.split(PLAN, composition="zcdp")
    assert plain.guarantee().gaussian is None
    whole = accountant()
    halves = UNIT.divided(2)
    inner = whole.in_parallel(halves, n_rows=[500, 500])[0]
    inner.split(PLAN)
    assert inner.guarantee().gaussian is None
    assert inner.guarantee().rho == zcdp_rho(0.1, 1e-5)


def test_secret_runs_and_what_a_ledger_charged_as_rho_are_counted_by_rho():
    """A theorem of rho covers all runs, and an account adds rhos of several fits: one exact one says nothing."""
    budget = Budget(0.1, 1e-5)
    amount = Fraction(zcdp_rho(0.1, 1e-5))
    with paying(ReservedCharge(Charge("a" * 32, "people", 1, "b" * 64), budget, "rho", amount)):
        paid = accountant()
    runs = RandomRuns(20)
    one = runs.of_one(budget)
    for spender, most in ((paid, amount), (accountant().in_runs(runs)(), Fraction(zcdp_rho(one.epsilon, one.delta)))):
        shares = spender.split(PLAN)
        assert 0 < sum(Fraction(share.rho) for share in shares) <= most
        assert not any(share.gaussian for share in shares)
        assert spender.guarantee().gaussian is None


def test_learners_take_them_from_the_plan_as_noise():
    spender = accountant()
    releases = announce(spender, PLAN[1:])
    assert isinstance(releases, Releases)
    released = releases.noisy(NumericStatistic("sums", UNIT, np.zeros(3), l1=1.0, l2=1.0))
    assert released.scale == pytest.approx(sqrt(1 / (2 * rho_of(0.1, 1e-5, 1.0) / 9) + 4))

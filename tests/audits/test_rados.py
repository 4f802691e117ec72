"""Exact output densities of private rados and of protected edges: the promise holds, and too little noise is caught."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from harness.neighbors import all_pairs
from tacit.boosting.private_rados import PrivateRados
from tacit.boosting.rado_makers import EdgeRados
from tacit.features import LinearEncoding
from tacit.mechanisms import Gaussian, SimulatedNoise, additive, announce
from tacit.mechanisms.gaussian import gaussian_delta
from tacit.mechanisms.k_norm import KNorm, k_norm_log_density
from tacit.mechanisms.rado_signatures import RandomBits
from tacit.privacy import ZCDP, Accountant, Budget, PureDP
from tacit.queries.edge_moments import EdgeSums, score_sum
from tacit.queries.edges import EdgeForm, all_edges
from tacit.schema import Categorical, Label, Numeric, Schema

EPSILON = 0.8
COLUMNS = [Numeric("x", -1, 1), Categorical("c", ["u", "v"])]
PUBLIC_LABEL = Schema(COLUMNS, label=Label("y", ["no", "yes"], private=False))
CASES = {
    "columns": PUBLIC_LABEL,
    "all": PUBLIC_LABEL.all_private(),
    "label": PUBLIC_LABEL.with_private([], label=True),
    "partial": PUBLIC_LABEL.with_private(["x"], label=False),
}


def form_of(schema, clip=1.0):
    return EdgeForm(LinearEncoding(schema, schema.names, "one-hot", clip))


def true_loss(schema, share, stretch=1.0, clip=1.0):
    """The largest log ratio of densities of the first release, at the values themselves and around them."""
    form, worst = form_of(schema, clip), 0.0
    for pair in all_pairs(schema, 1, points=5):
        stats_ = [EdgeSums(form, table.unit).gauged(table) for table in pair.tables()]
        mechanism = KNorm(PureDP(share)).masking(stats_[0])
        scale = mechanism.noise_scale(stats_[0]) * stretch
        one, two = (each.unreleased_value for each in stats_)
        for answer in (one, two, 2 * one - two, 2 * two - one, np.zeros_like(one)):
            ratio = [k_norm_log_density(stats_[0].ball, scale, answer - value) for value in (one, two)]
            worst = max(worst, abs(ratio[0] - ratio[1]))
    return worst


@pytest.mark.parametrize("clip", [1.0, 0.25])
@pytest.mark.parametrize("schema", CASES.values(), ids=CASES)
def test_the_first_release_costs_no_more_than_its_share(schema, clip):
    share = EPSILON * 0.9
    assert 0.85 * share < true_loss(schema, share, clip=clip) <= share


@pytest.mark.parametrize("schema", CASES.values(), ids=CASES)
def test_half_of_the_noise_is_caught(schema):
    assert true_loss(schema, EPSILON, stretch=0.5) > EPSILON


def discrete_log_density(steps, sigma):
    """On the integers; the discrete normal distribution's weights add up to sqrt(2 pi) sigma for a wide one."""
    return -np.square(steps, dtype=np.float64).sum() / (2 * sigma**2) - len(steps) * np.log(np.sqrt(2 * np.pi) * sigma)


def renyi_loss(schema, rho, stretch=1.0):
    """The largest Renyi divergence of the outputs' distributions over its order, of the first release under zCDP.

    The log ratio of densities is linear in the output, so the distribution's own moments give the divergence of every
    order: for neighbors s apart, ln E (p/q)^(a-1) / (a - 1) = a |s|^2 / (2 sigma^2).
    """
    form, worst = form_of(schema), 0.0
    for pair in all_pairs(schema, 1, points=5):
        one, two = (EdgeSums(form, table.unit).statistic(table) for table in pair.tables())
        sigma = Gaussian(ZCDP(rho)).noise_scale(one) * stretch
        values = [each.unreleased_value for each in (one, two)]
        # From the densities: the ratio at both values, whose mean is half the squared distance over the variance.
        ratios = [
            discrete_log_density(answer - values[0], sigma) - discrete_log_density(answer - values[1], sigma)
            for answer in values
        ]
        worst = max(worst, (ratios[0] - ratios[1]) / 2)
    return worst


@pytest.mark.parametrize("schema", CASES.values(), ids=CASES)
def test_gaussian_noise_costs_no_more_than_its_share(schema):
    rho = 0.9 * 0.02
    assert 0.75 * rho < renyi_loss(schema, rho) <= rho * (1 + 1e-9)


@pytest.mark.parametrize("schema", CASES.values(), ids=CASES)
def test_half_of_the_gaussian_noise_is_caught(schema):
    rho = 0.02
    assert renyi_loss(schema, rho, stretch=0.5) > 3 * rho


def failure_by_densities(epsilon, distance, deviation):
    """delta at epsilon: how far one distribution is above exp(epsilon) times the other, summed along their line."""
    line = np.linspace(-12, 12, 200_001) * deviation
    here, there = (stats.norm(center, deviation).pdf(line) for center in (0.0, distance))
    return float(np.maximum(here - np.exp(epsilon) * there, 0).sum() * (line[1] - line[0]))


@pytest.mark.parametrize("schema", CASES.values(), ids=CASES)
def test_both_gaussian_releases_keep_epsilon_and_delta(schema):
    """What is drawn for a budget with delta: distances of both releases add up in squares, as seen along one line."""
    epsilon, delta, form, worst = 1.0, 1e-4, form_of(schema), 0.0
    for pair in list(all_pairs(schema, 1, points=5)):
        tables = pair.tables()
        accountant = Accountant(Budget(epsilon, delta), tables[0].unit, SimulatedNoise(0), n_rows=1)
        shares = accountant.split(PrivateRados(5).plan(form, tables[0].unit), composition="zcdp")
        weights = np.ones(form.n_features - form.constant) / np.sqrt(form.n_features - form.constant)
        queries = [lambda table: EdgeSums(form, table.unit).statistic(table)]
        queries += [lambda table, w=weights: score_sum(table, form, w)] if tables[0].unit.columns else []
        squares = 0.0
        for share, query in zip(shares, queries, strict=True):
            one, two = (query(table) for table in tables)
            moved = np.linalg.norm(one.unreleased_value - two.unreleased_value)
            squares += (moved / additive(share).noise_scale(one)) ** 2
        worst = max(worst, squares)
    assert failure_by_densities(epsilon, worst**0.5, 1.0) <= delta
    assert failure_by_densities(epsilon, 2 * worst**0.5, 1.0) > delta  # half of the noise


def test_the_score_costs_no_more_than_its_share():
    schema = CASES["all"]
    form, weights = form_of(schema), np.asarray([0.9, 0.3, -0.4])
    moved = 0.0
    for pair in all_pairs(schema, 2, points=3):
        one, two = (score_sum(table, form, weights) for table in pair.tables())
        change = abs(float((one.unreleased_value - two.unreleased_value)[0]))
        assert change <= one.l2
        moved = max(moved, change / one.l1)
    assert 0.9 < moved <= 1  # the discrete Laplace distribution's log ratio is this times the share


@pytest.mark.parametrize("epsilon", [EPSILON, 1e4])
@pytest.mark.parametrize("schema", CASES.values(), ids=CASES)
def test_the_whole_budget_is_announced_and_not_more(schema, epsilon):
    maker, form = PrivateRados(5), form_of(schema)
    for pair in list(all_pairs(schema, 2, points=2))[:4]:
        table = pair.tables()[0]
        accountant = Accountant(Budget(epsilon), table.unit, SimulatedNoise(0), n_rows=2)
        releases = announce(accountant, maker.plan(form, table.unit))
        rados = maker.make(table, form, releases, np.random.default_rng(0))
        assert rados.shape == (5, form.n_features)
        spent = sum(line.loss for line in accountant.releases)
        assert 0.999 * epsilon < spent <= epsilon
        assert accountant.releases[0].query == "sums of edges"


def test_noisy_edges_keep_delta_exactly_at_the_farthest_neighbors():
    schema, epsilon, delta = CASES["all"], 1.0, 1e-3
    form = form_of(schema)
    farthest = 0.0
    for pair in all_pairs(schema, 1):
        one, two = (all_edges(table, form) for table in pair.tables())
        farthest = max(farthest, float(np.linalg.norm(one.unreleased_value - two.unreleased_value)))
    from tacit.mechanisms.gaussian import AnalyticGaussian
    from tacit.privacy import ApproximateDP

    scale = AnalyticGaussian(ApproximateDP(epsilon, delta)).noise_scale(one)
    assert 0.99 * delta < gaussian_delta(epsilon, scale / farthest) <= delta
    assert gaussian_delta(epsilon, scale / 2 / farthest) > 2 * delta
    assert isinstance(EdgeRados(5, RandomBits(0), epsilon, delta).plan(form, one.unit)[0].delta, float)


def test_whole_rados_of_dp_feat_are_not_private():
    """With one real column beside the protected one, most of the probability has an infinite ratio."""
    from math import comb

    from tacit.privacy.marginal import Window

    n_rows, window = 10, Window(10, 5.0)
    real = np.random.default_rng(0).normal(size=n_rows)
    signs = np.random.default_rng(1).choice([-1, 1], n_rows)
    changed = signs.copy()
    changed[0] *= -1

    def distribution(column):
        inside = {}
        for parts in product((0, 1), repeat=n_rows):
            agree = sum(p == (s > 0) for p, s in zip(parts, column, strict=True))
            if window.low <= agree <= window.high:
                key = (round(float(np.dot(parts, real)), 9), int(np.dot(parts, column)))
                inside[key] = inside.get(key, 0) + 1
        return inside

    one, two = distribution(signs), distribution(changed)
    assert sum(one.values()) == sum(comb(n_rows, k) for k in range(window.low, window.high + 1))
    impossible = sum(count for key, count in one.items() if key not in two) / sum(one.values())
    assert impossible > 0.49
    assert stats.norm.sf(0) == 0.5

"""Exact Gaussian densities of noisy gradient descent on tiny tables; two thirds of the noise is caught."""

from __future__ import annotations

import numpy as np
import pytest

from harness.neighbors import all_pairs
from harness.scripted import ScriptedNoise
from tacit.features import LinearEncoding, OneHotEncoding
from tacit.learners.linear.noisy_gradient import NoisyGradient
from tacit.mechanisms import announce
from tacit.privacy import Accountant, Budget
from tacit.queries import Design, LinearProblem, Offset
from tacit.schema import Categorical, Label, Numeric, Schema

BUDGET = Budget(0.7, 1e-3)
ALL = Schema([Numeric("x", -1, 1), Categorical("c", ["a", "b"])], label=Label("y", ["no", "yes"]))
PUBLIC_LABEL = Schema(ALL.columns, label=Label("y", ["no", "yes"], private=False))
LABEL_ONLY = ALL.with_private([], label=True)
PARTIAL = ALL.with_private(["x"], label=False)
FOUR_CASES = pytest.mark.parametrize(
    "schema", [ALL, PUBLIC_LABEL, LABEL_ONLY, PARTIAL], ids=["all", "features", "label only", "partial"]
)


class Recording(ScriptedNoise):
    """Far answers, so that weights grow; keeps what was asked."""

    def __init__(self, answers, stretch=1.0):
        super().__init__(answers, stretch)
        self.seen, self._factor = [], stretch

    def gaussian(self, values, deviation):
        self.seen.append((np.asarray(values, float), deviation * self._factor))
        return super().gaussian(values, deviation)


def problem_of(table):
    """What ``Linear`` makes of the four cases: a public block is an offset where the label is public."""
    schema = table.schema
    if table.unit.label or len(table.unit.columns) == len(schema.columns):
        return LinearProblem(table, Design(OneHotEncoding(schema, schema.names, 2), False))
    offset = Offset(LinearEncoding(schema, schema.public_columns), np.asarray([1.0]), 0.5)
    return LinearProblem(table, Design(OneHotEncoding(schema, table.unit.columns, 2), False), offset)


def spent(learner, pair, answers, stretch=1.0):
    """For each release: squared movement over twice the variance, and the rho that the accountant gave it."""
    records = []
    for table in pair.tables():
        problem = problem_of(table)
        noise = Recording(answers, stretch)
        accountant = Accountant(BUDGET, table.unit, noise, n_rows=table.n_rows)
        releases = announce(accountant, learner.plan(problem.design, table.unit), composition="zcdp")
        learner.coefficients(problem, releases)
        records.append(noise.seen)
    losses = []
    for (one, deviation), (two, same) in zip(*records, strict=True):
        assert deviation == same
        losses.append(((one - two) ** 2).sum() / (2 * deviation**2))
    return np.asarray(losses), np.asarray([one.share.rho for one in releases.announced])


def answers_of(steps, counted, size):
    """Answers that drive the weights of one label's residuals to the clip, whatever it is."""
    return [*([np.full(1, 1)] if counted else []), *([np.full(1, -size * 2**20)] * steps)]


def worst(schema, learner, stretch=1.0):
    largest, total = 0.0, 0.0
    for pair, size in ((p, s) for p in list(all_pairs(schema, 1)) for s in (0, 50)):
        counted = bool(schema.private_columns)
        losses, rhos = spent(learner, pair, answers_of(learner.steps, counted, size), stretch)
        largest, total = max(largest, (losses / rhos).max()), max(total, losses.sum() / rhos.sum())
    return largest, total


@FOUR_CASES
@pytest.mark.parametrize("clip", [0.5, 0.3, 1.0])
def test_each_release_stays_within_its_rho_and_the_sum_within_the_budget(schema, clip):
    largest, total = worst(schema, NoisyGradient(steps=3, clip=clip))
    assert largest <= 1
    assert 0.7 < total <= 1


@FOUR_CASES
def test_rho_is_used_up_and_two_thirds_of_the_noise_is_caught(schema):
    learner = NoisyGradient(steps=3)
    assert worst(schema, learner)[0] > 0.99
    largest, total = worst(schema, learner, stretch=2 / 3)
    assert largest > 2 and total > 1.5


def test_a_run_stays_within_the_budget_wherever_earlier_answers_lead():
    """Adaptive composition: later queries depend on earlier answers, which are drawn at random here."""
    learner, generator = NoisyGradient(steps=2), np.random.default_rng(0)
    pair = next(p for p in all_pairs(ALL, 1) if p.first[0][:2] == p.second[0][:2])  # the label alone
    losses, rhos = spent(learner, pair, answers_of(2, True, 0))
    assert losses.sum() <= rhos.sum()
    for _ in range(3):
        script = [np.asarray(generator.normal(0, 2**21, 4)).astype(np.int64) for _ in range(3)]
        again, _ = spent(learner, pair, script)
        assert again.sum() <= rhos.sum()

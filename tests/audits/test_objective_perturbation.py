"""Spherical and Gaussian objective perturbation: output densities stay within the claim."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from harness.densities import log_density, shifted, worst_loss
from harness.neighbors import Pair
from tacit.convex import HuberLoss, LogisticLoss
from tacit.features import LinearEncoding
from tacit.mechanisms.gaussian_objective import GaussianObjective
from tacit.mechanisms.mask import density_and_mask
from tacit.mechanisms.objective_perturbation import Euclidean, ObjectivePerturbation
from tacit.privacy import PureDP
from tacit.queries import Design, LinearObjective, row_geometry
from tacit.schema import Identifier, Label, Numeric, Schema
from tacit.table import Table

LABEL = Label("y", ["no", "yes"], private=False)
FAR = {"offsets": (-60.0, 12.0)}


def opposite_rows(numbers):
    schema = Schema([Numeric(f"x{i}", -1, 1) for i in range(numbers)], label=LABEL)
    one, two = ((*[end] * numbers, "yes") for end in (1.0, -1.0))
    return schema, [Pair(schema, (one,), (two,))], Design(LinearEncoding(schema, schema.names), intercept=False)


@pytest.mark.parametrize("loss", [LogisticLoss(), HuberLoss(0.05)], ids=["logistic", "Huber"])
@pytest.mark.parametrize("numbers", [1, 2])
def test_spherical_noise_stays_within_epsilon(loss, numbers):
    _, pairs, design = opposite_rows(numbers)
    mechanism, rows = ObjectivePerturbation(PureDP(1.0), Euclidean()), row_geometry(design, loss)
    least = mechanism.least_regularization(rows)
    for factor in (1.0, 20.0):
        found = worst_loss(
            pairs,
            design,
            loss,
            factor * least,
            lambda b, f=factor: mechanism.noise_log_density(rows, f * least, b),
            **FAR,
        )
        assert 0.4 < found <= density_and_mask(1.0)[0] + 1e-9
    assert found > 0.9  # with much regularization hardly anything is set aside for the curvature


def hockey_stick(pair, design, loss, mechanism, rows, offset, shrink=1.0):
    """P(S) - exp(epsilon) P'(S) for the best S, by quadrature over the one coefficient."""
    regularization = mechanism.least_regularization(rows)
    sigma = shrink * mechanism.deviation(rows, regularization)
    objectives = [LinearObjective(shifted(table, design, offset), loss, regularization) for table in pair.tables()]

    def noise(b):
        return float(-(b @ b) / (2 * sigma**2) - np.log(sigma * np.sqrt(2 * np.pi)))

    reach = 9 * sigma / regularization
    points = np.linspace(-reach, reach, 501)
    one, two = (np.exp([log_density(objective, noise, np.asarray([w])) for w in points]) for objective in objectives)
    step = points[1] - points[0]
    assert one.sum() * step == pytest.approx(1, abs=1e-3)
    return np.maximum(one - np.exp(density_and_mask(mechanism.epsilon)[0]) * two, 0).sum() * step


@pytest.mark.parametrize("loss", [LogisticLoss(), HuberLoss(0.5)], ids=["logistic", "Huber"])
def test_gaussian_noise_stays_within_delta(loss):
    schema, pairs, design = opposite_rows(1)
    pairs.append(Pair(schema, ((1.0, "yes"),), ((-1.0, "no"),)))
    mechanism, rows = GaussianObjective(1.0, 1e-2), row_geometry(design, loss)
    failures = [hockey_stick(pair, design, loss, mechanism, rows, offset) for pair in pairs for offset in (0.0, -40.0)]
    assert 1e-4 < max(failures) <= 1e-2
    assert hockey_stick(pairs[0], design, loss, mechanism, rows, -40.0, shrink=0.5) > 1e-2


class OfOnePerson:
    """Two tables of one person with several rows, which weigh one together; labels are public."""

    def __init__(self, schema, one, two, label="yes"):
        self.schema, self.numbers, self.labels = schema, (one, two), [label] * len(one)

    def tables(self):
        frames = [pl.DataFrame({"person": ["p"] * len(each), "x0": each}) for each in self.numbers]
        return tuple(Table.from_frame(frame, self.labels, self.schema) for frame in frames)


def test_gaussian_noise_of_several_rows_stays_within_delta():
    plain, _, design = opposite_rows(1)
    schema = replace(plain, identifier=Identifier("person"))
    pairs = [OfOnePerson(schema, [1.0, 0.4, 1.0], [-1.0, -0.4, 1.0])]
    pairs.append(OfOnePerson(schema, [1.0] * 2, [-1.0] * 2))
    mechanism, rows = GaussianObjective(1.0, 1e-2), row_geometry(design, LogisticLoss(), several=True)
    failures = [
        hockey_stick(pair, design, LogisticLoss(), mechanism, rows, offset) for pair in pairs for offset in (0.0, -40.0)
    ]
    assert 1e-4 < max(failures) <= 1e-2
    assert hockey_stick(pairs[-1], design, LogisticLoss(), mechanism, rows, -40.0, shrink=0.5) > 1e-2


def test_the_deviation_is_between_one_gaussian_and_twice_its_failure():
    """Below what 2 H(2R / sigma) = delta asks for, above what H(2R / sigma) = delta does."""
    from tacit.mechanisms.gaussian_objective import gaussian_failure

    _, _, design = opposite_rows(1)
    rows = row_geometry(design, LogisticLoss())
    mechanism = GaussianObjective(0.5, 1e-6)
    regularization = 1e9
    sigma, epsilon = mechanism.deviation(rows, regularization), density_and_mask(0.5)[0]
    assert 0.99e-6 < gaussian_failure(epsilon, 2 / sigma) <= 1e-6 < 2 * gaussian_failure(epsilon, 2 / sigma)

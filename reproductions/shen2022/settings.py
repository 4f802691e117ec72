"""Settings and figures of Shen and others (2022), "Classification with Partially Private Features"."""

from __future__ import annotations

import numpy as np

from tacit.boosting import BRC, CappedWeights
from tacit.mechanisms import announce, noise_source
from tacit.models import Model
from tacit.privacy import Accountant, Budget
from tacit.schema import Label, Numeric, Schema
from tacit.table import Table

EPSILONS = (0.01, 0.02, 0.04, 0.08, 0.16)
PUBLISHED_REFERENCES = {
    "adult": {"all columns": 0.7575, "public columns": 0.6159},
    "credit-default": {"all columns": 0.8298, "public columns": 0.5678},
    "sepsis-survival": {"all columns": 0.6983, "public columns": 0.5416},
    "bank-marketing": {"all columns": 0.9688, "public columns": 0.6711},
}
"""Accuracies that section 5.3 states for logistic regression without privacy."""


TOY_ROWS = 2000
TOY_ROUNDS = 50


def toy_example(epsilon: float, seed: int, *, flip: float = 0.49) -> tuple[Model, float]:
    """Return the model and training accuracy of one run of section 4 (figure 1).

    The left thousand points of a line are labeled "-", the right thousand "+". Each round flips every label with
    probability ``flip`` and takes the best threshold for the flipped labels, which comes out all but random.
    Those thresholds are computed from the labels, so the guarantee of the model is void.
    """
    generator = np.random.default_rng(seed)
    points = np.linspace(-1, 1, TOY_ROWS)
    labels = np.where(np.arange(TOY_ROWS) < TOY_ROWS // 2, "-", "+")
    schema = Schema([Numeric("place", -1, 1)], label=Label("side", ["+", "-"], private=False))
    settings = BRC(
        rounds=TOY_ROUNDS,
        weighting=CappedWeights(2.0, 2.0),
        intercept="auto",
        encoding="ordinal",
        public_learner=None,
        draw_classifiers=lambda rounds, _, __: _thresholds(points, labels == "-", rounds, flip, generator),
    )
    table = Table.from_frame(points[:, None], labels, schema)
    accountant = Accountant(Budget(epsilon), table.unit, noise_source(generator), n_rows=TOY_ROWS)
    scorer = settings.train(table, announce(accountant, settings.plan(table.unit)), generator)
    guarantee = accountant.guarantee(reasons=("The classifiers were drawn from the labels.",))
    model = Model("brc", schema, (scorer,), guarantee)
    return model, float(np.mean(model.predict(points[:, None]) == labels))


def _thresholds(
    points: np.ndarray, left: np.ndarray, rounds: int, flip: float, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return one threshold a round, the best for labels flipped at random: the class of the left end above zero."""
    flipped = left[None, :] ^ (generator.random((rounds, len(points))) < flip)
    agreement = np.concatenate([np.zeros((rounds, 1)), np.where(flipped, 1, -1).cumsum(axis=1)], axis=1)
    best = agreement.argmax(axis=1)
    gap = points[1] - points[0]
    return np.full((rounds, 1), -1.0), points[0] + gap * (best - 0.5)

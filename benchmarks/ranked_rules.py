"""Constants of noisy gradients on ranks, and where bins take over, on synthetic tables alone.

    python benchmarks/ranked_rules.py [tables of each kind, 2 if not given] [partial] [answers]

Tables of ``rule_tables``, half of them with bounds a hundred times as wide (of varied ones each column its own), 12,000
rows to fit and 8,000 to score, everything private or, with "partial", the label and every second column public; delta
1e-5, simulated noise. Printed are the mean accuracy, area under the ROC curve and logarithmic loss (in hundredths) of
the usual settings by epsilon, and for each change what it adds, with the standard error of that difference over tables.
With "answers" tables of yes and no alone, in half of them mostly no, 1,000 rows to fit, and only changes of the prior.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import polars as pl
from noisy_gradient_rules import trained
from rule_tables import answers, half_public, synthetic_tables, two_valued, varied
from scipy.special import expit
from sklearn.metrics import log_loss, roc_auc_score

from tacit.convex import LogisticLoss
from tacit.cut_points import PrivateCuts, affordable_cuts, cuts_of_ranks
from tacit.features import ranked_encoding
from tacit.learners.linear import Linear, NoisyGradient, RankedLogistic, category_shares, shrinkage
from tacit.learners.linear.category_shares import _columns as own_columns
from tacit.learners.linear.defaults import gradient_bins
from tacit.privacy import Budget
from tacit.schema import Numeric, Schema
from tacit.table import Table, read_rows

CHOICES = {
    "steps": (8, 32),
    "moments": (0.02, 0.08),
    "clip_norm": (0.15, 0.5),
}
CENTERED = (0.0, 0.25, 0.75, 1.0)
PRIORS = {
    "UNEVEN_WIDER": (1.4, 2.5, 6.0),
    "LOG_DEVIATION": (0.25, 1.0),
    "DEGREES_OF_FREEDOM": (1.5, 6.0, 1e9),
    "MISFITS": ((0.0,), (0.1,), (0.3,), (1.0,)),
}
EPSILONS = (0.005, 0.02, 0.1, 0.5, 2.0)
DELTA = 1e-5
N_FITTED, N_OF_ANSWERS, N_SCORED = 12_000, 1_000, 8_000


def tables(seeds: int) -> Iterator[tuple[pl.DataFrame, np.ndarray, Schema]]:
    """Yield tables; of every second one the bounds of numbers are a hundred times as wide."""
    for at, (_, frame, labels, schema) in enumerate(synthetic_tables(N_FITTED + N_SCORED, seeds)):
        yield frame, labels, schema if (at + at // 4) % 2 == 0 else widened(schema, 100.0)
    for seed in range(2 * seeds):
        yield varied(seed, N_FITTED + N_SCORED)
        yield two_valued(seed, N_FITTED + N_SCORED)


def tables_of_answers(seeds: int) -> Iterator[tuple[pl.DataFrame, np.ndarray, Schema]]:
    """Yield tables of yes and no alone."""
    for seed in range(3 * seeds):
        yield answers(seed, N_OF_ANSWERS + N_SCORED)
        yield two_valued(seed, N_OF_ANSWERS + N_SCORED)


def widened(schema: Schema, times: float) -> Schema:
    """Return the schema with bounds so many times as far apart."""
    columns = list(schema.columns)
    for at, c in enumerate(columns):
        if isinstance(c, Numeric):
            # The rows' part of the bounds is anywhere between them, so that no even grid meets it.
            more, below = (times - 1) * (c.upper - c.lower), 0.618 * at % 1
            columns[at] = Numeric(c.name, c.lower - below * more, c.upper + (1 - below) * more)
    return replace(schema, columns=tuple(columns))


def tries(schema: Schema, table: Table, epsilon: float) -> Iterator[tuple[str, object]]:
    """Yield the settings that are compared, the reference first."""
    budget = schema, table.unit, table.n_rows, epsilon, DELTA
    usual = RankedLogistic(schema, cuts_of_ranks(*budget))
    yield "usual", usual
    yield "no cuts", replace(usual, cuts=None)
    if usual.cuts:
        yield "quartiles selected", replace(usual, cuts=PrivateCuts(schema, 2))
    yield "quantiles selected", replace(usual, cuts=affordable_cuts(*budget))
    for centered in CENTERED:
        with patch.object(ranked_encoding, "CENTERED", centered):
            yield f"centered {centered:g}", usual
    yield from priors(usual)
    for name, values in CHOICES.items():
        for value in values:
            yield f"{name} {value:g}", replace(usual, **{name: value})
    bins = gradient_bins(table.n_rows, epsilon, DELTA)
    yield "binned", Linear(schema, LogisticLoss(), NoisyGradient(), n_bins=bins)


def priors(usual: RankedLogistic) -> Iterator[tuple[str, RankedLogistic]]:
    """Yield the same learner with one constant of its prior changed."""
    for name, values in PRIORS.items():
        for value in values:
            with patch.object(shrinkage, name, value):
                yield f"{name.lower()} {value}", usual
    with patch.object(category_shares, "_columns", lambda encoding: (own_columns(encoding)[0], [])):
        yield "shares of its own", usual


def tries_of_answers(schema: Schema, table: Table, epsilon: float) -> Iterator[tuple[str, object]]:
    """Yield the settings that are compared on tables of yes and no, the reference first."""
    usual = RankedLogistic(schema)
    yield "usual", usual
    yield from priors(usual)


def main(seeds: int, *, partial: bool = False, of_answers: bool = False) -> None:
    """Print what each change adds, by budget."""
    found: dict[tuple[float, str], dict[int, tuple[float, ...]]] = defaultdict(dict)
    given, n_rows = (tables_of_answers, N_OF_ANSWERS) if of_answers else (tables, N_FITTED)
    for seed, (frame, labels, drawn) in enumerate(given(seeds)):
        schema = half_public(drawn) if partial else drawn
        table = Table.from_frame(frame[:n_rows], labels[:n_rows], schema, on_invalid="coerce")
        rows = read_rows(frame[n_rows:], schema, on_invalid="coerce")
        truth = labels[n_rows:] == sorted(schema.label.classes)[1]
        for epsilon in EPSILONS:
            for name, learner in (tries_of_answers if of_answers else tries)(schema, table, epsilon):
                score = trained(learner, table, Budget(epsilon, DELTA), seed).scores(rows, schema)
                loss = log_loss(truth, expit(score))
                found[epsilon, name][seed] = (np.mean((score > 0) == truth), roc_auc_score(truth, score), -loss)
    for (epsilon, name), values in found.items():
        # Some changes are none on some tables: quartiles without numbers.
        base = 100 * np.array([found[epsilon, "usual"][seed] for seed in values])
        mine = 100 * np.array([*values.values()])
        if name == "usual":
            columns = 24 if of_answers else 12
            at = f"epsilon {epsilon:g}, about {n_rows * epsilon / columns:.3g} to a column:"
            print(f"\n{at}", *base.mean(axis=0).round(2))
            continue
        gain = mine - base
        error = gain.std(axis=0, ddof=1) / len(gain) ** 0.5
        print(f"  {name:24s}", *(f"{m:+7.2f} +- {e:.2f}" for m, e in zip(gain.mean(axis=0), error, strict=True)))


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    main(*(numbers or [2]), partial="partial" in sys.argv, of_answers="answers" in sys.argv)

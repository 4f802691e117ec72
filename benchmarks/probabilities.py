"""What probabilities are worth on drawn tables: `python benchmarks/probabilities.py [LEARNER ...]`.

For each kind of table and epsilon: log-loss of held-out rows, mean probability less the share of the second class, and
the factor that log-odds should be multiplied by; public links of scores without probabilities are a middle of these.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from benchmarks.drawn import KINDS, Drawn
from tacit.errors import PrivacyWarning
from tacit.study.learners import private_learners

N_TRAIN, N_TEST, SEEDS = 8_000, 4_000, range(3)


def tables() -> Iterator[tuple[str, Drawn]]:
    """Yield tables of three kinds, and of one with 7 % positives."""
    for kind in ("people", "curved", "species"):
        yield kind, KINDS[kind].draw(0, N_TRAIN + N_TEST)
    schema, rows, labels = KINDS["people"].draw(10, 2 * (N_TRAIN + N_TEST))
    kept = (labels == "n") | (np.random.default_rng(0).random(len(labels)) < 0.27)
    yield "rare", (schema, rows[kept][: N_TRAIN + N_TEST], labels[kept][: N_TRAIN + N_TEST])


def measured(learner: str, drawn: Drawn, epsilon: float, seed: int) -> tuple[float, float, float]:
    """Return log-loss, bias of the mean probability, and the best factor of the log-odds."""
    schema, rows, labels = drawn
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        model = private_learners()[learner](schema, epsilon=epsilon, random_state=seed)
        model.fit(rows[:N_TRAIN], labels[:N_TRAIN])
    likely = np.clip(model.predict_proba(rows[N_TRAIN:])[:, 1], 1e-9, 1 - 1e-9)
    truth = (labels[N_TRAIN:] == model.classes_[1]).astype(int)
    odds = np.log(likely / (1 - likely))
    factor = LogisticRegression(C=1e6).fit(odds[:, None], truth).coef_[0, 0] if np.ptp(odds) > 0 else np.nan
    return log_loss(truth, likely), float(likely.mean() - truth.mean()), float(factor)


def main() -> None:
    """Print a line for each learner, kind and epsilon."""
    for learner in sys.argv[1:] or private_learners():
        for kind, drawn in tables():
            for epsilon in (0.03, 0.1, 0.3, 1.0, 5.0):
                found = np.mean([measured(learner, drawn, epsilon, seed) for seed in SEEDS], axis=0)
                print(
                    f"{learner:14} {kind:8} {epsilon:5g}  {found[0]:.3f}  {found[1]:+.3f}  {found[2]:.2f}", flush=True
                )


if __name__ == "__main__":
    main()

"""Whether a share of the budget for log-odds makes learners without them better, on synthetic tables alone.

    python benchmarks/paid_links.py [tables of each kind, 1 if not given] [delta, 0 if not given]
    python benchmarks/paid_links.py messy

The tables of ``paid_calibration``, 8,000 rows, as drawn and with positives thinned to 6 in 100, everything private,
simulated noise; with "messy" the table of ``rare_probabilities``, 70,000 rows. For each learner and number of rows
times epsilon, by the public link: accuracy and area under the ROC curve in points, minus the log-loss in hundredths,
and minus how far the mean probability is from the second class's share, in hundredths of that; and what each share of
the budget for sums that calibrate adds, with the standard error over tables. First those of the classes' shares alone.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from auto_rules import N_SCORED
from paid_calibration import N_MESSY, Given, messy_tables, tables
from sklearn.metrics import log_loss, roc_auc_score

from tacit import BRCClassifier, LazyBBClassifier, NaiveBayesClassifier, RadoBoostClassifier, SVMClassifier

LEARNERS = (LazyBBClassifier, SVMClassifier, RadoBoostClassifier, BRCClassifier, NaiveBayesClassifier)
PRODUCTS = (800, 6_400, 24_000)
SHARES = (0.05,)


def scores(positive: np.ndarray, said: np.ndarray, likely: np.ndarray) -> np.ndarray:
    """Return accuracy, area, minus the logarithmic loss, and minus how far the mean probability is from the share."""
    loss, off = log_loss(positive, np.clip(likely, 1e-9, 1 - 1e-9)), abs(likely.mean() / positive.mean() - 1)
    right = float(np.mean(said == positive))
    return 100 * np.asarray([right, roc_auc_score(positive, likely), -loss, -off])


def show(given: Iterable[tuple[str, int, Given]], n_rows: int, delta: float) -> None:
    """Print a line for each learner, kind, number of rows times epsilon, and share."""
    found: dict[tuple[str, str, int, str], list[np.ndarray]] = defaultdict(list)
    for kind, number, (frame, positive, schema) in given:
        names = np.asarray(sorted(schema.label.classes))
        labels, truth, last = names[positive[:n_rows].astype(int)], positive[-N_SCORED:], frame[-N_SCORED:]
        base = np.full(N_SCORED, np.clip(positive[:n_rows].mean(), 1e-3, 1 - 1e-3))
        for made in LEARNERS:
            for product in PRODUCTS:
                usual = None
                for share in (0.0, *SHARES):
                    settings = {"on_invalid": "coerce", "random_state": number, "calibration": share, "delta": delta}
                    model = made(schema, epsilon=product / n_rows, **settings).fit(frame[:n_rows], labels)
                    own = scores(truth, model.predict(last) == names[1], model.predict_proba(last)[:, 1])
                    usual = own if usual is None else usual
                    found[made.__name__, kind, product, f"{share:g}"].append(own - usual if share else own)
                shares = scores(truth, base > 0.5, base)
                found[made.__name__, kind, product, " of shares"].append(shares)
    for key, each in sorted(found.items()):
        means, errors = np.mean(each, axis=0), np.std(each, axis=0, ddof=1) / len(each) ** 0.5
        print(*key, *(f"{mean:+.2f} +- {error:.2f}" for mean, error in zip(means, errors, strict=True)), sep="\t")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if "messy" in sys.argv:
        show(messy_tables(), N_MESSY, delta=0.0)
    else:
        seeds, delta = (*sys.argv[1:], *("1", "0")[len(sys.argv) - 1 :])
        show(tables(int(seeds), 8_000), 8_000, float(delta))

#!/usr/bin/env bash
# fairlearn 0.15.0, ThresholdOptimizer(prefit=True, constraints="demographic_parity"); scikit-learn 1.9.1.
#
# Expected: fit(..., sample_weight=w) with whole weights finds the thresholds of the table in which each row is there w
# times, so that both groups of the population are selected at one rate; an argument that nothing reads is an error.
# Seen: the thresholds are those without weights, to the bit, and no warning is given. In a survey that asked one part of
# a group less often, 84 % of both groups are selected by thresholds of repeated rows, and 59 % and 80 % by those found with
# weights. fit passes what it does not know on to the estimator's fit, which is not called here; a misspelled name is
# taken, too. Not prefit, the model is fitted with the weights, and the thresholds are still found without.
set -euo pipefail
cd "$(mktemp -d)"
python3 -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check fairlearn==0.15.0 scikit-learn==1.9.1 numpy==2.4.6 pandas==3.1.1
venv/bin/python - <<'PY'
import warnings

import numpy as np
from fairlearn.postprocessing import ThresholdOptimizer
from sklearn.linear_model import LogisticRegression

draw = np.random.default_rng(0)
group = draw.integers(0, 2, 4000)
score = draw.normal(group * 0.5, 1, 4000)
true = (draw.random(4000) < 1 / (1 + np.exp(-2 * score))).astype(int)
weight = np.where((group == 1) & (score > 0), 8, 1)
table = score[:, None]
model = LogisticRegression().fit(table, true)


def selected(rows, **arguments):
    """Return the share of each group of the population that thresholds found on some rows select."""
    found = ThresholdOptimizer(
        estimator=model, constraints="demographic_parity", prefit=True, predict_method="predict_proba"
    ).fit(table[rows], true[rows], sensitive_features=group[rows], **arguments)
    chosen = found.predict(table, sensitive_features=group, random_state=0)
    return [float(np.average(chosen[group == each], weights=weight[group == each])) for each in (0, 1)]


every = np.arange(4000)
with warnings.catch_warnings():
    warnings.simplefilter("error")
    without, weighted = selected(every), selected(every, sample_weight=weight)
    misspelled = selected(every, sample_wieght=weight)
repeated = selected(np.repeat(every, weight))
for name, shares in (("without weights", without), ("with weights", weighted), ("repeated rows", repeated)):
    print(f"{name}: {shares[0]:.3f} and {shares[1]:.3f} selected")
assert weighted == misspelled == without, "weights count, or are refused"
assert abs(repeated[0] - repeated[1]) < 0.03 and weighted[1] - weighted[0] > 0.15
PY

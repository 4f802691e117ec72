#!/usr/bin/env bash
# venn-abers 1.5.4, VennAbersCalibrator.predict_proba of three classes; numpy 2.4.6, scikit-learn 1.7.2.
#
# Expected: probabilities of three classes go in, and calibrated ones of three classes come out, also where the rows to
# calibrate by have none of a rare class (2 % here): that class keeps what the model said, or there is an error.
# Seen: two columns come out. They follow from the column of the class that has no rows, and not from those of the two
# that have: the correlation with the first class's probabilities is 0.09, where it is 0.98 if all three have rows, and
# many answers are beyond 0 and 1: from -0.25 to 1.25. No error names a class; NumPy warns of a slice of NaN.
set -euo pipefail
cd "$(mktemp -d)"
python3 -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check venn-abers==1.5.4 numpy==2.4.6 scikit-learn==1.7.2
venv/bin/python - <<'PY'
import numpy as np
from venn_abers import VennAbersCalibrator

draw = np.random.default_rng(0)


def rows(number):
    """Return probabilities of three classes, the second one rare, and classes that come true as often."""
    likely = draw.dirichlet([4, 0.1, 4], number)
    return likely, np.asarray([draw.choice(3, p=each) for each in likely])


(known, truth), (asked, _) = rows(2000), rows(1000)
common = truth != 1
every = VennAbersCalibrator().predict_proba(p_cal=known, y_cal=truth, p_test=asked)
some = VennAbersCalibrator().predict_proba(p_cal=known[common], y_cal=truth[common], p_test=asked)
agree = [float(np.corrcoef(found[:, 0], asked[:, 0])[0, 1]) for found in (every, some)]
print(every.shape, some.shape, "correlation with the first class's probability:", agree)
print("least and most:", some.min(), some.max())
assert every.shape == (1000, 3) and agree[0] > 0.95
assert some.shape == (1000, 2) and abs(agree[1]) < 0.3, "three columns, or those of the classes with rows"
assert some.min() < 0 and some.max() > 1, "probabilities"
PY

#!/usr/bin/env bash
# interpret-core 0.7.8, DPExplainableBoostingClassifier, feature_types=["nominal"].
#
# Expected: of a column with two categories of about 1,500 rows each and one of 3, the two common ones are bins of their
# own, and the rare one is pooled or dropped.
# Seen: one of the two common categories has no bin. Categories whose noisy count is below rows / max_bins are pooled, and
# a pool that is itself below that takes the smallest other category with it. Which of the two it is changes with the
# noise. Without the three rare rows both are bins. The fitted model then treats half of the people as "other".
set -euo pipefail
cd "$(mktemp -d)"
python3 -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check interpret-core==0.7.8 scikit-learn==1.9.1 numpy==2.4.6 pandas==3.1.1
venv/bin/python -W ignore - <<'PY'
import numpy as np
import pandas as pd
from interpret.privacy import DPExplainableBoostingClassifier


def bins(*counts):
    """Return the categories that have a bin of their own, fit by fit."""
    cells = np.repeat(["a", "b", "rare"][: len(counts)], counts)
    named = []
    for seed in range(5):
        model = DPExplainableBoostingClassifier(epsilon=1.0, delta=1e-6, feature_types=["nominal"], random_state=seed)
        model.fit(pd.DataFrame({"column": cells}), np.where(cells == "a", "x", "y"))
        named.append(sorted(model.bins_[0][0]))
    return named


even, with_rare = bins(1500, 1500), bins(1500, 1497, 3)
print("two common categories:          ", even)
print("and three rows of a third one:  ", with_rare)
assert all(names == ["a", "b"] for names in even)
assert all(len(set(names) & {"a", "b"}) == 1 for names in with_rare), "both common categories kept a bin"
PY

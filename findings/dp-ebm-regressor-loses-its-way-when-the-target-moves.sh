#!/usr/bin/env bash
# interpret-core 0.7.8, DPExplainableBoostingRegressor, bounds of columns and of the target given.
#
# Expected: a target between 100 and 101, declared so, is learned as well as the same target less 100, declared between 0
# and 1: both have the same range, and so the same noise. Predictions are within the declared bounds, which cost nothing.
# Seen: at epsilon 1 the correlation of predictions with a target that is a column itself falls from 0.99 to below 0.5,
# and predictions go from 96 to 104. Boosting starts at zero, so that its budget goes into the way there. A person who
# predicts years or temperatures in kelvin has to take the lower bound off first, and to add it again.
set -euo pipefail
cd "$(mktemp -d)"
python3 -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check interpret-core==0.7.8 scikit-learn==1.9.1 numpy==2.4.6 pandas==3.1.1
venv/bin/python -W ignore - <<'PY'
import numpy as np
from interpret.privacy import DPExplainableBoostingRegressor

columns = np.random.default_rng(0).random((5000, 2))


def fitted(moved, seed):
    """Return the correlation with the target, and the range of predictions less where the bounds begin."""
    model = DPExplainableBoostingRegressor(
        epsilon=1.0,
        delta=1e-6,
        privacy_bounds={0: (0, 1), 1: (0, 1)},
        privacy_target_min=moved,
        privacy_target_max=moved + 1,
        random_state=seed,
    )
    found = model.fit(columns, columns[:, 0] + moved).predict(columns)
    return np.corrcoef(found, columns[:, 0])[0, 1], found.min() - moved, found.max() - moved


for seed in range(3):
    (near, *near_range), (far, *far_range) = fitted(0.0, seed), fitted(100.0, seed)
    print(f"target in [0, 1]: correlation {near:.3f}, predictions in {np.round(near_range, 2)}")
    print(f"target in [100, 101]: correlation {far:.3f}, predictions in 100 + {np.round(far_range, 2)}")
    assert near > 0.95 and min(near_range) > -0.2 and max(near_range) < 1.2
    assert far < 0.8, "the moved target is learned as well"
    assert min(far_range) < -1 and max(far_range) > 2, "predictions are within the bounds"
PY

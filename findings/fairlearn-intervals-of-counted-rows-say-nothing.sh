#!/usr/bin/env bash
# fairlearn 0.15.0, MetricFrame with sample_params and n_boot; scikit-learn 1.9.1.
#
# Expected: rows that are counts by group, class and prediction, each with its count as sample_weight, have the measures of
# the people counted, and about their bootstrap intervals.
# Seen: the measures are the same; the intervals of eight counted rows are [0, 1], where those of the 4,000 people have a
# width of 0.06. The bootstrap draws rows, and not what they weigh. Counts that a private release publishes have to bring
# their own intervals.
set -euo pipefail
cd "$(mktemp -d)"
python3 -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check fairlearn==0.15.0 scikit-learn==1.9.1 numpy==2.4.6 pandas==3.1.1
venv/bin/python -W ignore - <<'PY'
import numpy as np
import pandas as pd
from fairlearn.metrics import MetricFrame
from sklearn.metrics import recall_score

draw = np.random.default_rng(0)
people = pd.DataFrame({"group": draw.choice(["a", "b"], 4000), "true": draw.integers(0, 2, 4000)})
people["said"] = (draw.random(4000) < np.where(people["true"], 0.7, 0.3)).astype(int)
counts = people.value_counts().reset_index()


def recall(rows, weights):
    """Return the recall of each group, and the width of its interval."""
    frame = MetricFrame(
        metrics={"recall": recall_score},
        y_true=rows["true"],
        y_pred=rows["said"],
        sensitive_features=rows["group"],
        sample_params={"recall": {"sample_weight": weights}},
        n_boot=200,
        ci_quantiles=[0.025, 0.975],
        random_state=0,
    )
    low, high = frame.by_group_ci
    return frame.by_group["recall"].to_numpy(), (high["recall"].to_numpy() - low["recall"].to_numpy())


(rows, width), (counted, counted_width) = recall(people, np.ones(4000)), recall(counts, counts["count"].to_numpy(float))
print("recall of people:", rows.round(3), "interval widths", width.round(3))
print("recall of counts:", counted.round(3), "interval widths", counted_width.round(3))
assert np.allclose(rows, counted) and len(counts) == 8
assert width.max() < 0.08
assert counted_width.min() > 0.9, "counted rows have intervals of people"
PY

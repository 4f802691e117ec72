#!/usr/bin/env bash
# mapie 1.6.0, SplitConformalClassifier(prefit=True); scikit-learn 1.9.1.
#
# Expected: a fitted classifier that predicts a table with a text column has prediction sets, be it a pipeline, a grid search
# over that pipeline, the pipeline calibrated, or boosting that reads categories itself.
# Seen: only the pipeline has. Of the others conformalize raises "Estimator does not appear fitted": mapie.utils predicts one
# row of zeros as a check, an array without names or texts, and takes any error as that. Of a pipeline it asks its last
# step alone, which sees numbers. A class that passes predict and predict_proba on, and has no n_features_in_, is not asked;
# its sets are then those of the pipeline.
set -euo pipefail
cd "$(mktemp -d)"
python3 -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check mapie==1.6.0 scikit-learn==1.9.1 numpy==2.4.6 pandas==3.1.1
venv/bin/python -W ignore - <<'PY'
import numpy as np
import pandas as pd
from mapie.classification import SplitConformalClassifier
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder


class PassedOn(ClassifierMixin, BaseEstimator):
    def __init__(self, fitted):
        self.fitted = fitted
        self.classes_ = fitted.classes_

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.fitted.predict(X)

    def predict_proba(self, X):
        return self.fitted.predict_proba(X)


draw = np.random.default_rng(0)
rows = pd.DataFrame({"job": draw.choice(["nurse", "cook"], 600), "age": draw.uniform(18, 90, 600)})
works = ((rows["job"] == "nurse") ^ (draw.random(600) < 0.2)).astype(int)
encode = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough")
pipeline = make_pipeline(encode, LogisticRegression())
search = GridSearchCV(pipeline, {"logisticregression__C": [1.0]}).fit(rows, works)
listed = rows.astype({"job": "category"})
models = {
    "pipeline": (search.best_estimator_, rows),
    "grid search": (search, rows),
    "calibrated": (CalibratedClassifierCV(pipeline).fit(rows, works), rows),
    "boosting": (HistGradientBoostingClassifier(max_iter=5).fit(listed, works), listed),
    "grid search, passed on": (PassedOn(search), rows),
}
sets = {}
for name, (model, table) in models.items():
    assert np.mean(model.predict(table) == works) > 0.7
    conformal = SplitConformalClassifier(model, confidence_level=0.9, prefit=True)
    try:
        sets[name] = conformal.conformalize(table[:300], works[:300]).predict_set(table[300:])[1][:, :, 0]
        print(f"{name}: {sets[name].sum(axis=1).mean():.2f} classes a set")
    except UserWarning as said:
        print(f"{name}: {said.args[0][:110]}")
        assert "does not appear fitted" in said.args[0]
assert sorted(sets) == ["grid search, passed on", "pipeline"], "other fitted models have sets"
assert np.array_equal(*sets.values())
PY

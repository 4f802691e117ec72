"""The tally of fits states the sum that was spent, across schemas, and in worker processes what it cannot see."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import warnings
import weakref
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV

from tacit import (
    BRCClassifier,
    Categorical,
    Kinds,
    Label,
    NaiveBayesClassifier,
    Numeric,
    PrivacyWarning,
    Schema,
    learn_bounds,
    learn_schema,
    load_model,
    make_rados,
)
from tacit.audit import audit_certificate, read_certificate
from tacit.estimators import Spent, forget_fits, spent
from tacit.estimators.tally import count_fit
from tacit.ledger import Account, Ledger
from tacit.ledger.verify import Certificate, verify
from tacit.models.document import certificate_digest
from tacit.privacy.assumptions import after_fits, as_fitted, assumptions_for
from tacit.privacy.loss import Budget

SCHEMA = Schema([Numeric("a", -1, 1), Numeric("b", -1, 1)], label=Label("y", [0, 1]))
X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
Y = (X[:, 0] > 0).astype(int)


@pytest.fixture(autouse=True)
def _from_zero():
    forget_fits()
    yield
    forget_fits()


def sums(caught):
    return [str(each.message) for each in caught if "private fits in" in str(each.message)]


def test_warnings_come_as_the_sum_doubles_and_state_it():
    said = []
    for fit in range(1, 10):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            clone(NaiveBayesClassifier(SCHEMA, epsilon=0.5, delta=1e-9)).fit(X, Y)
        said += [(fit, text) for text in sums(caught)]
    assert [fit for fit, _ in said] == [2, 4, 8]
    for fit, text in said:
        assert f"{fit} private fits" in text
        assert f"epsilon {fit * 0.5:g} and delta {fit * 1e-9:g}" in text
    assert spent(SCHEMA) == Spent(9, 4.5, pytest.approx(9e-9))


def test_a_large_fit_is_told_at_once_and_a_growing_delta_too():
    def said(epsilon, delta=0.0):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            count_fit(SCHEMA, Budget(epsilon, delta))
        return sums(caught)

    assert [len(said(1.0)) for _ in range(3)] == [0, 1, 0]
    assert "epsilon 10 " in said(7.0)[0]
    assert "delta 1e-06" in said(0.01, 1e-6)[0]
    assert said(0.01, 1e-9) == []


def test_two_schemas_with_a_column_or_a_label_in_common_add_up():
    wider = Schema([Numeric("a", -5, 5), Categorical("c", ["u", "v"])], label=Label("z", [0, 1], private=False))
    apart = Schema([Numeric("tower", 0, 9)], label=Label("falls", [0, 1]))
    relabeled = Schema([Numeric("b", -1, 1, private=False)], label=Label("y", [0, 1]))
    with pytest.warns(PrivacyWarning, match="epsilon 3 ") as caught:
        count_fit(SCHEMA, Budget(1.0))
        count_fit(wider, Budget(2.0))
        count_fit(apart, Budget(50.0))
    assert len(caught) == 1
    assert (spent(SCHEMA).epsilon, spent(wider).epsilon, spent(apart).epsilon) == (3.0, 3.0, 50.0)
    assert spent(relabeled) == Spent(1, 1.0, 0.0)  # the label alone
    with pytest.warns(PrivacyWarning, match="2 private fits in this process.*epsilon 6 "):
        count_fit(relabeled, Budget(5.0))


def test_every_way_to_fit_counts_and_public_ones_do_not():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        BRCClassifier(SCHEMA, epsilon=1.0).fit(X, Y)
        make_rados(X, Y, SCHEMA, epsilon=2.0, count=5)
        public = SCHEMA.with_private([], label=False)
        NaiveBayesClassifier(public, epsilon=9.0).fit(X, Y)
    assert spent(SCHEMA) == Spent(2, 3.0, 0.0)
    assert spent(public) == Spent()


WORKERS = """
import warnings
import numpy as np
from sklearn.model_selection import cross_val_score
from tacit import Label, NaiveBayesClassifier, Numeric, Schema
schema = Schema([Numeric("a", -1, 1)], label=Label("y", [0, 1]))
X = np.linspace(-1, 1, 60)[:, None]
if __name__ == "__main__":
    cross_val_score(NaiveBayesClassifier(schema, epsilon=1.0), X, (X[:, 0] > 0).astype(int), cv=4, n_jobs=2)
"""


def test_a_worker_says_that_it_sees_its_own_fits_only(tmp_path):
    script = tmp_path / "workers.py"
    script.write_text(WORKERS)
    ended = subprocess.run(
        [sys.executable, "-W", "always", script], capture_output=True, text=True, check=True, env=os.environ
    )
    assert ended.stderr.count("This is a worker process") >= 1
    assert "tacit.search_cost says beforehand" in ended.stderr


@pytest.mark.parametrize("rows", [X.copy(), pd.DataFrame(X, columns=["a", "b"])], ids=["array", "frame"])
def test_predictions_of_the_fitted_rows_are_warned_of_once(rows):
    model = NaiveBayesClassifier(SCHEMA, epsilon=1.0).fit(rows, Y)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.predict(rows.copy())
        assert not caught
        permutation_importance(model, rows, Y, n_repeats=2, random_state=0)
        model.score(rows, Y)
    assert sum("answers without noise" in str(each.message) for each in caught) == 1
    public = NaiveBayesClassifier(SCHEMA.with_private([], label=False), epsilon=1.0).fit(rows, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        public.predict(rows)


def test_the_rows_are_not_kept():
    rows = X.copy()
    model = NaiveBayesClassifier(SCHEMA, epsilon=1.0).fit(rows, Y)
    again = pickle.loads(pickle.dumps(model))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again.predict(rows)
    seen = weakref.ref(rows)
    del rows
    gc.collect()
    assert seen() is None
    listed = NaiveBayesClassifier(SCHEMA, epsilon=1.0).fit(X.tolist(), Y)
    listed.predict(X.tolist())


def saved(model, path, **allow):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.save(path, **allow)
    return load_model(path).guarantee, [str(each.message) for each in caught]


def quietly(estimator, **given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(X, Y, **given)


def test_a_model_of_a_search_is_saved_with_the_number_of_fits_before_it(tmp_path):
    """Two candidates on three folds each, and the refit: six others."""
    search = quietly(GridSearchCV(NaiveBayesClassifier(SCHEMA, epsilon=0.5), {"n_bins": [2, 4]}, cv=3))
    guarantee, said = saved(search.best_estimator_, tmp_path / "m.json")
    sentence = "6 fits of these columns were made before in this process; a choice by their scores is not covered"
    assert guarantee.assumptions.count(sentence) == 1
    assert "settings were chosen without looking at these rows" not in guarantee.assumptions
    assert len(said) == 1 and said[0].startswith("6 other private fits of these columns")
    assert audit_certificate(read_certificate(tmp_path / "m.json")).verdict != "refuted"
    # What the fit itself said stays, and so do the certificate's other parts.
    fitted = search.best_estimator_.privacy_
    assert as_fitted(guarantee.assumptions) == fitted.assumptions
    assert replace(guarantee, assumptions=fitted.assumptions) == fitted
    assert certificate_digest(guarantee) == certificate_digest(fitted)


def test_an_only_fit_says_nothing_nor_do_fits_of_other_columns(tmp_path):
    quietly(
        NaiveBayesClassifier(Schema([Numeric("t", -1, 1), Numeric("u", -1, 1)], label=Label("v", [0, 1])), epsilon=1.0)
    )
    model = quietly(NaiveBayesClassifier(SCHEMA, epsilon=0.5))
    guarantee, said = saved(model, tmp_path / "m.json")
    assert said == [] and guarantee == model.privacy_


def test_the_best_of_several_fits_is_saved_with_those_after_it_too(tmp_path):
    models = [quietly(NaiveBayesClassifier(SCHEMA, epsilon=0.5, n_bins=bins)) for bins in (2, 4)]
    guarantee, said = saved(models[0], tmp_path / "m.json")
    assert guarantee.assumptions[2].startswith("1 fit of these columns was made before")
    assert len(said) == 1
    assert [len(saved(model, tmp_path / "m.json")[1]) for model in models] == [1, 1]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_a_copy_of_the_only_fit_says_nothing(tmp_path, copied):
    model = quietly(NaiveBayesClassifier(SCHEMA, epsilon=0.5))
    assert saved(copied(model), tmp_path / "m.json") == (model.privacy_, [])
    quietly(NaiveBayesClassifier(SCHEMA, epsilon=0.5))
    assert len(saved(copied(model), tmp_path / "m.json")[1]) == 1
    forget_fits()  # as in a process that only reads the estimator, where its fit is not in the tally
    quietly(NaiveBayesClassifier(SCHEMA, epsilon=0.5))
    assert saved(copied(model), tmp_path / "m.json")[0].assumptions[2].startswith("1 fit of these columns was made")


def test_a_fit_that_can_be_repeated_leaves_the_same_estimator():
    models = [quietly(NaiveBayesClassifier(SCHEMA, epsilon=0.5, random_state=0)) for _ in range(2)]
    assert pickle.dumps(models[0]) == pickle.dumps(models[1])


def learned():
    rows = pd.DataFrame({"a": np.tile(X[:, 0], 9), "y": np.tile(np.where(Y, "yes", "no"), 9)})
    return learn_schema(rows, Kinds({"a": "number", "y": "category"}), label="y", epsilon=9.0, delta=1e-6)


def test_the_certificate_of_a_fit_covers_the_learning_of_its_schema(tmp_path):
    schema = learned()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = NaiveBayesClassifier(schema, epsilon=0.5).fit(X[:, :1], np.where(Y, "yes", "no"))
    assert sums(caught) == []
    assert saved(model, tmp_path / "m.json") == (model.privacy_, [])
    assert spent(schema).epsilon == model.privacy_.epsilon == 9.5


@pytest.mark.filterwarnings("ignore:.*private fits in this process")
def test_the_learning_of_bounds_is_covered_as_far_as_it_goes(tmp_path):
    rows = pd.DataFrame({"a": np.tile(X[:, 0], 9), "b": 0.5, "y": np.tile(Y, 9)})
    schema = Schema([Numeric("a"), Numeric("b", 0, 1)], label=Label("y", [0, 1]))
    bounded = learn_bounds(rows, schema, epsilon=9.0)
    model = NaiveBayesClassifier(bounded, epsilon=0.5).fit(rows, rows["y"])
    assert saved(model, tmp_path / "m.json") == (model.privacy_, [])
    # Of the column that was not learned another fit was made.
    NaiveBayesClassifier(Schema([Numeric("b", 0, 1)], label=replace(schema.label, private=False)), epsilon=0.5).fit(
        rows, rows["y"]
    )
    assert saved(model, tmp_path / "m.json")[0].assumptions[2].startswith("1 fit of these columns was made before")


def test_a_schema_that_was_learned_before_another_is_not_covered(tmp_path):
    learned()
    with pytest.warns(PrivacyWarning, match="2 private fits in this process"):
        schema = learned()
    with pytest.warns(PrivacyWarning):
        model = NaiveBayesClassifier(schema, epsilon=20.0).fit(X[:, :1], np.where(Y, "yes", "no"))
    assert saved(model, tmp_path / "m.json")[0].assumptions[2].startswith("1 fit of these columns was made before")


def test_a_search_that_was_paid_for_says_both():
    said = assumptions_for(None, searched=True)
    found = after_fits(said, 7)
    assert found[:-1] == said and found[-1].startswith("7 fits of these columns were made before")
    assert as_fitted(found) == said


def test_what_promises_nothing_is_saved_as_it_is(tmp_path):
    files = []
    for at in range(2):
        model = quietly(NaiveBayesClassifier(SCHEMA, epsilon=0.5, random_state=0))
        assert saved(model, tmp_path / f"{at}.json", allow="simulated")[1] == []
        files.append((tmp_path / f"{at}.json").read_bytes())
    assert files[0] == files[1]


def test_a_ledger_knows_what_was_saved_after_a_search(tmp_path):
    ledger = Ledger(tmp_path / "a.ledger")
    ledger.open(Account.of("a", Budget(9.0)))
    search = quietly(
        GridSearchCV(NaiveBayesClassifier(SCHEMA, epsilon=0.5, ledger=ledger.path), {"n_bins": [2, 4]}, cv=2)
    )
    guarantee, said = saved(search.best_estimator_, tmp_path / "m.json")
    assert len(said) == 1 and guarantee.charge is not None
    assert verify(ledger, [Certificate("m", guarantee, certificate_digest(guarantee))]) == ()

"""LogisticClassifier and SVMClassifier: certificates, files, four kinds of privacy, methods, bad input."""

from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from tacit.errors import ParameterError, TableError
from tacit.estimators import LogisticClassifier, SVMClassifier
from tacit.models import read_model
from tacit.schema import Categorical, Label, Numeric, Schema

SCHEMA = Schema(
    [Numeric("x", -1, 1), Numeric("z", 0, 100), Categorical("c", ["a", "b"], private=False)],
    label=Label("y", ["no", "yes"], private=False),
)
CASES = {
    "partial": SCHEMA,
    "all": SCHEMA.all_private(),
    "label only": SCHEMA.with_private([], label=True),
    "label private, columns in part": SCHEMA.with_private(["x"], label=True),
    "nothing": SCHEMA.with_private([], label=False),
    "one private column": SCHEMA.with_private(["x"], label=False),
    "no public column": SCHEMA.with_private(["x", "z", "c"], label=False),
}
SVM, LOGISTIC = partial(SVMClassifier, calibration=0.0), partial(LogisticClassifier, calibration=0.0)
"""Without what makes log-odds of scores, or calibrates them."""

BOTH = pytest.mark.parametrize("kind", [LOGISTIC, SVM], ids=["logistic", "svm"])


def rows(n_rows=2000):
    generator = np.random.default_rng(0)
    x = generator.uniform(-1, 1, n_rows)
    frame = np.empty((n_rows, 3), dtype=object)
    frame[:, 0], frame[:, 1] = x, generator.uniform(0, 100, n_rows)
    frame[:, 2] = np.where(x + generator.normal(0, 1, n_rows) > 0, "a", "b")
    return frame, np.where(x > 0, "yes", "no")


@BOTH
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("encoding", ["binned", "one-hot", "ordinal"])
def test_it_learns_in_all_cases(kind, case, encoding):
    X, y = rows()
    model = kind(CASES[case], epsilon=8.0, encoding=encoding, cut_points="grid", random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    public = case == "nothing"
    assert model.privacy_.status == ("public" if public else "simulated")
    assert len(model.privacy_.releases) == (0 if public else 1)
    assert sum(line.loss for line in model.privacy_.releases) <= 8.0
    exact = [form.columns for form in model.model_.scorers[0].forms if form.source == "public"]
    assert [name for columns in exact for name in columns] == (
        list(CASES[case].public_columns) if not CASES[case].label.private else []
    )


@pytest.mark.parametrize(
    ("kind", "method", "delta", "accuracy"),
    [
        (LOGISTIC, "k-norm", 0.0, 0.9),
        (LOGISTIC, "k-norm", 1e-6, 0.9),
        (LOGISTIC, "objective-perturbation", 0.0, 0.9),
        (LOGISTIC, "mean-operator", 0.0, 0.85),
        (LOGISTIC, "mean-operator", 1e-6, 0.85),
        (LOGISTIC, "gaussian-objective", 1e-6, 0.9),
        (SVM, "k-norm", 0.0, 0.9),
        (SVM, "objective-perturbation", 0.0, 0.85),
        (SVM, "auto", 1e-6, 0.85),
    ],
)
@pytest.mark.parametrize("case", ["partial", "all"])
def test_every_method_learns_within_its_budget(kind, method, delta, accuracy, case):
    X, y = rows()
    settings = {"epsilon": 8.0, "delta": delta, "method": method, "cut_points": "grid"}
    model = kind(CASES[case], random_state=1, **settings).fit(X, y)
    assert model.score(X, y) > accuracy
    [line] = model.privacy_.releases
    assert line.loss <= 8.0 and line.delta <= delta
    assert line.delta == (delta if method in ("gaussian-objective", "auto") else 0)
    assert "masked by exact grid noise" in line.sampler


@BOTH
def test_secure_noise_makes_a_private_certificate_and_a_file(kind, tmp_path):
    X, y = rows()
    model = kind(SCHEMA, epsilon=2.0).fit(X, y)
    assert model.privacy_.status == "private"
    assert "exact draw, floating-point rounding masked" in " ".join(str(model.privacy_).split())
    model.save(tmp_path / "model.json")
    assert (read_model(tmp_path / "model.json").decision_function(X) == model.decision_function(X)).all()
    assert (pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all()


def test_probabilities_are_those_of_the_log_odds():
    X, y = rows()
    model = LOGISTIC(SCHEMA, epsilon=5.0, random_state=0).fit(X, y)
    likely = model.predict_proba(X)
    assert likely.sum(axis=1) == pytest.approx(1)
    assert np.log(likely[:, 1] / likely[:, 0]) == pytest.approx(model.decision_function(X))


def test_without_privacy_it_is_scikit_learns_optimum():
    """Nothing private, and the intercept regularized as a constant feature."""
    generator = np.random.default_rng(1)
    schema = Schema([Numeric(n, -1, 1, private=False) for n in "ab"], label=Label("y", [0, 1], private=False))
    X = np.rint(generator.uniform(-1, 1, (3000, 2)) * 2**20) / 2**20
    y = (X @ [1.0, -2.0] + generator.normal(0, 1, 3000) > 0).astype(int)
    ours = LOGISTIC(schema, epsilon=1.0, encoding="one-hot", regularization=0.25).fit(X, y)
    theirs = LogisticRegression(C=4.0, fit_intercept=False, tol=1e-12, max_iter=10_000)
    theirs.fit(np.column_stack([X, np.ones(3000)]), y)
    [form] = ours.model_.scorers[0].forms
    assert [*form.weights, ours.model_.scorers[0].intercept] == pytest.approx(theirs.coef_[0], abs=2e-6)


def test_a_large_epsilon_comes_to_the_exact_optimum():
    X, y = rows()
    private = LOGISTIC(SCHEMA.all_private(), epsilon=1e6, regularization=5.0, random_state=0).fit(X, y)
    exact = LOGISTIC(SCHEMA.with_private([], label=False), epsilon=1.0, regularization=5.0, encoding="binned").fit(X, y)
    assert np.corrcoef(private.decision_function(X), exact.decision_function(X))[0, 1] > 0.98


def test_the_public_model_is_the_same_whatever_is_private():
    X, y = rows()
    models = []
    for change in (0, 1):
        changed = X.copy()
        changed[7, 0] = -changed[7, 0] if change else changed[7, 0]
        model = LOGISTIC(SCHEMA, epsilon=1.0, random_state=0).fit(changed, y)
        models.append([form for form in model.model_.scorers[0].forms if form.source == "public"])
    assert models[0] == models[1] != []


@BOTH
def test_more_classes_divide_the_budget(kind):
    generator = np.random.default_rng(0)
    schema = Schema([Numeric("x", -1, 1)], label=Label("y", [0, 1, 2, 3]))
    X = generator.uniform(-1, 1, (4000, 1))
    y = np.clip((X[:, 0] + 1) * 1.5, 0, 2).astype(int)  # the last class has no rows
    model = kind(schema, epsilon=20.0, cut_points="grid", random_state=0).fit(X, y)
    assert [line.loss for line in model.privacy_.releases] == [5.0] * 4
    assert model.score(X, y) > 0.85
    gaussian = kind(schema, epsilon=20.0, delta=4e-6, method="gaussian-objective", random_state=0).fit(X, y)
    assert sum(line.loss for line in gaussian.privacy_.releases) <= 20.0
    assert sum(line.delta for line in gaussian.privacy_.releases) <= 4e-6
    # Cut points are paid for purely, as the objective spends the whole delta.
    assert [line.delta for line in gaussian.privacy_.releases] == [0.0, 0.0, 0.0, 1e-6] * 4
    assert (model.decision_function(X).shape, gaussian.decision_function(X).shape) == ((4000, 4), (4000, 4))


def test_the_releases_hold_nothing_of_the_rows():
    """Two tables, one release each: the lines differ in nothing."""
    X, y = rows()
    one, two = (
        LOGISTIC(SCHEMA.all_private(), epsilon=1.0, random_state=0).fit(X[part], y[part]).privacy_.releases
        for part in (slice(0, 1000), slice(1000, 2000))
    )
    assert one == two


def test_a_seed_repeats_the_fit():
    X, y = rows()
    one, two, other = (LOGISTIC(SCHEMA, epsilon=1.0, random_state=seed).fit(X, y).model_ for seed in (0, 0, 1))
    assert one == two != other


@BOTH
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"method": "newton"}, "method"),
        ({"encoding": "cubic"}, "encoding"),
        ({"n_bins": 1}, "n_bins"),
        ({"n_bins": 2.5}, "n_bins"),
        ({"n_bins": True}, "n_bins"),
        ({"regularization": 0}, "regularization"),
        ({"regularization": -1.0}, "regularization"),
        ({"regularization": "little"}, "regularization"),
        ({"regularization": float("nan")}, "regularization"),
        ({"intercept": "yes"}, "intercept"),
        ({"epsilon": None}, "epsilon"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"delta": 0.5}, "delta"),
        ({"method": "gaussian-objective"}, "delta"),
    ],
)
def test_bad_parameters_are_named(kind, settings, words):
    X, y = rows(100)
    with pytest.raises(ParameterError, match=words):
        clone(kind(SCHEMA, **{"epsilon": 1.0} | settings)).fit(X, y)


def test_a_huber_width_is_checked():
    with pytest.raises(ParameterError, match="huber"):
        SVMClassifier(SCHEMA, epsilon=1.0, huber=0.0).fit(*rows(100))


@BOTH
def test_bad_rows_are_refused_and_coded(kind):
    X, y = rows(200)
    X[3, 0], X[5, 2] = np.nan, "unheard of"
    with pytest.raises(TableError) as failure:
        kind(SCHEMA, epsilon=1.0).fit(X, y)
    assert "unheard" not in str(failure.value)
    model = kind(SCHEMA, epsilon=5.0, on_invalid="coerce", random_state=0).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()


@BOTH
def test_one_class_and_one_row_train_when_the_label_is_private(kind):
    X, y = rows(50)
    assert kind(SCHEMA.all_private(), epsilon=5.0, random_state=0).fit(X, np.full(50, "yes")).score(X, y) >= 0
    assert len(kind(SCHEMA.all_private(), epsilon=5.0, random_state=0).fit(X[:1], y[:1]).predict(X)) == 50
    with pytest.raises(TableError, match="two classes"):
        kind(SCHEMA, epsilon=5.0).fit(X, np.full(50, "yes"))


@pytest.mark.parametrize(("encoding", "features"), [("binned", 8 + 8 + 2), ("auto", 1 + 1 + 2)])
def test_the_method_follows_from_rows_budget_and_coefficients(encoding, features):
    X, y = rows()
    schema = SCHEMA.all_private()
    models = [
        LOGISTIC(schema, epsilon=12 * features / 2000 * times, encoding=encoding, random_state=0).fit(X, y)
        for times in (0.99, 1.01)
    ]
    names = [model.privacy_.releases[0].mechanism for model in models]
    assert names == ["K-norm", "K-norm objective perturbation"]
    svm = SVMClassifier(schema, epsilon=0.01, random_state=0).fit(X, y)
    assert svm.privacy_.releases[0].mechanism == "K-norm objective perturbation"


@BOTH
def test_more_rows_and_budget_get_more_bins(kind):
    X, y = rows()
    schema = SCHEMA.all_private()
    for epsilon, parts in ((6.0, 8), (14.0, 12), (30.0, 18)):
        [form] = kind(schema, epsilon=epsilon, cut_points="grid", random_state=0).fit(X, y).model_.scorers[0].forms
        assert (form.n_bins, len(form.weights)) == (parts, 2 * parts + 2)


@BOTH
def test_private_cut_points_take_a_tenth_and_are_in_the_file(kind, tmp_path):
    X, y = rows()
    schema = Schema(
        [Numeric("x", -1, 1e6), Numeric("z", 0, 1e8), Categorical("c", ["a", "b"])], label=SCHEMA.label
    ).all_private()
    model = kind(schema, epsilon=8.0, n_bins=12).fit(X, y)
    paid = [line.loss for line in model.privacy_.releases if line.query.startswith("medians of ")]
    assert len(paid) == 2 * 3
    assert sum(paid) == pytest.approx(0.8, rel=1e-3)
    assert model.score(X, y) > 0.85 > kind(schema, epsilon=8.0, cut_points="grid", random_state=0).fit(X, y).score(X, y)
    model.save(tmp_path / "model.json")
    again = read_model(tmp_path / "model.json")
    assert again.scorers[0].cuts == model.model_.scorers[0].cuts
    assert (again.decision_function(X) == model.decision_function(X)).all()


@BOTH
@pytest.mark.parametrize("case", ["partial", "all", "nothing"])
def test_a_regularization_without_end_is_refused_before_noise_is_drawn(kind, case, monkeypatch):
    """2000 rows; three columns at most with an intercept, curvature 1/4 or 10."""
    X, y = rows()
    monkeypatch.setattr("tacit.estimators.base.Accountant", None)
    with pytest.raises(ParameterError, match=r"Expected a regularization of at least .* for 2000 rows, got .*1e-06"):
        kind(CASES[case], epsilon=30.0, regularization=1e-6).fit(X, y)


@BOTH
def test_a_table_of_more_coefficients_than_are_factored(kind):
    generator = np.random.default_rng(0)
    schema = Schema([Numeric(f"x{i}", -1, 1) for i in range(80)], label=Label("y", [0, 1]))
    X = generator.uniform(-1, 1, (2000, 80))
    y = (X[:, 0] > 0).astype(int)
    model = kind(schema, epsilon=1e4, method="k-norm", random_state=0).fit(X, y)
    assert len(model.model_.scorers[0].forms[0].weights) > 512
    assert model.score(X, y) > 0.9

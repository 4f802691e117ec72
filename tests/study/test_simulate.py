"""Rows made from a schema alone: what the schema admits, spread as it says, with labels that can be learned."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.preprocessing import PolynomialFeatures

from tacit.datasets.catalog import load_schema, names
from tacit.errors import ParameterError
from tacit.features import LinearEncoding
from tacit.schema import Categorical, Label, Numeric, Schema, Target
from tacit.study.simulate import simulate
from tacit.table import read_labels, read_rows
from tacit.table.files import read_with_labels

LABEL = Label("y", ["no", "yes"])
MIXED = Schema(
    [
        Numeric("age", 17, 90, center=38),
        Numeric("gain", 0, 100_000, center=0),
        Numeric("size", -10, 10_000, scale="log"),
        Numeric("score", 0, 100, cuts=[1, 2, 50], missing=-0.0),
        Numeric("since", date(2000, 1, 1), date(2020, 12, 31)),
        Categorical("work", ["a", "other", "c"], other=True, missing="?"),
        Categorical("grade", [1, 2, 3], other=True),
        Categorical("share", [0.5, 1.5], center=1.5),
        Categorical("flag", [True, False]),
        Categorical("yes", [True], other=True),
    ],
    label=LABEL,
)
N = 20_000


@pytest.fixture(scope="module")
def mixed():
    return simulate(MIXED, N, seed=4)


def test_types_and_order(mixed):
    frame, labels = mixed
    assert frame.columns == list(MIXED.names)
    kinds = [pl.Float64] * 4 + [pl.Date, pl.String, pl.Int64, pl.Float64, pl.Boolean, pl.Boolean]
    assert frame.dtypes == kinds
    assert (labels.name, len(labels), set(labels)) == ("y", N, {"no", "yes"})
    assert frame.null_count().sum_horizontal().item() == 0


@pytest.mark.parametrize("name", names())
def test_every_known_schema_admits_its_rows(name):
    schema = load_schema(name)
    frame, labels = simulate(schema, 50, seed=1)
    rows = read_rows(frame, schema)
    assert rows.n_rows == len(read_labels(labels, schema.label)) == 50
    for column in schema.columns:
        if isinstance(column, Numeric):
            # Reading clips to the bounds: nothing was beyond them.
            assert np.array_equal(frame[column.name].to_numpy(), rows.columns[column.name])


def test_numbers_lie_on_either_side_of_their_center(mixed):
    age = mixed[0]["age"]
    assert age.min() >= 17 and age.max() <= 90
    assert (age < 38).mean() == pytest.approx(0.5, abs=0.03)
    # Half of the way to a bound is half of the reach of 2.5 deviations: 0.5 - P(Z < 1.25) and above.
    assert (age > 64).mean() == pytest.approx(0.1056, abs=0.02)


def test_a_long_tail_is_logarithmic_and_half_of_it_at_its_end(mixed):
    gain = mixed[0]["gain"]
    assert (gain == 0).mean() == pytest.approx(0.5, abs=0.03)
    assert 10 < gain.filter(gain > 0).median() < 100
    assert gain.max() > 10_000


def test_a_logarithmic_scale_is_even_in_the_logarithm(mixed):
    size = mixed[0]["size"]
    middle = MIXED.column("size").middle
    assert (size < middle).mean() == pytest.approx(0.5, abs=0.03)
    assert size.min() == -10 and size.max() == pytest.approx(10_000)
    assert (size > 1000).mean() > 0.05


def test_every_bin_between_cuts_has_people_and_missing_ones_take_their_code(mixed):
    score = mixed[0]["score"]
    assert (score == 0.0).mean() == pytest.approx(0.05, abs=0.01)
    present = score.filter(score != 0.0)
    shares = [present.is_between(low, high).mean() for low, high in ((0, 1), (1, 2), (2, 50), (50, 100))]
    assert min(shares) > 0.02
    assert sum(shares) == pytest.approx(1.0)


def test_unlisted_values_are_new_and_of_the_same_kind(mixed):
    frame, _ = mixed
    assert set(frame["work"]) == {"a", "other", "c", "other_"}
    assert set(frame["grade"]) == {1, 2, 3, 4}
    assert set(frame["share"]) == {0.5, 1.5}
    assert set(frame["flag"]) == set(frame["yes"]) == {True, False}


@pytest.mark.parametrize("seed", range(6))
def test_the_center_is_the_commonest_category(seed):
    schema = Schema([Categorical("c", list("abcdef"), center="e")], label=LABEL)
    frame, _ = simulate(schema, 4000, seed)
    assert frame["c"].value_counts(sort=True)["c"][0] == "e"


def test_days_are_whole_and_within_bounds(mixed):
    since = mixed[0]["since"]
    assert date(2000, 1, 1) <= since.min() and since.max() <= date(2020, 12, 31)


def test_columns_depend_on_each_other():
    schema = Schema([Numeric(f"x{at}", -1, 1) for at in range(6)], label=LABEL)
    correlations = np.corrcoef(simulate(schema, 5000, seed=0)[0].to_numpy().T)[np.triu_indices(6, 1)]
    assert np.abs(correlations).max() > 0.2


def test_a_seed_gives_the_same_rows_and_another_seed_others():
    first, second, other = simulate(MIXED, 40, 1), simulate(MIXED, 40, 1), simulate(MIXED, 40, 2)
    assert first[0].equals(second[0]) and first[1].equals(second[1])
    assert not first[0].equals(other[0])


def accuracy(schema, signal, seed=0, degree=1):
    """Return the accuracy of a linear form of features (and their products), and of the commonest class."""
    frame, labels = simulate(schema, 9000, seed, signal=signal)
    features = LinearEncoding(schema, schema.names, "one-hot").transform(read_rows(frame, schema))
    features = PolynomialFeatures(degree, include_bias=False).fit_transform(features)
    model = RidgeClassifier().fit(features[:6000], labels[:6000])
    test = labels[6000:].to_numpy()
    return np.mean(model.predict(features[6000:]) == test), np.unique(test, return_counts=True)[1].max() / 3000


@pytest.mark.parametrize("name", ["adult", "breast-cancer", "nursery"])
def test_labels_can_be_learned_and_more_so_the_stronger_the_signal(name):
    schema = load_schema(name)
    none, majority = accuracy(schema, 0.0)
    assert none <= majority + 0.02
    some, most = accuracy(schema, 2.0), accuracy(schema, 8.0)
    assert some[0] > some[1] + 0.05
    assert most[0] > some[0] + 0.03


def test_a_linear_form_is_not_all_there_is_to_learn():
    schema = Schema([Numeric(f"x{at}", -1, 1) for at in range(6)], label=LABEL)
    better = [accuracy(schema, 8.0, seed, degree=2)[0] - accuracy(schema, 8.0, seed)[0] for seed in range(4)]
    assert np.mean(better) > 0.02


@pytest.mark.parametrize("signal", [0.0, 3.0])
def test_log_odds_have_the_deviation_that_is_asked_for(signal):
    """Among two classes the reachable accuracy follows from it, and with it the error of a learner that knows all."""
    from tacit.study.simulated_labels import LabelModel

    schema = load_schema("adult")
    people, _ = simulate(schema, 4096, seed=0)
    distribution = LabelModel.drawn(schema, people, signal, np.random.default_rng(0))
    chances = distribution.chances(people)
    assert np.std(np.log(chances[:, 1] / chances[:, 0])) == pytest.approx(signal, abs=1e-6)
    assert chances.sum(axis=1) == pytest.approx(1.0)


def test_numbers_that_are_counts_are_whole_and_reach_their_bounds():
    frame, _ = simulate(Schema([Numeric("visits", 0, 9, whole=True)], label=LABEL), 2000, seed=0)
    assert set(frame["visits"]) == set(range(10))


@pytest.mark.parametrize(("signal", "explained"), [(0.0, 0.0), (3.0, 0.9)])
def test_a_number_to_predict_has_the_variance_that_is_asked_for(signal, explained):
    """Its form has the deviation `signal` where noise has 1: of its variance a share of signal^2 / (signal^2 + 1)."""
    schema = Schema([Numeric("x", -1, 1)], label=Target("y", -1000, 1000, center=0))
    frame, numbers = simulate(schema, 9000, seed=2, signal=signal)
    assert numbers.name == "y" and numbers.is_between(-1000, 1000).all()
    trait = np.clip(numbers.to_numpy() / 1000, -0.99, 0.99)
    assert np.corrcoef(frame["x"], trait)[0, 1] ** 2 == pytest.approx(explained, abs=0.03)


def test_few_columns_matter():
    from tacit.study.simulated_labels import LabelModel

    schema = load_schema("breast-cancer")
    people, _ = simulate(schema, 500, seed=0)
    distribution = LabelModel.drawn(schema, people, 1.0, np.random.default_rng(0))
    assert len(distribution.terms.encoding.columns) == 10


def test_all_of_many_classes_occur():
    schema = Schema([Numeric("x", 0, 1)], label=Label("y", list(range(7))))
    assert set(simulate(schema, 5000, seed=0)[1]) == set(range(7))


@pytest.mark.parametrize("column", [Categorical("c", ["only"]), Numeric("x", 0, 1), Categorical("c", [False, True])])
def test_one_column_is_enough(column):
    frame, labels = simulate(Schema([column], label=LABEL), 1, seed=0)
    assert (frame.shape, len(labels)) == ((1, 1), 1)


def test_blocks_are_joined(monkeypatch):
    monkeypatch.setattr("tacit.study.simulate._BLOCK_ROWS", 7)
    frame, labels = simulate(MIXED, 20, seed=0)
    assert len(frame) == len(labels) == 20
    assert frame["age"].n_unique() == 20


def test_rows_survive_a_file(tmp_path, mixed):
    frame, labels = mixed
    path = tmp_path / "rows.csv"
    frame.with_columns(labels).write_csv(path)
    again, classes = read_with_labels(path, MIXED, "raise")
    first, second = read_rows(frame, MIXED), read_rows(again, MIXED)
    assert all(np.array_equal(first.columns[name], second.columns[name]) for name in MIXED.names)
    assert classes.equals(labels)


@pytest.mark.parametrize(("rows", "signal"), [(0, 1.0), (-3, 1.0), (1.5, 1.0), (5, -1.0), (5, float("nan"))])
def test_absurd_numbers_are_refused(rows, signal):
    with pytest.raises(ParameterError):
        simulate(MIXED, rows, seed=0, signal=signal)


def test_offsets_meet_the_shares_of_classes():
    from tacit.study.simulated_labels import _offsets

    log_odds = np.random.default_rng(0).normal(size=(500, 3)) * 4
    weights = np.exp(log_odds + _offsets(log_odds, np.array([0.2, 0.7, 0.1])))
    assert (weights / weights.sum(axis=1, keepdims=True)).mean(axis=0) == pytest.approx([0.2, 0.7, 0.1])

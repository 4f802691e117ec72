"""Every parameter of every public estimator against absurd values: a fit, or one clear error before it."""

from __future__ import annotations

import inspect
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV

import tacit
from tacit.errors import LedgerError, ParameterError, PrivacyWarning, TableError
from tacit.estimators.rados import learn_from_rados
from tacit.estimators.requirements import COMMON
from tacit.privacy.parameters import AUTO, FLAG, NONE, Choice, Number, Whole
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.study.learners import private_learners
from tacit.table import Table

SCHEMA = Schema(
    [Numeric("a", -1, 1), Categorical("c", ["u", "v", "w"]), Numeric("p", 0, 1, private=False)],
    label=Label("y", [0, 1], private=False),
)
ROWS = 40
X = np.column_stack(
    [np.linspace(-1, 1, ROWS).astype(object), np.resize(["u", "v", "w"], ROWS), np.linspace(0, 1, ROWS)]
)
Y = np.arange(ROWS) % 2

CLASSES = sorted(private_learners().values(), key=lambda cls: cls._learner)
PARAMETERS = [(cls, name) for cls in CLASSES for name in cls().get_params()]
NEEDED = {
    "support": {"protection": "edges", "delta": 1e-6},
    "protected_column": {"protection": "marginal"},
    "max_depth": {"growth": "level"},
}
"""What else a parameter needs to matter."""

ABSURD = {
    "not a number": float("nan"),
    "infinite": float("inf"),
    "minus infinite": -float("inf"),
    "negative": -1,
    "negative part": -0.5,
    "zero": 0,
    "true": True,
    "numpy's true": np.bool_(True),
    "a text": "absurd",
    "no text": "",
    "none": None,
    "ten million": 10**7,
    "fifty digits": int("9" * 50),
    "five thousand digits": 10**5000,
    "beyond single precision": 1e300,
    "near zero": 1e-300,
    "the least float": 5e-324,
    "no list": [],
    "a list": [1],
    "a dictionary": {},
    "no number": np.array(1.0),
    "an array": np.ones(2),
    "single precision": np.float32(0.5),
    "half precision": np.float16(2.0),
    "extended precision": np.longdouble(0.5),
    "a numpy integer": np.uint8(3),
    "complex": 1j,
    "a fraction": Fraction(1, 2),
    "a decimal": Decimal("0.5"),
    "a type": int,
    "an object": object(),
    "a generator": np.random.default_rng(0),
}


@pytest.mark.parametrize("value", ABSURD.values(), ids=ABSURD)
@pytest.mark.filterwarnings("ignore")
def test_a_fit_or_one_clear_error(value, capfd):
    for cls, name in PARAMETERS:
        settings = {"schema": SCHEMA, "epsilon": 1.0, **NEEDED.get(name, {}), name: value}
        try:
            cls(**settings).fit(X, Y)
        except (ParameterError, TableError, LedgerError) as error:
            message = str(error)
            assert message.startswith("Expected "), (cls, name, message)
            assert ", got " in message or "only" in message or "needs" in message, (cls, name, message)
            assert len(message) < 400, (cls, name, message)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("cls", "name"), PARAMETERS, ids=lambda each: getattr(each, "__name__", each))
def test_every_parameter_has_a_requirement_that_its_default_meets(cls, name):
    requirement, default = {**COMMON, **cls._parameters}[name], inspect.signature(cls).parameters[name].default
    if (name, default) not in (("schema", None), ("epsilon", None)):
        assert requirement.check(name, default) == default
    with pytest.raises(ParameterError, match=f"got {name}=") as refusal:
        requirement.check(name, object())
    assert requirement.words in str(refusal.value)


@pytest.mark.parametrize(
    ("cls", "settings"),
    [
        (tacit.LazyBBClassifier, {"rounds": 1001}),
        (tacit.BRCClassifier, {"rounds": 10_001}),
        (tacit.RadoBoostClassifier, {"rounds": 100_000, "count": 100_000}),
        (tacit.NaiveBayesClassifier, {"epsilon": 9.9e-10}),
        (tacit.TreeClassifier, {"delta": 9e-101}),
        (tacit.SVMClassifier, {"random_state": 2**63}),
    ],
)
def test_just_beyond_a_ceiling_is_refused(cls, settings):
    with pytest.raises(ParameterError):
        cls(**{"schema": SCHEMA, "epsilon": 1.0, **settings}).fit(X, Y)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize(("epsilon", "delta"), [(1e-9, 0.0), (1e-9, 1e-100), (1e6, 1e-100)])
@pytest.mark.filterwarnings("ignore")
def test_the_least_and_the_largest_budget_fit(cls, epsilon, delta):
    model = cls(SCHEMA, epsilon=epsilon, delta=delta).fit(X, Y)
    assert np.isfinite(model.decision_function(X)).all()
    assert model.privacy_.epsilon == epsilon
    assert model.privacy_.delta in ({delta, 0.0} if cls is tacit.AutoClassifier else {delta})  # a tree needs none


@pytest.mark.filterwarnings("ignore")
def test_a_number_of_another_type_gives_the_same_model():
    plain = tacit.LazyBBClassifier(SCHEMA, epsilon=0.5, rounds=5, learning_rate=0.25, random_state=1).fit(X, Y)
    other = tacit.LazyBBClassifier(
        SCHEMA,
        epsilon=np.float32(0.5),
        rounds=np.int16(5),
        learning_rate=Fraction(1, 4),
        random_state=np.uint8(1),
    ).fit(X, Y)
    assert plain.model_ == other.model_
    assert type(other.privacy_.epsilon) is float
    assert type(other.get_params()["epsilon"]) is np.float32


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("value", ABSURD.values(), ids=ABSURD)
def test_rados_too(value):
    made = tacit.make_rados(X, Y, SCHEMA, epsilon=1.0, count=20)
    for name in list(inspect.signature(tacit.make_rados).parameters)[2:]:
        settings = {"schema": SCHEMA, "epsilon": 1.0, "count": 20, **NEEDED.get(name, {}), name: value}
        try:
            tacit.make_rados(X, Y, **settings)
        except (ParameterError, TableError, LedgerError) as error:
            assert str(error).startswith("Expected "), name
    for name in list(inspect.signature(learn_from_rados).parameters)[1:]:
        try:
            learn_from_rados(made, **{"rounds": 10, name: value})
        except ParameterError as error:
            assert str(error).startswith("Expected "), name


def test_requirements_in_words():
    assert Whole(1, 10_000).words == "a whole number from 1 to 10,000"
    assert Number(0.001, 1, below=True).words == "a number from 0.001 to below 1"
    assert (Number(0, 1) | AUTO | NONE).words == "a number from 0 to 1 or 'auto' or None"
    assert Choice(("a", "b", "c")).words == "'a', 'b' or 'c'"
    with pytest.raises(ParameterError, match=r"^Expected True or False, got flag='yes'\. Choose one of the two\.$"):
        FLAG.check("flag", "yes")


def test_requirements_return_plain_values():
    assert Whole(0, 9).check("n", np.int8(9)) == 9
    assert type(Whole(0, 9).check("n", np.int8(9))) is int
    assert type(Number(0, 9).check("n", 9)) is float
    assert (Number(0, 1, below=True) | AUTO).check("n", np.str_("auto")) == "auto"
    for wrong in (1, 1.0, True, "0.5", None):
        with pytest.raises(ParameterError, match="below 1"):
            Number(0, 1, below=True).check("n", wrong)
    assert FLAG.check("flag", np.False_) is False


@pytest.mark.parametrize("cls", CLASSES)
def test_the_docstring_describes_each_parameter_and_attribute_once(cls):
    entries = re.findall(r"^(\w[\w, ]*) :", cls.__doc__, re.MULTILINE)
    described = [name for entry in entries for name in entry.split(", ")]
    model = cls(SCHEMA, epsilon=1.0, random_state=0)
    with pytest.warns(PrivacyWarning):
        model.fit(X, Y)
    kept = {name for name in vars(model) if name.endswith("_")} | {"feature_names_in_"}
    assert sorted(described) == sorted([*cls().get_params(), *kept])


def many_classes(count):
    schema = Schema([Numeric("a", 0, 1)], label=Label("y", range(count)))
    return schema, np.linspace(0, 1, ROWS)[:, None], np.arange(ROWS) % count


def learns_all_classes_at_once(cls):
    return cls(SCHEMA, epsilon=1.0)._settings(Table.from_frame(X, Y, SCHEMA)).multiclass


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.filterwarnings("ignore")
def test_classes_against_the_rest_have_a_ceiling(cls, monkeypatch):
    """One more than a hundred, before anything is spent; learners of all classes at once take a thousand."""
    if learns_all_classes_at_once(cls):
        schema, X, y = many_classes(1000)
        assert cls(schema, epsilon=1.0).fit(X, y).decision_function(X).shape == (ROWS, 1000)
        return
    schema, X, y = many_classes(101)
    monkeypatch.setattr("tacit.estimators.base.Accountant", None)
    with pytest.raises(ParameterError, match=rf"^Expected at most 100 classes, as {cls.__name__} .* got 101\. "):
        cls(schema, epsilon=1.0).fit(X, y)


@pytest.mark.filterwarnings("ignore")
def test_naive_bayes_has_a_ceiling_of_counts(monkeypatch):
    schema, X, y = many_classes(10)
    monkeypatch.setattr("tacit.learners.naive_bayes.MAX_COUNTS", 320)
    tacit.NaiveBayesClassifier(schema, epsilon=1.0).fit(X, y)
    with pytest.raises(ParameterError, match=r"^Expected at most 320 counts of bins by class, got 330\. "):
        tacit.NaiveBayesClassifier(schema, epsilon=1.0, n_bins=33).fit(X, y)


@pytest.mark.filterwarnings("ignore")
def test_features_have_a_ceiling():
    schema = Schema([Categorical("c", range(20_001))], label=Label("y", [0, 1]))
    X, y = np.arange(ROWS)[:, None], np.arange(ROWS) % 2
    tacit.BRCClassifier(schema, epsilon=1.0, rounds=1).fit(X, y)
    with pytest.raises(ParameterError, match=r"^Expected at most 20,000 features, got 20,001 after encoding\. "):
        tacit.BRCClassifier(schema, epsilon=1.0, rounds=1, encoding="one-hot").fit(X, y)


@pytest.mark.parametrize("value", ABSURD.values(), ids=ABSURD)
def test_the_cost_of_an_absurd_search(value):
    one = tacit.BRCClassifier(epsilon=1.0)
    searches = [
        lambda: tacit.search_cost(GridSearchCV(one, {"rounds": [5]}), value),
        lambda: tacit.search_cost(GridSearchCV(one, {"rounds": [5]}, cv=value)),
        lambda: tacit.search_cost(GridSearchCV(tacit.BRCClassifier(epsilon=value), {"rounds": [5]})),
        lambda: tacit.search_cost(GridSearchCV(tacit.BRCClassifier(epsilon=1.0, delta=value), {"rounds": [5]})),
        lambda: tacit.search_cost(RandomizedSearchCV(one, {"rounds": [5, 6]}, n_iter=value)),
        lambda: tacit.search_cost(value),
    ]
    for search in searches:
        try:
            cost = search()
        except ParameterError as error:
            assert str(error).startswith("Expected ")
        else:
            assert cost.fits >= 1
            assert 0 < cost.epsilon < float("inf")
            assert 0 <= cost.delta < float("inf")

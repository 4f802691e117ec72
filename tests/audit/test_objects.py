"""Any object with fit and predict: honest ones are not refuted, broken ones are, and controls say what was seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tacit.audit import Claim
from tacit.audit.objects import audit_object, load_maker
from tacit.audit.outputs import as_outputs, fitted_numbers
from tacit.audit.sampling import Effort
from tacit.audit.table_pairs import TablePair
from tacit.errors import ParameterError

PAIR = TablePair((np.zeros((3, 1)), [0, 0, 0]), (np.zeros((3, 1)), [0, 0, 1]), np.zeros((1, 1)))
EFFORT = Effort(minutes=0.5, most=1200)


class Count:
    """How many labels are one, with Laplace noise of a scale."""

    def __init__(self, scale, seed):
        self.scale, self.seed = scale, seed

    def fit(self, X, y):
        self.count_ = sum(y) + np.random.default_rng(self.seed).laplace(0, self.scale)
        return self

    def predict(self, X):
        return np.full(len(X), int(self.count_ > 0.5))


def honest(epsilon=1.0, seed=0):
    return Count(1 / epsilon, seed)


def too_little(epsilon=1.0, seed=0):
    return Count(0.3 / epsilon, seed)


def without_knob(seed=0):
    return Count(1.0, seed)


class Fails(Count):
    def fit(self, X, y):
        if len(set(y)) > 1:
            raise RuntimeError("two classes")
        return super().fit(X, y)


def fails(seed=0):
    return Fails(1.0, seed)


def test_an_honest_object_is_not_refuted_and_half_its_noise_is_seen():
    finding = audit_object(honest, Claim(1.0), [PAIR], effort=EFFORT)
    assert finding.verdict == "not refuted"
    assert 0.5 < finding.bound <= 1 < finding.half_noise <= 2
    assert [(each.broken, each.caught) for each in finding.controls] == [(True, True), (False, False), (True, True)]


def test_too_little_noise_is_refuted():
    finding = audit_object(too_little, Claim(1.0), [PAIR], effort=EFFORT)
    assert finding.verdict == "refuted"
    assert 1 < finding.bound <= 1 / 0.3


def test_without_a_knob_there_is_no_half_noise_and_nothing_is_said():
    finding = audit_object(without_knob, Claim(1.0), [PAIR], effort=EFFORT)
    assert finding.half_noise is None
    assert finding.verdict == "too weak to say"


def test_that_a_fit_fails_is_seen():
    finding = audit_object(fails, Claim(1.0), [PAIR], effort=Effort(minutes=0.5, most=300))
    assert finding.verdict == "refuted"


def test_an_object_that_never_fits_is_refused():
    both = TablePair(PAIR.second, PAIR.second, PAIR.probes)
    with pytest.raises(ParameterError, match="raised RuntimeError on both"):
        audit_object(fails, Claim(1.0), [both], effort=EFFORT)
    with pytest.raises(ParameterError, match="at least one pair"):
        audit_object(fails, Claim(1.0), [], effort=EFFORT)


@pytest.mark.parametrize("name", ["math", ":x", "math:", "no_such_module_here:make", "math:pi", "math:no"])
def test_names_that_make_nothing_are_refused(name):
    with pytest.raises(ParameterError, match=f"got object='{name}'"):
        load_maker(name)


def test_numbers_of_what_was_fitted():
    @dataclass
    class Part:
        weights: list[float]
        name: str = "x"

    class FittedBaseline:
        def __init__(self):
            self.parts_ = {"one": Part([0.5, 2.0])}
            self.coef_, self._hidden_, self.epsilon = np.asarray([[1, 2]]), 3.0, 4.0

        def predict(self, X):
            return np.asarray(["b", "a", "c"])

    found = fitted_numbers(FittedBaseline(), None, ["a", "b"])
    assert found == {
        "predict[0]": 1.0,
        "predict[1]": 0.0,
        "predict[2]": -1.0,
        "coef_[0]": 1.0,
        "coef_[1]": 2.0,
        "parts_.one.weights.0": 0.5,
        "parts_.one.weights.1": 2.0,
    }
    assert fitted_numbers([1.5, {"x": 2}], None, []) == {"output.0": 1.5, "output.1.x": 2.0}


def test_a_run_that_lacks_a_number_has_none():
    outputs = as_outputs([{"a": 1.0}, {"b": 2.0}])
    assert np.array_equal(outputs["a"], [1, np.nan], equal_nan=True)

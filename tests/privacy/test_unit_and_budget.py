"""What may be protected and spent, and what is refused."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from tacit.errors import ParameterError
from tacit.privacy import Budget, PrivacyUnit


def test_unit_takes_lists_and_compares():
    assert PrivacyUnit(["a", "b"], label=True) == PrivacyUnit(("a", "b"), label=True)
    assert PrivacyUnit(("a",), label=True) != PrivacyUnit(("a",), label=False)
    assert hash(PrivacyUnit(["a"], label=False)) == hash(PrivacyUnit(("a",), label=False))


@pytest.mark.parametrize(
    ("columns", "label", "nothing"), [((), False, True), ((), True, False), (("a",), False, False)]
)
def test_unit_protects_nothing(columns, label, nothing):
    assert PrivacyUnit(columns, label=label).protects_nothing is nothing


@pytest.mark.parametrize("columns", ["age", ("a", "a"), (1,)])
def test_unit_refuses(columns):
    with pytest.raises(ParameterError, match="columns="):
        PrivacyUnit(columns, label=False)


@pytest.mark.parametrize(
    "epsilon", [0, -1, True, "1", None, float("nan"), float("inf"), 1e7, Decimal(1), np.array(1.0), np.True_, 10**400]
)
def test_budget_refuses_epsilon(epsilon):
    with pytest.raises(ParameterError, match="epsilon="):
        Budget(epsilon)


@pytest.mark.parametrize("delta", [-1e-9, 1, 1.5, True, "0", float("nan"), None])
def test_budget_refuses_delta(delta):
    with pytest.raises(ParameterError, match="delta="):
        Budget(1.0, delta)


@pytest.mark.parametrize("epsilon", [1, np.float32(1), np.int64(1), Fraction(1), 1e6, 1e-9])
def test_budget_takes_plain_numbers(epsilon):
    assert Budget(epsilon).epsilon == float(epsilon)
    assert type(Budget(epsilon).epsilon) is float


def test_budget_refuses_a_delta_of_one_row():
    Budget(1.0, 0.0099).check_rows(100)
    for delta in (0.01, 0.5):
        with pytest.raises(ParameterError, match="below 1/n_rows") as refusal:
            Budget(1.0, delta).check_rows(100)
        assert "100" not in str(refusal.value)
    for n_rows in (3, 49, 128):
        with pytest.raises(ParameterError):
            Budget(1.0, 1 / n_rows).check_rows(n_rows)
        Budget(1.0, 0.999 / n_rows).check_rows(n_rows)
    Budget(1.0).check_rows(1)


@pytest.mark.parametrize(
    ("n_rows", "named"),
    [(1, "1e-05"), (10**4, "1e-05"), (10**5, "1e-06"), (10**5 + 1, "1e-07"), (10**6, "1e-07"), (33_775_000, "1e-09")],
)
def test_the_delta_that_is_named_would_do(n_rows, named):
    """A tenth of 1/n_rows, rounded down to a power of ten: never the one that was refused."""
    for delta in (1 / n_rows, 1e-3, 1e-6):
        if 1 / n_rows <= delta < 1:
            with pytest.raises(ParameterError, match=rf"such as {named}\.$"):
                Budget(1.0, delta).check_rows(n_rows)
    Budget(1.0, float(named)).check_rows(n_rows)
    assert 10 * float(named) <= 1 / n_rows * (1 + 1e-9)


@pytest.mark.parametrize("n_rows", [0, -1, 2.0, True])
def test_budget_refuses_n_rows(n_rows):
    with pytest.raises(ParameterError, match="n_rows"):
        Budget(1.0, 1e-6).check_rows(n_rows)

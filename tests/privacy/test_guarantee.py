"""Certificates say what holds, in words, and survive JSON exactly."""

from dataclasses import replace

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from tacit.errors import ParameterError
from tacit.mechanisms import SecureNoise, SimulatedNoise, additive
from tacit.privacy import Accountant, Budget, Guarantee, NumericStatistic, PrivacyUnit

ADAPTER = TypeAdapter(Guarantee)
UNIT = PrivacyUnit(("age", "sex"), label=True)


def guarantee(epsilon=0.1, delta=0.0, unit=UNIT, noise=None, rounds=3, **words):
    door = Accountant(Budget(epsilon, delta), unit, noise or SecureNoise(), n_rows=12_345)
    if not unit.protects_nothing:
        for share in door.split(rounds):
            door.release(additive(share), NumericStatistic("mean age", unit, np.asarray(1 / 3), 0.1, 0.1))
    return door.guarantee(**words)


def test_private():
    promise = guarantee()
    assert promise.status == "private"
    assert (promise.epsilon, promise.delta, promise.rho, promise.composition) == (0.1, 0.0, None, "pure")
    text = str(promise)
    assert text.startswith("CERTIFICATE OF DIFFERENTIAL PRIVACY")
    for words in ("the columns age, sex; and the label", "12,345", "exp(0.1) = 1.11", "OpenDP", "3 x mean age"):
        assert words in text


def test_a_long_word_is_kept_whole():
    """Else a model file with one of many millions of letters takes hours to be shown."""
    promise = guarantee()
    word = "x" * 2000
    shown = str(replace(promise, releases=tuple(replace(line, query=word) for line in promise.releases)))
    assert word in shown


def test_the_factor_is_never_shown_too_small():
    for epsilon in (0.001, 0.1, 0.5, 1.0, 2.302, 6.91, 12.0):
        shown = str(guarantee(epsilon)).split(" = ")[1].split()[0].rstrip(".").replace(",", "")
        assert np.exp(epsilon) <= float(shown) <= np.exp(epsilon) * 1.02


def test_delta_is_in_words():
    promise = guarantee(1.0, 1e-6, rounds=200)
    assert promise.composition == "zcdp"
    assert promise.rho == pytest.approx(2.4356e-2, rel=1e-4)
    flat = " ".join(str(promise).split())
    assert "plus a probability of 1e-06" in flat
    assert "zero-concentrated" in flat
    assert "moves the odds" not in flat


def test_simulated_noise_is_never_called_private():
    promise = guarantee(noise=SimulatedNoise(0))
    assert promise.status == "simulated"
    assert str(promise).startswith("NOT PRIVATE")
    assert "CERTIFICATE" not in str(promise)


@pytest.mark.parametrize("noise", [SecureNoise(), SimulatedNoise(0)], ids=["secure", "simulated"])
@pytest.mark.parametrize("unit", [UNIT, PrivacyUnit((), label=False)], ids=["protected", "public"])
def test_void_wins(noise, unit):
    promise = guarantee(unit=unit, noise=noise, reasons=["the schema was guessed from the data"])
    assert promise.status == "void"
    text = str(promise)
    assert text.startswith("NO PRIVACY GUARANTEE")
    assert "guessed from the data" in text
    assert "attacker" not in text
    assert "exp(" not in text


def test_public():
    promise = guarantee(unit=PrivacyUnit((), label=False), exact=["class counts"])
    assert promise.status == "public"
    assert (promise.epsilon, promise.delta) == (0.0, 0.0)
    assert str(promise).startswith("NOTHING TO PROTECT")
    assert "class counts" in str(promise)


def test_assumptions_are_stated():
    promise = guarantee(assumptions=["column bounds are public knowledge"])
    assert "settings were chosen without looking at these rows" in promise.assumptions
    assert promise.assumptions[-1] == "column bounds are public knowledge"
    assert "Column bounds are public knowledge." in str(promise)


@pytest.mark.parametrize(
    "promise",
    [
        guarantee(0.1 / 3),
        guarantee(1.0, 1e-6, rounds=200),
        guarantee(unit=PrivacyUnit((), label=False)),
        guarantee(reasons=["why"], exact=["label counts"]),
    ],
    ids=["pure", "zcdp", "public", "void"],
)
def test_json_and_back(promise):
    assert ADAPTER.validate_json(ADAPTER.dump_json(promise)) == promise
    assert hash(promise) == hash(ADAPTER.validate_python(ADAPTER.dump_python(promise)))


def test_json_with_more_fields_is_refused():
    content = ADAPTER.dump_python(guarantee(), mode="json")
    for broken in (
        {**content, "more": 1},
        {**content, "releases": [{**content["releases"][0], "norm": 3.0}]},
        {**content, "status": "verified"},
        {**content, "reasons": ["why"]},
        {**content, "status": "public"},
        {**content, "epsilon": -1.0},
    ):
        with pytest.raises((ValidationError, ParameterError)):
            ADAPTER.validate_python(broken)


@pytest.mark.parametrize("change", [{"status": "void"}, {"status": "public"}, {"reasons": ("why",)}, {"n_rows": 0}])
def test_contradictions_are_refused(change):
    with pytest.raises(ParameterError):
        replace(guarantee(), **change)


def test_the_budget_is_promised_and_not_what_was_spent():
    door = Accountant(Budget(1.0), UNIT, SecureNoise(), n_rows=10)
    door.split(10)
    assert door.guarantee().epsilon == 1.0


def test_a_floating_point_sampler_is_an_assumption_and_exact_ones_are_none():
    from tacit import Label, LogisticClassifier, NaiveBayesClassifier, Numeric, Schema
    from tacit.privacy.assumptions import IDEAL_DRAWS

    rows, labels = np.linspace(0, 1, 80)[:, None], ["no"] * 40 + ["yes"] * 40
    schema = Schema([Numeric("x", 0, 1)], label=Label("y", ["no", "yes"]))
    drawn = LogisticClassifier(schema, epsilon=1.0, method="k-norm").fit(rows, labels).privacy_
    exact = NaiveBayesClassifier(schema, epsilon=1.0).fit(rows, labels).privacy_
    assert any("floating-point" in line.sampler for line in drawn.releases)
    assert IDEAL_DRAWS in drawn.assumptions
    assert IDEAL_DRAWS not in exact.assumptions

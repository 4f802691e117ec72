"""Who draws secure noise, what TACIT_SAMPLER changes, and that certificates say it."""

import pickle
from importlib.metadata import version

import numpy as np
import pytest

from harness.noise import frequency_p_value, permute_and_flip_probabilities
from tacit.errors import ParameterError
from tacit.estimators.inputs import randomness
from tacit.mechanisms import Laplace, SecureNoise, noise, noise_source
from tacit.privacy import Accountant, Budget, NumericStatistic, PrivacyUnit

OURS = {"laplace": "discrete_laplace", "gaussian": "discrete_gaussian"}
CHOICE = "largest_by_exponential"
SELECTIONS = ("permute_and_flip", "exponential_mechanism")
MANY = np.arange(64)
UNIT = PrivacyUnit(("age",), label=False)


@pytest.fixture
def used(monkeypatch):
    """Names of the samplers that draw, in order."""
    names = []

    def spied(name, draw):
        def call(*arguments):
            names.append(name)
            return draw(*arguments)

        return call

    for name in (*OURS.values(), CHOICE):
        monkeypatch.setattr(noise, name, spied(name, getattr(noise, name)))
    measurement = noise._measurement

    def opendp(distribution, kind, scale):
        return spied("opendp", measurement(distribution, kind, scale))

    monkeypatch.setattr(noise, "_measurement", opendp)
    return names


@pytest.mark.parametrize("named", [None, "tacit"])
@pytest.mark.parametrize("method", OURS)
def test_many_integers_are_ours_unless_said_otherwise(monkeypatch, used, named, method):
    monkeypatch.delenv("TACIT_SAMPLER", raising=False)
    if named:
        monkeypatch.setenv("TACIT_SAMPLER", named)
    getattr(SecureNoise(), method)(MANY, 1.0)
    getattr(SecureNoise(), method)(MANY.reshape(8, 8), 1.0)
    assert used == [OURS[method]] * 2


@pytest.mark.parametrize("values", [MANY[1:], MANY.astype(float)], ids=["fewer", "floats"])
@pytest.mark.parametrize("method", OURS)
def test_all_other_noise_is_opendps(monkeypatch, used, method, values):
    monkeypatch.delenv("TACIT_SAMPLER", raising=False)
    getattr(SecureNoise(), method)(values, 1.0)
    assert used == ["opendp"]


@pytest.mark.parametrize("values", [MANY, MANY.astype(float)], ids=["integers", "floats"])
def test_permute_and_flip_among_many_is_ours(monkeypatch, used, values):
    monkeypatch.delenv("TACIT_SAMPLER", raising=False)
    SecureNoise().permute_and_flip(values, 1.0)
    assert used == [CHOICE]


@pytest.mark.parametrize(
    ("method", "scores", "scale"),
    [
        ("permute_and_flip", MANY[1:], 1.0),
        ("permute_and_flip", np.append(MANY[1:], 1e300), 1.0),
        ("permute_and_flip", MANY, 2.0**40),
        ("exponential_mechanism", MANY, 1.0),
    ],
    ids=["fewer", "huge scores", "a huge scale", "the other distribution"],
)
def test_all_other_selections_are_opendps(monkeypatch, used, method, scores, scale):
    monkeypatch.delenv("TACIT_SAMPLER", raising=False)
    getattr(SecureNoise(), method)(scores, scale)
    assert used == ["opendp"]


@pytest.mark.parametrize("values", [MANY, MANY.astype(float)], ids=["integers", "floats"])
@pytest.mark.parametrize("method", [*OURS, *SELECTIONS])
def test_all_are_opendps_if_it_is_named(monkeypatch, used, method, values):
    monkeypatch.setenv("TACIT_SAMPLER", "opendp")
    getattr(SecureNoise(), method)(values, 1.0)
    assert used == ["opendp"]


@pytest.mark.parametrize("length", [64, 65, 256, 20_000])
@pytest.mark.parametrize("named", ["tacit", "opendp"])
@pytest.mark.parametrize("method", OURS)
def test_both_draw_the_same_distribution_at_any_length(monkeypatch, method, named, length):
    monkeypatch.setenv("TACIT_SAMPLER", named)
    draw, zeros = getattr(SecureNoise(), method), np.zeros(length, dtype=np.int64)
    drawn = np.concatenate([draw(zeros, 2.0) for _ in range(20_000 // length)])
    observed = np.bincount(np.clip(drawn, -12, 12) + 12, minlength=25)
    cells = np.arange(-60, 61)
    expected = np.exp(-np.abs(cells) / 2) if method == "laplace" else np.exp(-(cells**2) / 8)
    expected = np.bincount(np.clip(cells, -12, 12) + 12, weights=expected, minlength=25)
    assert frequency_p_value(observed, expected / expected.sum()) > 1e-9


@pytest.mark.parametrize("method", OURS)
def test_numbers_of_one_vector_and_of_the_next_are_independent(method):
    """At the shortest vectors that are ours, where it is called most often: neighbors have the product distribution."""
    draw, zeros = getattr(SecureNoise(), method), np.zeros(len(MANY), dtype=np.int64)
    signs = np.sign(np.stack([draw(zeros, 2.0) for _ in range(600)])) + 1
    for one, other in ((signs[:, :-1], signs[:, 1:]), (signs[:-1], signs[1:])):
        share = np.bincount(signs.ravel(), minlength=3) / signs.size
        observed = np.bincount((3 * one + other).ravel(), minlength=9)
        assert frequency_p_value(observed, np.outer(share, share).ravel()) > 1e-9


@pytest.mark.parametrize("named", ["tacit", "opendp"])
def test_both_choose_by_the_same_distribution(monkeypatch, named):
    monkeypatch.setenv("TACIT_SAMPLER", named)
    # Of many candidates three that may be chosen.
    scores = np.concatenate([[4.0, 1.0, 3.0], np.full(len(MANY) - 3, -200.0)])
    source, runs = SecureNoise(), {"tacit": 20_000, "opendp": 2_000}[named]
    observed = np.bincount([source.permute_and_flip(scores, 2.0) for _ in range(runs)], minlength=len(MANY))
    assert not observed[3:].any()
    assert frequency_p_value(observed[:3], permute_and_flip_probabilities(scores[:3], 2.0)) > 1e-6


@pytest.mark.parametrize(("named", "ours"), [("tacit", ", vectors by Tacit"), ("opendp", "")])
def test_record_and_certificate_name_who_drew(monkeypatch, named, ours):
    monkeypatch.setenv("TACIT_SAMPLER", named)
    accountant = Accountant(Budget(1.0), UNIT, noise_source(None), n_rows=100)
    [share] = accountant.split(1)
    accountant.release(Laplace(share), NumericStatistic("rows", UNIT, np.asarray(60), l1=1.0, l2=1.0))
    makers = f"OpenDP {version('opendp')}{ours}"
    assert accountant.releases[0].sampler == f"exact, {makers}"
    assert accountant.guarantee().noise == f"exact samplers of {makers}, fed by the operating system's secure generator"


@pytest.mark.parametrize("named", ["", "OpenDP", "tacit ", "numpy"])
def test_other_names_are_refused_before_anything_is_drawn(monkeypatch, named):
    monkeypatch.setenv("TACIT_SAMPLER", named)
    monkeypatch.setattr(noise, "urandom", lambda size: 1 / 0)
    for make in (SecureNoise, lambda: noise_source(None), lambda: randomness(None)):
        with pytest.raises(ParameterError, match="TACIT_SAMPLER"):
            make()
    assert not noise_source(0).is_private  # a seed asks neither


def test_a_source_stays_what_it_was_made(monkeypatch, used):
    """Also in another process: what the certificate says is what drew."""
    monkeypatch.setenv("TACIT_SAMPLER", "opendp")
    source = SecureNoise()
    monkeypatch.setenv("TACIT_SAMPLER", "tacit")
    copy = pickle.loads(pickle.dumps(source))
    for each in (source, copy):
        each.laplace(MANY, 1.0)
        assert each.sampler.startswith("exact, OpenDP")
    assert used == ["opendp", "opendp"]

"""Where noise comes from, and what seeds can and cannot do."""

import subprocess
import sys

import numpy as np
import pytest

from tacit.errors import ParameterError
from tacit.mechanisms import SecureNoise, SimulatedNoise, noise_source, public_generator

CALLS = {
    "laplace": (np.zeros(8),),
    "gaussian": (np.zeros(8),),
    "permute_and_flip": (np.zeros(10_000),),
    "exponential_mechanism": (np.zeros(10_000),),
}
FALSE_ALARM = 1e-6
"""Three equal draws among 10,000 candidates happen once in 10^8; equal floats never."""


def test_none_is_secure_and_all_else_is_simulated():
    assert isinstance(noise_source(None), SecureNoise)
    assert noise_source(None).is_private
    for state in (0, np.int64(3), np.random.default_rng(1), np.random.RandomState(1)):
        assert isinstance(noise_source(state), SimulatedNoise)
        assert not noise_source(state).is_private


@pytest.mark.parametrize("state", [True, "0", 1.5, -1, [1]])
@pytest.mark.parametrize("make", [noise_source, public_generator])
def test_other_states_are_refused(make, state):
    with pytest.raises(ParameterError, match="random_state"):
        make(state)


@pytest.mark.parametrize("method", CALLS)
def test_global_seeds_change_nothing(method):
    answers = []
    for _ in range(3):
        np.random.seed(0)
        answers.append(getattr(SecureNoise(), method)(*CALLS[method], 2.0))
    assert not (np.array_equal(answers[0], answers[1]) and np.array_equal(answers[1], answers[2]))


@pytest.mark.parametrize("method", CALLS)
def test_secure_noise_leaves_the_global_generator_alone(method):
    np.random.seed(0)
    before = np.random.get_state()[1].copy()
    getattr(SecureNoise(), method)(*CALLS[method], 2.0)
    getattr(SimulatedNoise(0), method)(*CALLS[method], 2.0)
    assert np.array_equal(np.random.get_state()[1], before)


@pytest.mark.parametrize("method", CALLS)
@pytest.mark.parametrize("make", [lambda: 7, lambda: np.random.default_rng(7), lambda: np.random.RandomState(7)])
def test_a_seed_repeats(method, make):
    one, two = (getattr(SimulatedNoise(make()), method)(*CALLS[method], 2.0) for _ in range(2))
    assert np.array_equal(one, two)


def test_public_draws_repeat_with_a_seed_and_do_not_repeat_the_noise():
    assert public_generator(3).random() == public_generator(3).random()
    assert public_generator(None).random() != public_generator(None).random()
    noise = SimulatedNoise(3).laplace(np.zeros(5), 1.0)
    assert not np.allclose(public_generator(3).laplace(0, 1.0, 5), noise)


def test_the_description_names_the_sampler():
    assert "OpenDP" in SecureNoise().description
    assert SecureNoise().sampler.startswith("exact, OpenDP 0.")
    assert "simulated" in SimulatedNoise(0).description


def test_opendp_is_imported_only_when_secure_noise_is_drawn():
    program = (
        "import sys, numpy, tacit.mechanisms as m\n"
        "m.SecureNoise().description, m.SimulatedNoise(0).laplace(numpy.zeros(1), 1.0)\n"
        "sys.exit('opendp' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_batch_is_one_call(monkeypatch):
    from tacit.mechanisms import noise as module

    calls = []
    real = module._measurement("laplace", "f", 2.0)

    def counted(values):
        calls.append(len(values))
        return real(values)

    monkeypatch.setattr(module, "_measurement", lambda *_: counted)
    SecureNoise().laplace(np.zeros((10, 10)), 2.0)
    assert calls == [100]

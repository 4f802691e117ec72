"""Several selections at one cost: the scale of a single one, independent choices, only admitted candidates."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from harness.scripted import ScriptedNoise, permute_and_flip_probabilities
from tacit.errors import ParameterError, PrivacyError
from tacit.mechanisms import ExponentialMechanism, PermuteAndFlip, SecureNoise, SimulatedNoise
from tacit.mechanisms.selection import JointSelection
from tacit.privacy import ZCDP, PrivacyUnit, PureDP, SelectionStatistic
from tacit.privacy.statistic import JointSelectionStatistic

UNIT = PrivacyUnit(("a",), label=True)
SCORES = np.asarray([[0.0, 1.0, 50.0], [2.0, 0.0, 0.0]])
ADMITTED = np.asarray([[True, True, False], [True, False, True]])


def joint(scores=SCORES, admitted=ADMITTED, bound=4.0):
    return JointSelectionStatistic("cuts", UNIT, scores, range=bound, admitted=admitted)


@pytest.mark.parametrize(("share", "single"), [(PureDP(0.5), PermuteAndFlip), (ZCDP(0.1), ExponentialMechanism)])
def test_the_scale_is_that_of_one_selection(share, single):
    alone = SelectionStatistic("cut", UNIT, np.zeros(2), range=4.0)
    assert JointSelection(share).noise_scale(joint()) == single(share).noise_scale(alone)
    assert JointSelection(share).loss(joint()) == share


@pytest.mark.parametrize("mechanism", [PermuteAndFlip(PureDP(0.5)), ExponentialMechanism(ZCDP(0.03125))])
def test_opendp_stops_a_selection_whose_scale_is_too_small(mechanism, monkeypatch):
    offered = SelectionStatistic("cut", UNIT, np.asarray([0.0, 1.0]), range=1.0)
    assert mechanism.noise_scale(offered) == pytest.approx(2.0)
    for factor in (1.0, 1.5):
        monkeypatch.setattr(type(mechanism), "noise_scale", lambda self, _, factor=factor: 2.0 * factor * (1 + 1e-12))
        assert mechanism.sample(offered, SecureNoise()) in (0, 1)
    monkeypatch.setattr(type(mechanism), "noise_scale", lambda self, _: 2.0 * 0.999)
    with pytest.raises(PrivacyError, match="Expected noise for the claimed loss"):
        mechanism.sample(offered, SecureNoise())


def test_choices_are_independent_and_admitted():
    share = PureDP(0.5)
    noise = ScriptedNoise([1, 0])
    assert JointSelection(share).sample(joint(), noise).tolist() == [1, 0]
    scale = JointSelection(share).noise_scale(joint())
    one, two = (
        permute_and_flip_probabilities(np.asarray([0.0, 1.0]), scale),
        permute_and_flip_probabilities(np.asarray([2.0, 0.0]), scale),
    )
    assert noise.log_density == pytest.approx(np.log(one[1] * two[0]))


@pytest.mark.parametrize("noise", [SecureNoise(), SimulatedNoise(0)])
@pytest.mark.parametrize("share", [PureDP(1e4), ZCDP(1e4)])
def test_much_budget_takes_the_best_admitted(noise, share):
    assert JointSelection(share).sample(joint(), noise).tolist() == [1, 0]


def test_no_range_needs_no_noise():
    assert JointSelection(PureDP(1e-9)).sample(joint(bound=0.0), SecureNoise()).tolist() == [1, 0]


def test_what_is_refused():
    with pytest.raises(ParameterError, match="candidate for each"):
        joint(admitted=np.asarray([[True, False, False], [False, False, False]]))
    with pytest.raises(ParameterError, match="one row of scores"):
        joint(admitted=np.ones((1, 3), dtype=bool))
    with pytest.raises(ParameterError, match="range"):
        joint(bound=-1.0)
    with pytest.raises(PrivacyError):
        pickle.dumps(joint())
    assert "50" not in repr(joint())

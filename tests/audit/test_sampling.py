"""Lower bounds on epsilon by sampling: near the truth of exact mechanisms, and above it no more often than stated."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_info, threadpool_limits

from tacit.audit.events import learn_events
from tacit.audit.runs import RunStore, joined
from tacit.audit.samplers import RandomizedResponse
from tacit.audit.sampling import LOOKS, Effort, lower_bound
from tacit.audit.trade_offs import ApproximateTradeOff, GaussianTradeOff
from tacit.errors import ParameterError

PURE = ApproximateTradeOff()


@dataclass
class Noise:
    """Numbers that do not depend on the neighbor, but one that is one shift further in so many runs."""

    share: float = 0.0
    numbers: int = 20
    drawn: list[tuple[int, int]] = field(default_factory=list)
    fail_at: int = -1

    def draw(self, side, count, seed):
        if len(self.drawn) == self.fail_at:
            raise KeyboardInterrupt
        self.drawn.append((side, count))
        generator = np.random.default_rng(seed)
        values = generator.normal(size=(self.numbers, count))
        if side:
            values[3] += 10 * (generator.random(count) < self.share)
        return {f"n{at}": each for at, each in enumerate(values)}


@dataclass(frozen=True)
class DiscreteLaplace:
    """A count of sensitivity one plus discrete Laplace noise: exactly epsilon-DP."""

    epsilon: float

    def draw(self, side, count, seed):
        geometric = np.random.default_rng(seed).geometric(-np.expm1(-self.epsilon), (2, count))
        return {"answer": (side + geometric[0] - geometric[1]).astype(np.float64)}

    def log_ratio(self, outputs):
        return self.epsilon * (np.abs(outputs["answer"]) - np.abs(outputs["answer"] - 1))


def test_events_are_learned_and_looked_at_on_one_thread(monkeypatch):
    seen = []

    def watched(method):
        def call(*given):
            seen.extend(each["num_threads"] for each in threadpool_info())
            return method(*given)

        return call

    for name in ("fit", "decision_function"):
        watch = watched(getattr(HistGradientBoostingClassifier, name))
        monkeypatch.setattr(HistGradientBoostingClassifier, name, watch)
    sides = [{"x": np.random.default_rng(side).normal(side, size=200)} for side in (0, 1)]
    with threadpool_limits(limits=2):
        learn_events(sides, None, PURE, [100], 0.05, 0)
        after = [each["num_threads"] for each in threadpool_info()]
    # Stumps and trees are fitted once each, and score both sides: of all libraries each time.
    assert len(seen) == 6 * len(after) > 0
    assert set(seen) == {1} and set(after) == {2}


@pytest.mark.parametrize("sampler", [RandomizedResponse(1.0), DiscreteLaplace(1.0)], ids=["bit", "count"])
def test_exact_mechanisms_are_found_near_their_epsilon(sampler):
    assert 0.85 < lower_bound([sampler], PURE, Effort(most=20_000)).bound <= 1


@pytest.mark.parametrize("kind", [RandomizedResponse, DiscreteLaplace])
def test_no_more_audits_than_stated_exceed_epsilon(kind):
    bounds = [
        lower_bound([kind(0.5)], PURE, Effort(most=LOOKS[4], confidence=0.8, seed=seed), name=str(seed)).bound
        for seed in range(150)
    ]
    assert np.mean(np.asarray(bounds) > 0.5) <= 0.2
    assert np.mean(np.asarray(bounds) > 0) > 0.3  # they can say something at all


def test_a_learned_ratio_of_nothing_is_nothing():
    for seed in range(4):
        assert lower_bound([Noise()], PURE, Effort(most=1500, seed=seed)).bound == 0


def test_a_rare_leak_among_other_numbers_is_found():
    assert lower_bound([Noise(share=0.2)], PURE, Effort(most=1500)).bound > 1.5


def test_gaussian_noise_is_tested_by_its_own_trade_off():
    class Gaussian:
        def draw(self, side, count, seed):
            return {"x": np.random.default_rng(seed).normal(1.0 * side, 1, count)}

    delta = 1e-5
    by_events = lower_bound([Gaussian()], ApproximateTradeOff(delta), Effort(most=3000)).bound
    by_gaussian = lower_bound([Gaussian()], GaussianTradeOff(delta), Effort(most=3000)).bound
    truth = 4.37718  # gaussian_delta(4.37718, 1) is 1e-5
    assert by_events < 0.7 * truth < by_gaussian <= truth


def test_the_pair_that_shows_more_is_tested():
    found = lower_bound([Noise(), Noise(share=0.3), Noise()], PURE, Effort(most=1000))
    assert found.pair == 1
    assert found.bound > 1


def test_it_stops_at_a_look_once_the_bound_is_enough():
    far = lower_bound([RandomizedResponse(3.0)], PURE, Effort(most=20_000))
    near = lower_bound([RandomizedResponse(3.0)], PURE, Effort(most=20_000), stop_above=1.0)
    assert 1 < near.bound <= far.bound
    assert near.runs < far.runs / 2


def test_time_ends_it_before_a_look_that_is_not_reached():
    found = lower_bound([Noise()], PURE, Effort(minutes=0))
    assert (found.bound, found.runs) == (0, 200)  # one batch to learn from; the test does not begin


def test_an_interrupted_audit_goes_on_where_it_was(tmp_path):
    whole, effort = Noise(share=0.2), Effort(most=700)
    expected = lower_bound([whole], PURE, effort)
    store = RunStore(tmp_path / "runs.sqlite")
    stopped = Noise(share=0.2, fail_at=9)
    with pytest.raises(KeyboardInterrupt):
        lower_bound([stopped], PURE, effort, store=store)
    store.close()
    rest = Noise(share=0.2)
    found = lower_bound([rest], PURE, effort, store=RunStore(tmp_path / "runs.sqlite"))
    assert (found.bound, found.runs) == (expected.bound, expected.runs)
    assert stopped.drawn + rest.drawn == whole.drawn


def test_a_file_that_holds_something_else_is_refused(tmp_path):
    path = tmp_path / "text"
    path.write_text("not runs" * 1000)
    with pytest.raises(ParameterError, match="Expected a file of runs"):
        RunStore(path)


def test_progress_is_told():
    seen = []
    lower_bound([RandomizedResponse(1.0)], PURE, Effort(most=300), progress=seen.append)
    assert [each.phase for each in seen] == ["learning"] + ["testing"] * (len(seen) - 1)
    assert seen[-1].runs == 2 * (100 + LOOKS[2])


def test_thresholds_come_from_other_runs_than_scores():
    """A score that learned its runs by heart would promise much on them, of numbers that say nothing."""
    sides = [Noise(numbers=30).draw(0, 200, seed) for seed in (1, 2)]
    [event] = learn_events(sides, None, PURE, [100], 0.05, 0)
    fresh = [Noise(numbers=30).draw(0, 4000, seed) for seed in (3, 4)]
    rates = [event.hits(each).mean() for each in fresh]
    assert abs(rates[0] - rates[1]) < 0.05


def test_numbers_that_some_runs_lack_are_joined():
    outputs = joined([{"a": np.ones(2)}, {"b": np.zeros(1)}])
    assert np.array_equal(outputs["a"], [1, 1, np.nan], equal_nan=True)
    assert np.array_equal(outputs["b"], [np.nan, np.nan, 0], equal_nan=True)

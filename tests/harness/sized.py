"""Scripts for learners that ask for as many numbers as their answers so far have made necessary."""

from __future__ import annotations

import numpy as np

from harness.scripted import ScriptedNoise


def sized(run):
    """Run a script on whatever leaves the tree has: noisy numbers are the first neighbor's own, for both neighbors.

    No answer makes the densities of Laplace noise differ more.
    """
    calls, numbers = [0], []

    def run_sized(table, noise):
        calls[0] += 1
        if calls[0] % 2:
            numbers.clear()
        return run(table, Trimmed(noise, numbers, replay=calls[0] % 2 == 0))

    return run_sized


class Trimmed:
    """Gives a script's answers as many numbers as are asked for."""

    is_private, sampler, description = False, "script", "scripted answers, for tests"

    def __init__(self, noise: ScriptedNoise, numbers: list, *, replay: bool):
        self._noise, self._numbers, self._replay = noise, numbers, replay

    def laplace(self, values, scale):
        self._trim(values)
        return self._noise.laplace(values, scale)

    def permute_and_flip(self, scores, scale):
        self._clip(scores)
        return self._noise.permute_and_flip(scores, scale)

    def exponential_mechanism(self, scores, scale):
        self._clip(scores)
        return self._noise.exponential_mechanism(scores, scale)

    def _trim(self, values):
        if not self._replay:
            self._numbers.append(np.asarray(values).copy())
        answer = self._numbers.pop(0) if self._replay else values
        self._noise._answers = iter([answer, *self._noise._answers])

    def _clip(self, scores):
        answers = list(self._noise._answers)
        self._noise._answers = iter([answers[0] % len(scores), *answers[1:]])

"""A measure and a source of learners from outside of the package."""

from __future__ import annotations

import numpy as np

from tacit.errors import ParameterError
from tacit.study.learners import Predictions, register_learners
from tacit.study.run.measures import measure


@measure("double")
def double(task, tables):
    return {"doubled": 2 * task.inputs["number"]}


class Constants:
    """``constant:0`` says the first class of every row, ``constant:1`` the second."""

    def check(self, name, parameters):
        if name not in ("0", "1"):
            raise ParameterError(f"Expected constant:0 or constant:1, got constant:{name}.")

    def spends_budget(self, name):
        return False

    def predictions(self, name, split, *, epsilon, delta, seed, parameters):
        return Predictions(np.full(len(split.test_labels), int(name)), None, 0.0, 0.0)


register_learners("constant", Constants())

"""How sure a tree's questions are: by hand, and against the selections themselves."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.features import BinEncoding
from tacit.learners.growing_tree import GrowingTree
from tacit.learners.tree_noise import question_doubts, selection_loss
from tacit.mechanisms import SimulatedNoise, announce
from tacit.models import LiteralTree
from tacit.privacy import Accountant, Budget, PlanEntry, PrivacyUnit
from tacit.schema import Categorical, Label, Schema

SCHEMA = Schema([Categorical(name, ["0", "1"]) for name in "abc"], label=Label("y", [0, 1]))


def announced(epsilon, delta=0.0, count=2):
    unit = PrivacyUnit(columns=SCHEMA.names, label=True)
    accountant = Accountant(Budget(epsilon, delta), unit, SimulatedNoise(1), n_rows=100)
    return announce(accountant, [PlanEntry("selection", count=count)]).announced


def test_what_a_selection_may_miss_by_hand():
    # Two selections at epsilon 1/2 of a range of 2 rows: scale 4.
    assert selection_loss(announced(1.0), "error", 20) == pytest.approx(4 * (np.log(20) + 3))
    assert selection_loss(announced(1.0), "gini", 20) == pytest.approx(8 * (np.log(20) + 3))
    assert selection_loss([], "error", 20) == 0


@pytest.mark.parametrize("draw", ["permute_and_flip", "exponential_mechanism"])
def test_a_selection_misses_more_in_five_of_a_hundred_cases_at_most(draw):
    noise, scores = SimulatedNoise(3), np.asarray([40.0, *[0.0] * 19])
    scale = 40 / (np.log(20) + 3)  # missing the best misses just as much
    missed = [getattr(noise, draw)(scores, scale) != 0 for _ in range(1000)]
    assert np.mean(missed) <= 0.05 + 3 * (0.05 * 0.95 / 1000) ** 0.5
    missed = [getattr(noise, draw)(scores, 2 * scale) != 0 for _ in range(1000)]
    assert np.mean(missed) > 0.1


def test_doubts_of_a_tree_of_two_questions_by_hand():
    tree = GrowingTree(BinEncoding(SCHEMA, SCHEMA.names))
    by_column = {question.column: at for at, question in enumerate(tree.questions)}
    branch = tree.branch(0, by_column["a"])
    tree.branch(branch.yes, by_column["b"])
    # Of the leaves 2, 3 and 4; 3 and 4 are below node 1.
    counts = np.asarray([[30.0, 10.0], [35.0, 5.0], [20.0, 60.0]])
    model = LiteralTree(tree.finished(np.full((5, 2), 0.5)), 8)
    # a: 75 wrong rows become 55 + 10. b: 55 become 5 + 20.
    assert tree.leaves == [2, 3, 4]
    assert question_doubts(tree, model, counts, "error", 24.0) == {"a": 1.0, "b": 0.4}
    assert question_doubts(tree, model, counts, "error", 4.0) == {"a": 0.2, "b": pytest.approx(2 / 30)}
    assert question_doubts(tree, model, counts, "error", 0.0) == {"a": 0.0, "b": 0.0}

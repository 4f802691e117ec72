"""What a model needs of its schema is made once, whatever the learner; what objects keep is theirs alone."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tacit
from tacit.features import BinEncoding, LinearEncoding
from tacit.features.cut_grid import CutPoints
from tacit.features.literals import Literal
from tacit.features.oblivious import Subset, reached_leaves
from tacit.features.ranked_encoding import RankedEncoding
from tacit.kept import kept
from tacit.models import RankedModel
from tacit.models.boosted_trees import STEPS, BoostedTreesModel, ObliviousTree
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table.codebook import Codebook

LEARNERS = {
    "ranks": (tacit.LogisticClassifier, {"encoding": "ranked"}),
    "clipped": (tacit.LogisticClassifier, {"encoding": "ranked", "delta": 1e-6}),
    "from ranks": (tacit.BoostedTreesClassifier, {"delta": 1e-6}),
    "bins": (tacit.LogisticClassifier, {"encoding": "binned"}),
    "ordinal": (tacit.LogisticClassifier, {"encoding": "ordinal"}),
    "trees": (tacit.BoostedTreesClassifier, {}),
    "tree": (tacit.TreeClassifier, {}),
    "votes": (tacit.LazyBBClassifier, {}),
    "brc": (tacit.BRCClassifier, {}),
    "bayes": (tacit.NaiveBayesClassifier, {}),
    "normal": (tacit.NaiveBayesClassifier, {"numeric": "gaussian"}),
    "svm": (tacit.SVMClassifier, {}),
    "rados": (tacit.RadoBoostClassifier, {"protection": "private"}),
}
RANKED = {
    "clipped": lambda scorer: isinstance(scorer, RankedModel),
    "from ranks": lambda scorer: scorer.first is not None,
}
SCHEMA = Schema(
    [Numeric("x", 0, 10), Numeric("z", 0, 10, cuts=[1, 5]), Categorical("c", ["a", "b", "d"])],
    label=Label("y", ["no", "yes"]),
)
MADE = {
    "__post_init__": [Schema, Numeric, Categorical, BinEncoding, LinearEncoding, RankedEncoding],
    "__init__": [CutPoints, Codebook],
}


def table(n_rows):
    generator = np.random.default_rng(0)
    x, z = generator.uniform(0, 10, n_rows).round(1), generator.uniform(0, 10, n_rows)
    frame = pl.DataFrame({"x": x, "z": z, "c": generator.choice(["a", "b", "d"], n_rows)})
    return frame, np.where(x + generator.normal(size=n_rows) > 5, "yes", "no")


@pytest.mark.parametrize("name", LEARNERS)
def test_nothing_of_the_schema_is_made_again_for_the_next_row(name, monkeypatch):
    kind, settings = LEARNERS[name]
    frame, labels = table(400)
    model = kind(SCHEMA, epsilon=5.0, random_state=0, **settings).fit(frame, labels).model_
    expected = model.predict_proba(frame)
    assert len(np.unique(expected[:, 1])) > 1
    assert RANKED.get(name, lambda scorer: True)(model.scorers[0])
    model.predict_proba(frame[:1])
    for method, owners in MADE.items():
        for owner in owners:
            monkeypatch.setattr(owner, method, refuse)
    for at in range(1, 30):
        as_pandas = pd.DataFrame({each: frame[each][at : at + 1].to_numpy() for each in frame.columns})
        for row in (frame[at : at + 1], as_pandas):
            assert (model.predict_proba(row) == expected[at]).all(), at


def refuse(*_):
    raise AssertionError("made again")


class Doubled:
    def __init__(self):
        self.calls = 0

    @kept
    def of(self, values):
        self.calls += 1
        return [2 * value for value in values]

    @kept
    def alone(self):
        self.calls += 1
        return self.calls


def test_kept_for_the_very_same_arguments():
    one, other, first = Doubled(), Doubled(), [1]
    assert one.of(first) is one.of(first)
    assert one.calls == 1
    assert one.of([1]) == [2]  # equal, but another object, which may change
    assert one.calls == 2
    assert other.of([3]) == [6]
    assert one.of([4]) == [8]
    assert one.alone() == one.alone() == 4


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_schemas_and_scorers_are_what_they_were_with_what_they_keep(copied):
    tree = ObliviousTree((Literal("z", 0, 0),), ((STEPS, 2 * STEPS),))
    model = BoostedTreesModel((0,), (tree,))
    frame, _ = table(3)
    before, words = pickle.dumps(model), repr(model)
    scores = model.scores(tacit.table.read_rows(frame, SCHEMA), SCHEMA)
    assert repr(model) == words
    assert len(pickle.dumps(model)) < len(before) + 1_000  # names, no encodings
    again = copied(model)
    assert again == model
    assert (again.scores(tacit.table.read_rows(frame, SCHEMA), SCHEMA) == scores).all()
    assert copied(SCHEMA) == SCHEMA


def test_every_leaf_is_that_of_each_tree():
    generator = np.random.default_rng(1)
    encoding = BinEncoding(SCHEMA, SCHEMA.names)
    sizes = dict(zip(encoding.columns, encoding.n_codes, strict=True))
    codes = np.stack([generator.integers(0, size, 500) for size in sizes.values()], axis=1).astype(np.uint8)
    trees = []
    for depth in (1, 2, 3, 8):
        for _ in range(5):
            tests = [any_test(generator, sizes) for _ in range(depth)]
            trees.append(ObliviousTree(tuple(tests), (tuple(generator.integers(-99, 99, 2**depth).tolist()),)))
    model = BoostedTreesModel((5,), tuple(trees))
    leaves = model._leaves(SCHEMA).of(codes)
    for tree, own in zip(trees, leaves, strict=True):
        assert own.tolist() == reached_leaves(tree.tests, codes, encoding).tolist()


def any_test(generator, sizes):
    name = generator.choice(list(sizes))
    if name == "c":
        return Subset("c", tuple(sorted(generator.choice(sizes[name], 2, replace=False).tolist())))
    return Literal(str(name), 0, int(generator.integers(sizes[name] - 1)))


def test_a_model_without_trees_has_its_start():
    frame, _ = table(3)
    assert BoostedTreesModel((STEPS,), ()).scores(tacit.table.read_rows(frame, SCHEMA), SCHEMA).tolist() == [1.0] * 3

"""Questions scored by mistakes that count more about a rare class: by hand, no neighbor further, paid for, of use."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import roc_auc_score

from benchmarks.drawn import KINDS
from harness.neighbors import all_pairs, table_of
from tacit import Categorical, Label, Numeric, Schema, TreeClassifier
from tacit.audit import Claim, random_pairs, replay
from tacit.errors import ParameterError
from tacit.features import BinEncoding
from tacit.learners.growing_tree import GrowingTree
from tacit.learners.tree import Tree
from tacit.privacy import PrivacyUnit
from tacit.queries.tree import scores as split_scores
from tacit.queries.tree.rows import RowGroups, TreeRows
from tacit.queries.tree.scores import SplitScores, on_steps

BITS = Schema([Categorical("a", ["0", "1"]), Categorical("b", ["0", "1"])], label=Label("y", ["no", "yes"]))
NUMBERS = [Numeric(name, -1, 1, cuts=[-0.5, 0, 0.5]) for name in "abcd"]


def improvements(table, weights):
    encoding = BinEncoding(table.schema, table.schema.names)
    rows = TreeRows(table, encoding, RowGroups.by_class(table, np.asarray(weights)))
    tree = GrowingTree(encoding)
    scores = SplitScores(rows, tree.spans, "error")
    found = scores.improvements(rows.histogram([0]))
    return scores.best_of_all([found[0]])


def rare(n=6_000, seed=0, schema=None):
    """Every fourth row is of the second class: many where numbers are large, and nowhere most."""
    draw = np.random.default_rng(seed)
    X = draw.uniform(-1, 1, (n, 4))
    y = np.where(draw.random(n) < 0.48 * expit(3 * X @ [1, 1, 0.5, 0]), "yes", "no")
    return X, y, schema or Schema(NUMBERS, label=Label("y", ["no", "yes"]))


def test_improvements_by_hand():
    """Of 100 rows 30 are "yes": 20 of 45 where a is 1, and 10 of 55 elsewhere."""
    rows = (("1", "0", "yes"),) * 20 + (("1", "0", "no"),) * 25 + (("0", "0", "yes"),) * 10 + (("0", "0", "no"),) * 45
    table = table_of(rows, BITS)
    # Everybody is "no" in both parts: 30 mistakes before and after.
    assert improvements(table, [1.0, 1.0]).unreleased_value[0] == 0
    # Half a mistake each about a "no": 30 of 30 and 35 before; then 12.5 where a is 1, and 10 elsewhere.
    found = improvements(table, [0.5, 1.0])
    assert found.unreleased_value.tolist() == [30 - 12.5 - 10, 0.0]
    assert found.query == "weighted error improvement of each leaf and question"


def test_no_neighbor_moves_scores_further_than_those_of_rows():
    largest = 0.0
    for weights in ([1.0, 1.0], [0.25, 1.0], [1.0, 0.01]):
        for pair in list(all_pairs(BITS, 3))[::17]:
            one, other = (improvements(table, weights) for table in pair.tables())
            moved = other.unreleased_value - one.unreleased_value
            largest = max(largest, np.ptp(np.append(moved, 0.0)))
            assert np.ptp(moved) <= one.range
    assert 1.9 < largest <= 2.0


def test_weights_are_multiples_of_a_step_and_no_more_than_one():
    assert on_steps(np.asarray([0.5, 1.7, 1e-12])).tolist() == [0.5, 1.0, 2.0**-10]


def plan(unit=None, schema=None, size=3, **others):
    schema = schema or rare()[2]
    tree = Tree(BinEncoding(schema, schema.names), "best-first", "weighted-error", size, **others)
    return tree.plan(unit or PrivacyUnit(schema.private_columns, label=schema.label.private))


def test_counts_of_the_classes_are_paid_for_unless_they_are_known():
    first, *others = plan()
    assert first.part == ("classes",) and (first.l1, first.l2) == (2.0, pytest.approx(2**0.5))
    assert first.weight == pytest.approx(sum(each.weight * each.count for each in others) / 19)
    assert not any(each.part == ("classes",) for each in plan(size=0))
    declared = Schema(NUMBERS, label=Label("y", ["no", "yes"], prevalence=[0.7, 0.3]))
    for known in (plan(schema=declared), plan(PrivacyUnit(("a", "b", "c", "d"), label=False))):
        assert not any(each.part == ("classes",) for each in known)


def is_weighted(model):
    return any("weighted" in each.query for each in model.privacy_.releases)


@pytest.mark.filterwarnings("ignore")
def test_it_is_taken_where_explanations_are_paid_for():
    X, y, schema = rare(3_000)

    def fitted(schema=schema, labels=y, **settings):
        return TreeClassifier(schema, **{"epsilon": 1.0, "random_state": 0, "explain_share": 0.2, **settings}).fit(
            X, labels
        )

    assert is_weighted(fitted())
    assert not is_weighted(fitted(explain_share=0.0))
    assert not is_weighted(fitted(epsilon=0.1))  # 300 rows times epsilon know too little of the shares
    assert not is_weighted(fitted(class_weight="balanced"))
    assert not is_weighted(fitted(criterion="error"))
    assert is_weighted(fitted(explain_share=0.0, criterion="weighted-error", growth="level"))
    three = np.where(X[:, 0] > 0.5, "b", np.where(X[:, 1] > 0.5, "c", "a"))
    assert not is_weighted(fitted(Schema(NUMBERS, label=Label("y", ["a", "b", "c"])), three))
    with pytest.raises(ParameterError, match="has weights of its own"):
        fitted(criterion="weighted-error", class_weight={"yes": 2})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("known", ["nothing", "declared", "public label"])
def test_shares_cost_nothing_where_they_are_known(known):
    told = {"prevalence": [0.75, 0.25]} if known == "declared" else {"private": known != "public label"}
    X, y, schema = rare(schema=Schema(NUMBERS, label=Label("y", ["no", "yes"], **told)))
    made = TreeClassifier(schema, epsilon=3.0, criterion="weighted-error", random_state=4).fit(X, y)
    assert sum(each.query == "counts and sums by class" for each in made.privacy_.releases) == (known == "nothing")
    assert is_weighted(made)


@pytest.mark.filterwarnings("ignore")
def test_questions_that_change_no_prediction_tell_rows_apart():
    """People of whom one in four is of the second class."""
    gains = []
    for seed in range(3):
        schema, rows, labels = KINDS["people"].draw(seed, 12_000)
        second, private = labels == sorted(schema.label.classes)[1], schema.all_private()

        def area(criterion, number, schema=private, rows=rows, labels=labels, second=second):
            made = TreeClassifier(schema, epsilon=0.5, criterion=criterion, random_state=number)
            likely = made.fit(rows[:8_000], labels[:8_000]).predict_proba(rows[8_000:])
            return roc_auc_score(second[8_000:], likely[:, 1])

        gains += [area("weighted-error", number) - area("error", number) for number in range(3)]
    assert np.mean(gains) > 0.03


@pytest.mark.filterwarnings("ignore")
def test_questions_are_no_noise_to_whoever_explains_them():
    """What a selection may miss is compared with gains in the same units: a column that decides is found."""
    X, y, schema = rare(20_000)
    model = TreeClassifier(schema, epsilon=20.0, criterion="weighted-error", random_state=0).fit(X, y).model_
    found = set(model.importances().filter("has_findings")["column"])
    assert {"a", "b"} <= found


def replayed():
    return replay(
        lambda: TreeClassifier(BITS, epsilon=1.0, criterion="weighted-error", max_splits=2, on_invalid="coerce"),
        islice(random_pairs(BITS), 25),
        claim=Claim(1.0),
    )


def test_replay_finds_nothing_beyond_the_budget():
    found = replayed()
    assert found.verdict == "not refuted"
    assert {each.query for each in found.releases if "weighted" in each.query}


def test_rows_that_count_more_than_one_are_caught(monkeypatch):
    monkeypatch.setattr(split_scores, "on_steps", lambda weights: 3 * weights)
    assert replayed().verdict != "not refuted"

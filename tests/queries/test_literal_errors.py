"""Errors of one-rules: as a loop over rows finds them, round after round; a range that is safe and tight."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from harness.neighbors import Pair, all_pairs, neighbors
from harness.search import largest_movement, movement
from tacit.boosting.one_rule import candidates, rule_at
from tacit.boosting.smooth_weights import project, reweight, smooth_weights
from tacit.features import BinEncoding
from tacit.queries import Margins, literal_errors
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Table

TINY = Schema([Categorical("c", ["a", "b", "d"])], label=Label("y", ["no", "yes"], private=False))


def encoding_of(schema: Schema) -> BinEncoding:
    return BinEncoding(schema, schema.names, 4)


def run(table: Table, picks, density=0.5, rate=0.5, numeric="both"):
    """The statistic after rounds that chose the given candidates."""
    encoding = encoding_of(table.schema)
    rules = candidates(encoding, numeric)
    margins = Margins(table, rounds=len(picks) + 1)
    statistic = literal_errors(rules, project(reweight(margins, rate), density), table)
    for pick in picks:
        rule = rule_at(rules, pick % len(rules))
        margins.vote(lambda block, rule=rule: rule.decide(block.codes(encoding), encoding))
        statistic = literal_errors(rules, project(reweight(margins, rate), density), table)
    return statistic


def slow_errors(codes, labels, encoding, picks, density, rate):
    """The same by a loop: margins and decisions row by row, no counts kept."""
    rules = candidates(encoding, "both")
    decisions = np.stack([rule_at(rules, at).decide(codes, encoding) for at in range(len(rules))])
    margins = np.zeros(len(labels), dtype=int)
    for pick in picks:
        margins += np.where(decisions[pick % len(rules)] == labels, 1, -1)
    levels, places, counts = np.unique(margins, return_inverse=True, return_counts=True)
    weights = smooth_weights(levels, counts, density=density, learning_rate=rate)[places]
    return (decisions != labels) @ weights


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 10**6), max_size=9), st.sampled_from([5, 17, 64]))
@settings(max_examples=60, deadline=None)
def test_updated_counts_agree_with_a_loop_over_rows(seed, picks, block_rows):
    generator = np.random.default_rng(seed)
    schema = Schema(
        [Numeric("a", -1, 1), Categorical("b", ["x", "y", "z"]), Numeric("c", 0, 9, cuts=[1, 5])],
        label=Label("y", ["no", "yes"]),
    )
    numbers = generator.uniform(-1, 1, 50)
    frame = np.column_stack([numbers, generator.choice(["x", "y", "z"], 50), generator.integers(0, 10, 50)])
    frame = frame.astype(object)
    frame[:, 0], frame[:, 2] = numbers, frame[:, 2].astype(float)
    labels = generator.integers(0, 2, 50)
    table = Table.from_frame(frame, np.asarray(["no", "yes"])[labels], schema, block_rows=block_rows)
    encoding = encoding_of(schema)
    codes = []
    table.sum(lambda block: codes.append(block.codes(encoding)) or np.zeros(1))
    expected = slow_errors(np.concatenate(codes), labels == 1, encoding, picks, 0.4, 0.6)
    assert -run(table, picks, 0.4, 0.6).unreleased_value == pytest.approx(expected, abs=1e-12)


@given(neighbors(), st.lists(st.integers(0, 10**6), max_size=8), st.sampled_from([0.2, 0.5, 1.0]))
@settings(max_examples=150, deadline=None)
def test_no_neighbor_moves_it_further_than_stated(pair: Pair, picks, density):
    assume(any(bins > 2 for bins in encoding_of(pair.schema).n_codes))  # else there is nothing to ask
    one, two = (run(table, picks, density) for table in pair.tables())
    assert movement(one, two)["range"] <= one.range == two.range


@pytest.mark.parametrize("schema", [TINY, TINY.all_private(), TINY.with_private([], label=True)])
def test_a_search_comes_close_to_the_range(schema):
    worst = 0.0
    for picks in ([], [0], [1, 6], [2, 5, 0]):
        moved = largest_movement(lambda table, picks=picks: run(table, picks, density=0.5), all_pairs(schema, 3))
        assert moved["range"] <= 1
        worst = max(worst, moved["range"])
    assert worst > 0.99


def test_constants_are_candidates():
    table = Table.from_frame(np.asarray([["a"], ["b"], ["d"], ["d"]]), ["no", "yes", "yes", "yes"], TINY)
    errors = -run(table, []).unreleased_value
    assert errors[-2:] == pytest.approx([0.25, 0.75])  # always yes, always no
    assert errors[:6] == pytest.approx([1.0, 0.5, 0.25, 0.0, 0.5, 0.75])  # is a, b, d; is not a, b, d


def test_of_each_label_only_the_smaller_side_is_counted(monkeypatch):
    from tacit.queries.bin_counts import BinCounts

    seen = []
    original = BinCounts.move

    def counted(self, picked, jump, movers):
        found = np.zeros(2, dtype=int)
        self._table.visit(lambda block: np.add.at(found, block.labels[picked(block)[0]], 1))
        seen.append(found.tolist())
        original(self, picked, jump, movers)

    monkeypatch.setattr(BinCounts, "move", counted)
    table = Table.from_frame(np.asarray([["a"]] * 3 + [["d"]] * 7), ["no"] * 9 + ["yes"], TINY)
    run(table, [3, 0, 7])  # not a; a; always no
    assert seen == [[3, 0], [3, 0], [0, 0]]  # six of nine are wrong at first; in the end one is, all of its label


def test_the_first_rounds_know_that_weights_are_still_alike():
    table = Table.from_frame(np.asarray([["a"]] * 50 + [["d"]] * 50), ["no"] * 90 + ["yes"] * 10, TINY)
    encoding, rules = encoding_of(TINY), candidates(encoding_of(TINY), "both")
    margins = Margins(table, rounds=3)
    ratios = [1.0, np.exp(1.0), np.exp(2.0)]
    for ratio in ratios:
        weights = project(reweight(margins, 0.5), 0.2)
        assert weights.zeta == pytest.approx(min(1 / 20, ratio / (99 + ratio)), rel=1e-9)
        margins.vote(lambda block: rule_at(rules, 0).decide(block.codes(encoding), encoding))


def test_the_range_leaves_room_for_rounding():
    """Nine rounds have 19 places for margins: (19 + 16) 2^-50 / density of a weight, (4 + 8) 2^-50 of bins."""
    table = Table.from_frame(np.asarray([["a"], ["b"]] * 50, dtype=object), ["no", "yes"] * 50, TINY)
    encoding = encoding_of(TINY)
    weights = project(reweight(Margins(table, rounds=9), 0.5), 0.25)
    statistic = literal_errors(candidates(encoding, "both"), weights, table)
    assert encoding.n_codes == (4,)  # three categories, and one for what is not listed
    assert statistic.range - 2 * weights.zeta == pytest.approx(4 * (35 / 0.25 + 12) * 2.0**-50, rel=1e-3, abs=0)

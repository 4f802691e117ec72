"""What growing trees count: right numbers, safe and attained sensitivities, exact only where all is public."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.neighbors import all_pairs, neighbors, table_of
from harness.search import largest_movement
from tacit.boosting.smooth_weights import project, reweight
from tacit.errors import ParameterError, PrivacyError
from tacit.features import BinEncoding
from tacit.features.literals import Literal
from tacit.learners.growing_tree import GrowingTree
from tacit.privacy import PrivacyUnit
from tacit.queries import Margins
from tacit.queries.tree.counts import depth_histogram, leaf_counts, leaf_leads, read_leaf_counts, read_leaf_leads
from tacit.queries.tree.rows import Branch, NodeRows, RowGroups, TreeRows
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.sensitivities.masses import MassBounds
from tacit.table import Table

SCHEMA = Schema(
    [Categorical("a", ["0", "1", "2"]), Categorical("b", ["0", "1"], private=False)],
    label=Label("y", ["no", "yes"], private=False),
)
CASES = [SCHEMA, SCHEMA.all_private(), SCHEMA.with_private(["a"], label=True), SCHEMA.with_private([], label=True)]
NAMES = ["public label", "private", "private label", "label only"]


def grown(table, *questions, looks=()):
    """Rows and a tree after asking some questions; the nodes to look at are counted as soon as they are there."""
    tree = GrowingTree(BinEncoding(table.schema, table.schema.names))
    rows = TreeRows(table, tree.encoding, RowGroups.by_class(table))
    for question in questions:
        if seen := [leaf for leaf in tree.leaves if leaf in looks]:
            rows.histogram(seen)
        leaf = next((leaf for leaf in tree.leaves if tree.admitted(leaf)[question]), None)
        if leaf is not None:
            rows.split({leaf: tree.branch(leaf, question)})
    return rows, tree


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([3, 11, 1000]),
    st.lists(st.integers(0, 12), max_size=6),
    st.sets(st.integers(0, 12)),
)
@example(0, 1000, [0, 1], {0})  # a child is counted after its sibling has split
@settings(max_examples=80, deadline=None)
def test_counting_agrees_with_a_loop_over_rows(seed, block_rows, picks, looks):
    generator = np.random.default_rng(seed)
    schema = Schema(
        [Numeric("x", 0, 10, cuts=[2, 5, 7]), Categorical("c", list("uvw"), other=True)], label=Label("y", [0, 1, 2])
    )
    rows_of = [(float(generator.integers(0, 11)), str(generator.choice(list("uvwz")))) for _ in range(30)]
    labels = generator.integers(0, 3, 30)
    table = table_of(tuple((*row, int(label)) for row, label in zip(rows_of, labels, strict=True)), schema, block_rows)
    rows, tree = grown(table, *[pick % 7 for pick in picks], looks=looks)
    node_of = []
    for x, c in rows_of:
        codes = {"x": int(np.searchsorted([2, 5, 7], x)), "c": "uvw".index(c) if c in "uvw" else 3}
        node = 0
        while below := tree.children(node):
            literal = tree._branches[node].literal
            node = below[0] if literal.first <= codes[literal.column] <= literal.last else below[1]
        node_of.append((node, codes["x"], 4 + codes["c"]))
    leaves = tree.leaves
    histogram = rows.histogram(leaves)
    expected = np.zeros((len(leaves), 3, 9), dtype=int)
    for (node, *bins), label in zip(node_of, labels, strict=True):
        for each in bins:
            expected[leaves.index(node), label, each] += 1
    assert (histogram == expected).all()
    assert (rows.totals(leaves) == expected[:, :, :4].sum(axis=2)).all()
    for leaf, found in zip(leaves, histogram, strict=True):
        assert (rows.histogram([leaf])[0] == found).all()


@pytest.mark.parametrize("question", range(4))
def test_counts_that_are_kept_and_what_remains_of_a_parent_agree_with_counting(question):
    generator = np.random.default_rng(question)
    rows_of = tuple((*(str(cell) for cell in generator.integers(0, 2, 2)), str(label)) for label in ["no", "yes"] * 20)
    table = table_of(rows_of, SCHEMA, block_rows=7)
    tree = GrowingTree(BinEncoding(SCHEMA, SCHEMA.names))
    margins = Margins(table, rounds=3)
    for column in (0, 1, 0):
        margins.bin_counts(tree.encoding)
        margins.vote(lambda block, column=column: block.codes(tree.encoding)[:, column] == 1)
    weights = project(reweight(margins, 0.5), 0.5)
    rows = TreeRows(table, tree.encoding, RowGroups.by_weight(weights))
    counted = TreeRows(table, tree.encoding, replace(rows.groups, root_counts=None))
    assert (rows.histogram([0]) == counted.histogram([0])).all()
    branch = tree.branch(0, question)
    for each in (rows, counted):
        each.split({0: branch})
    found = rows.histogram([branch.yes, branch.no])
    assert (found == [counted._counted([node])[0] for node in (branch.yes, branch.no)]).all()
    assert found[0].sum() > 0 or question == 2  # no row is in the third category of "a"


@pytest.mark.parametrize("n_yes", [2, 6])
def test_of_two_children_the_one_with_fewer_rows_is_counted_in_one_sum(n_yes, monkeypatch):
    """Eight rows in blocks of three; how many each child has is known from the parent's counts."""
    rows_of = [("1" if at < n_yes else "0", str(at % 2), "yes" if at % 3 else "no") for at in range(8)]
    table = table_of(tuple(rows_of), SCHEMA, block_rows=3)
    encoding, sums, asked = BinEncoding(SCHEMA, SCHEMA.names), [], []
    rows = TreeRows(table, encoding, RowGroups.by_class(table))
    # Each column has a bin for cells that the schema does not list.
    assert rows.histogram([0])[0].sum(axis=0).tolist() == [8 - n_yes, n_yes, 0, 0, 4, 4, 0]
    rows.split({0: Branch(Literal("a", 1, 1), 1, 2)})
    of_table, of_nodes = table.sum, rows._counted
    monkeypatch.setattr(table, "sum", lambda function: sums.append(1) or of_table(function))
    monkeypatch.setattr(rows, "_counted", lambda nodes: asked.append(list(nodes)) or of_nodes(nodes))
    found = rows.histogram([1, 2])
    assert (sums, asked) == ([1], [[1 if n_yes == 2 else 2]])
    assert found[:, :, :4].sum(axis=1).tolist() == [[0, n_yes, 0, 0], [8 - n_yes, 0, 0, 0]]


@pytest.mark.parametrize("schema", CASES, ids=NAMES)
@pytest.mark.parametrize("questions", [(), (0,), (0, 1)])
def test_leaf_counts_move_by_two_and_no_further(schema, questions):
    def query(table):
        rows, tree = grown(table, *questions)
        return leaf_counts(rows, tree.leaves, [tree.categories_asked(leaf) for leaf in tree.leaves])

    moved = largest_movement(query, all_pairs(schema, 2))
    expected = 0.0 if not questions and not schema.label.private else 1.0
    assert moved["l1"] == pytest.approx(expected)
    assert moved["l2"] == pytest.approx(expected)


@pytest.mark.parametrize("schema", CASES, ids=NAMES)
@pytest.mark.parametrize("questions", [(), (0,), (0, 1, 3)])
def test_depth_histograms_move_as_stated(schema, questions):
    def query(table):
        rows, tree = grown(table, *questions)
        leaves = [leaf for leaf in tree.leaves if tree.admitted(leaf).any()]
        asked = np.asarray([tree.asked(leaf) for leaf in leaves])
        return depth_histogram(rows, rows.histogram(leaves), asked)

    moved = largest_movement(query, all_pairs(schema, 2))
    assert moved["l1"] <= 1
    if schema.label.private:
        assert moved["l1"] == pytest.approx(1)
        assert moved["l2"] == pytest.approx(1)


def test_a_level_asks_fewer_columns_further_down():
    table = table_of((("0", "0", "no"), ("1", "1", "yes")), SCHEMA.all_private())
    rows, tree = grown(table)
    assert depth_histogram(rows, rows.histogram([0]), np.asarray([tree.asked(0)])).l1 == 4.0
    rows, tree = grown(table, 0, 1)  # a is done for at two leaves of three
    leaves = [leaf for leaf in tree.leaves if tree.admitted(leaf).any()]
    asked = np.asarray([tree.asked(leaf) for leaf in leaves])
    assert depth_histogram(rows, rows.histogram(leaves), asked).l1 == 2.0


@given(neighbors(max_rows=8), st.lists(st.integers(0, 40), max_size=4))
@settings(max_examples=80, deadline=None)
def test_no_neighbor_moves_counts_further_than_stated(pair, picks):
    try:
        n_questions = len(GrowingTree(BinEncoding(pair.schema, pair.schema.names)).questions)
    except ParameterError:
        return

    def leaves_of(table):
        rows, tree = grown(table, *[pick % n_questions for pick in picks])
        return leaf_counts(rows, tree.leaves, [tree.categories_asked(leaf) for leaf in tree.leaves])

    def level_of(table):
        rows, tree = grown(table, *[pick % n_questions for pick in picks])
        leaves = [leaf for leaf in tree.leaves if tree.admitted(leaf).any()] or [0]
        return depth_histogram(rows, rows.histogram(leaves), np.asarray([tree.asked(leaf) for leaf in leaves]))

    assert largest_movement(leaves_of, [pair])["l1"] <= 1
    assert largest_movement(level_of, [pair])["l1"] <= 1


def test_leaf_counts_come_back_leaf_by_leaf():
    rows = tuple((a, b, y) for a, b, y in product("012", "01", ["no", "yes"]))
    table = table_of((*rows, ("2", "1", "yes")), SCHEMA.all_private())
    state, tree = grown(table, 0)  # a is "0"?
    columns = [tree.categories_asked(leaf) for leaf in tree.leaves]
    assert columns == [None, "a"]
    found = read_leaf_counts(state, leaf_counts(state, tree.leaves, columns).unreleased_value, columns)
    assert found[0].tolist() == [[2, 2]]
    assert found[1].tolist() == [[0, 0], [2, 2], [2, 3], [0, 0]]


@pytest.mark.parametrize("schema", CASES, ids=NAMES)
@pytest.mark.parametrize("questions", [(), (0,), (0, 1)])
def test_leaf_leads_move_by_two_and_no_further(schema, questions):
    def query(table):
        rows, tree = grown(table, *questions)
        return leaf_leads(rows, tree.leaves, [tree.categories_asked(leaf) for leaf in tree.leaves])

    moved = largest_movement(query, all_pairs(schema, 2))
    assert moved["l1"] == pytest.approx(0.0 if not questions and not schema.label.private else 1.0)
    # One lead moves by two where a label changes; else two leads move by one.
    assert moved["l2"] == pytest.approx(moved["l1"] if schema.label.private else moved["l1"] / 2**0.5)


@pytest.mark.parametrize("schema", CASES[1:], ids=NAMES[1:])
def test_leads_of_weights_move_by_two_zeta_and_no_further(schema):
    def query(table):
        _, tree = grown(table, 0)
        margins = Margins(table, rounds=2)
        for column in (0, 1):
            margins.vote(lambda block, column=column: block.codes(tree.encoding)[:, column] == 1)
        weighted = TreeRows(table, tree.encoding, RowGroups.by_weight(project(reweight(margins, 0.6), 0.7)))
        branch = tree._branches[0]
        weighted.split({0: branch})
        return leaf_leads(weighted, tree.leaves, [tree.categories_asked(leaf) for leaf in tree.leaves])

    pairs = all_pairs(schema, 3) if schema == SCHEMA.all_private() else all_pairs(schema, 2)
    assert 0.9 < largest_movement(query, pairs)["l1"] <= 1


def test_leads_by_hand_come_back_leaf_by_leaf():
    """Rows of weights 1/2, 1/8, 1/8 and 1/4; the second leaf tells the categories 1, 2 and unlisted ones apart."""

    class Weights:
        values = np.asarray([0.5, 0.25, 0.125])
        bounds = MassBounds(density=1 / 2, rate=700.0, spread=1, n_positions=3)  # zeta of 1/2 for four rows

        def positions(self, block):
            return np.asarray([0, 2, 2, 1], dtype=np.int16)

    schema = SCHEMA.all_private()
    table = table_of((("0", "0", "no"), ("1", "1", "yes"), ("1", "0", "yes"), ("2", "1", "no")), schema)
    tree = GrowingTree(BinEncoding(schema, schema.names))
    rows = TreeRows(table, tree.encoding, replace(RowGroups.by_weight(Weights()), root_counts=None))
    rows.split({0: tree.branch(0, 0)})
    columns = [tree.categories_asked(leaf) for leaf in tree.leaves]
    leads = leaf_leads(rows, tree.leaves, columns)
    assert leads.unreleased_value.tolist() == [-0.5, 0.0, 0.25, -0.25, 0.0]
    assert leads.l1 == leads.l2 == pytest.approx(1.0)
    assert leads.l1 > 1.0  # rounding
    found = read_leaf_leads(rows, leads.unreleased_value, columns)
    assert found[0].tolist() == [[0.25, -0.25]]
    assert found[1].tolist() == [[0, 0], [-0.125, 0.125], [0.125, -0.125], [0, 0]]


def test_only_public_columns_of_a_public_label_are_exact():
    table = table_of((("0", "0", "no"), ("1", "1", "yes")), SCHEMA)
    groups = RowGroups.by_class(table)
    public = TreeRows(table, BinEncoding(SCHEMA, ("b",)), groups)
    assert public.unit == PrivacyUnit((), label=False)
    assert leaf_counts(public, [0], [None]).public_value.tolist() == [1, 1]
    assert public.continued(BinEncoding(SCHEMA, ("a", "b"))).unit == table.unit
    with pytest.raises(PrivacyError, match="protected"):
        _ = leaf_counts(TreeRows(table, BinEncoding(SCHEMA, ("a", "b")), groups), [0], [None]).public_value
    private_label = SCHEMA.with_private([], label=True)
    hidden = table_of((("0", "0", "no"), ("1", "1", "yes")), private_label)
    rows = TreeRows(hidden, BinEncoding(private_label, ("b",)), RowGroups.by_class(hidden))
    with pytest.raises(PrivacyError):
        _ = leaf_counts(rows, [0], [None]).public_value


def test_tables_of_weights_count_by_position():
    class Weights:
        values = np.asarray([0.5, 0.25])
        bounds = MassBounds(density=2 / 3, rate=700.0, spread=1, n_positions=2)  # zeta of 1/2 for three rows

        def positions(self, block):
            return np.asarray([0, 1, 1], dtype=np.int16)

    table: Table = table_of((("0", "0", "no"), ("1", "1", "yes"), ("1", "1", "no")), SCHEMA)
    rows = TreeRows(table, BinEncoding(SCHEMA, SCHEMA.names), RowGroups.by_weight(Weights()))
    leads = leaf_leads(rows, [0], [None])
    assert leads.unreleased_value.tolist() == [-0.5]  # 0.25 for yes, 0.75 for no
    assert leads.l1 == pytest.approx(1.0)
    # Weights may follow from how rows answered in private columns, whatever is asked now.
    assert TreeRows(table, BinEncoding(SCHEMA, ("b",)), RowGroups.by_weight(Weights())).unit == table.unit


def test_each_row_stands_at_one_node_however_many_nodes_split_at_once():
    """More than 2^15 nodes have more than 2^16 children; a row at two of them would count twice in every release."""
    n_rows, depth = 1_000, 17
    codes = np.random.default_rng(3).integers(0, 2, (n_rows, depth)).astype(np.uint8)
    columns = [f"c{level}" for level in range(depth)]
    rows, leaves = NodeRows(n_rows), [0]
    for level in range(depth):
        start = 2 ** (level + 1) - 1
        asked = Literal(columns[level], 0, 0)
        branches = {node: Branch(asked, start + 2 * at, start + 2 * at + 1) for at, node in enumerate(leaves)}
        rows.split(branches, codes, columns)
        leaves = list(range(start, start + 2 ** (level + 1)))
    at_leaf = np.repeat(np.arange(2**depth), rows.sizes(leaves))
    expected = codes @ (2 ** np.arange(depth - 1, -1, -1))  # the answers in order, the first the highest bit
    found = np.empty(n_rows, dtype=np.int64)
    assert sorted(rows.of(leaves)) == list(range(n_rows))
    found[rows.of(leaves)] = at_leaf
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("most_cells", [1, 60, 8_192])
def test_many_rows_are_counted_several_columns_at_once(monkeypatch, most_cells):
    """More rows than are counted cell by cell, in two blocks: at the root, at one node, and at several."""
    monkeypatch.setattr("tacit.queries.tree.rows._MAX_JOINT_CELLS", most_cells)
    generator, n_rows = np.random.default_rng(5), 9_000
    schema = Schema(
        [Categorical(name, list(range(size))) for name, size in zip("abc", (4, 2, 5), strict=True)],
        label=Label("y", [0, 1, 2]),
    )
    cells, labels = generator.integers(0, (4, 2, 5), (n_rows, 3)), generator.integers(0, 3, n_rows)
    rows_of = tuple((*row, label) for row, label in zip(cells.tolist(), labels.tolist(), strict=True))
    table = table_of(rows_of, schema, 5_000)
    tree = GrowingTree(BinEncoding(schema, schema.names))
    rows, at = TreeRows(table, tree.encoding, RowGroups.by_class(table)), np.zeros(n_rows, dtype=int)

    def check(nodes):
        starts = np.cumsum([0, *tree.encoding.n_codes[:-1]])
        expected = np.zeros((len(nodes), 3, sum(tree.encoding.n_codes)), dtype=int)
        for place, node in enumerate(nodes):
            for row in np.flatnonzero(at == node):
                expected[place, labels[row], starts + cells[row]] += 1
        assert (rows.histogram(nodes) == expected).all()

    check([0])
    for node, name in ((0, "b"), (1, "a"), (2, "a")):
        branch = tree.branch(node, tree.question_about(name, 0))
        rows.split({node: branch})
        here = at == node
        at[here] = np.where(cells[here, "abc".index(name)] == 0, branch.yes, branch.no)
    check(tree.leaves)
    check(tree.leaves[1:2])


def test_rows_beyond_two_bytes_keep_their_places():
    n_rows = 2**16 + 3
    codes = (np.arange(n_rows) % 2).astype(np.uint8)[:, None]
    rows = NodeRows(n_rows).split({0: Branch(Literal("a", 0, 0), 1, 2)}, codes, ["a"])
    assert rows.of([1]).tolist() == list(range(0, n_rows, 2))
    assert rows.of([2]).tolist() == list(range(1, n_rows, 2))

"""Several columns as one code: every combination has its own, and counts and sums follow from it."""

from itertools import product

import numpy as np
import pytest

from tacit.features.bin_encoding import column_groups, joint_codes, joint_table, margin


@pytest.mark.parametrize("sizes", [(3, 2, 4), (256, 256), (256, 256, 2), (1, 5)])
def test_every_combination_has_its_own_code(sizes):
    rows = np.asarray(list(product(*(range(size) for size in sizes))))
    columns = [column.astype(np.uint8) for column in rows.T]
    assert joint_codes(columns, sizes).tolist() == list(range(len(rows)))


def test_the_first_varies_slowest():
    codes, first = [np.asarray([0, 2], np.uint8), np.asarray([1, 0], np.uint8)], np.asarray([0, 3], np.uint8)
    assert joint_codes(codes, (3, 2), first, 4).tolist() == [1, 3 * 6 + 4]
    wide = [np.asarray([255], np.uint8)] * 2
    assert joint_codes(wide, (256, 256), np.asarray([2], np.uint8), 3).tolist() == [3 * 65_536 - 1]
    assert joint_codes(wide * 2, (256,) * 4, np.asarray([2], np.uint8), 3).tolist() == [3 * 2**32 - 1]


@pytest.mark.parametrize("most", [1, 50, 2_048])
def test_groups_hold_each_column_once_and_few_combinations(most):
    sizes = (43, 32, 3, 7, 16, 32, 8)
    groups = column_groups(sizes, most)
    assert sorted(at for group in groups for at in group) == list(range(7))
    assert all(len(group) == 1 or np.prod([sizes[at] for at in group]) <= most for group in groups)
    assert len(groups) == {1: 7, 50: 6, 2_048: 3}[most]


def test_counts_and_sums_are_those_of_each_column():
    generator = np.random.default_rng(0)
    sizes = (4, 3, 5)
    codes = [generator.integers(0, size, 400).astype(np.uint8) for size in sizes]
    labels = generator.integers(0, 2, 400).astype(np.uint8)
    counts = np.bincount(joint_codes(codes, sizes, labels, 2), minlength=120).reshape(2, *sizes)
    tables = [generator.normal(size=size) for size in sizes]
    for axis, (column, size) in enumerate(zip(codes, sizes, strict=True), start=1):
        expected = [[np.sum((labels == label) & (column == code)) for code in range(size)] for label in range(2)]
        assert margin(counts, axis).tolist() == expected
    looked_up = joint_table(tables)[joint_codes(codes, sizes)]
    assert looked_up == pytest.approx(sum(table[column] for table, column in zip(tables, codes, strict=True)))

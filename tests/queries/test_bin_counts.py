"""Counts of rows by position, label and bin, against counts of each row by itself."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit.features import BinEncoding
from tacit.queries import bin_counts
from tacit.queries.margins import Margins
from tacit.schema import Categorical, Identifier, Label, Numeric, Schema
from tacit.table import Table

SCHEMA = Schema(
    [Numeric("a", -1, 1), Numeric("b", 0, 1), Categorical("c", ["u", "v", "w"]), Numeric("d", 0, 1, cuts=[0.2])],
    label=Label("y", [0, 1]),
)


def rows(n_rows):
    generator = np.random.default_rng(0)
    X = np.column_stack(
        [
            generator.uniform(-1, 1, n_rows).astype(object),
            generator.uniform(0, 1, n_rows),
            generator.choice(["u", "v", "w"], n_rows),
            generator.uniform(0, 1, n_rows),
        ]
    )
    return X, generator.integers(0, 2, n_rows)


@pytest.mark.parametrize(("n_rows", "block_rows"), [(3000, 700), (3000, 3000), (40, 9), (1, 1)])
@pytest.mark.parametrize(
    ("together", "groups", "strip", "many"),
    [(1, 1, 2**14, 2**19), (1000, 2, 300, 2**19), (2**19, 16, 2**14, 2**19), (2**19, 16, 2**14, 1)],
)
def test_counts_follow_the_rows(n_rows, block_rows, together, groups, strip, many, monkeypatch):
    """3000 rows are counted by two or three columns while few positions are taken, 40 column by column."""
    monkeypatch.setattr(bin_counts, "_MANY_ROWS", many)
    monkeypatch.setattr(bin_counts, "_ROWS_TOGETHER", together)
    monkeypatch.setattr(bin_counts, "_GROUPS_TOGETHER", groups)
    monkeypatch.setattr(bin_counts, "_STRIP", strip)
    X, y = rows(n_rows)
    table = Table.from_frame(X, y, SCHEMA, block_rows=block_rows)
    encoding = BinEncoding(SCHEMA, SCHEMA.names)
    margins = Margins(table, rounds=6)
    counts = margins.bin_counts(encoding)
    for column, cut in ((0, 9), (2, 0), (1, 30), (0, 9), (3, 0)):
        margins.vote(lambda block, column=column, cut=cut: block.codes(encoding)[:, column] <= cut)
        expected = np.zeros_like(counts.by_group)
        for code, position, label in zip(
            table.gather(lambda block: block.codes(encoding)),
            table.gather(margins.positions),
            table.gather(lambda block: block.labels),
            strict=True,
        ):
            expected[2 * int(position) + label, counts.starts[:-1] + code] += 1
        np.testing.assert_array_equal(counts.by_group, expected)


def test_the_more_rows_the_more_columns_are_counted_as_one(monkeypatch):
    taken = []
    monkeypatch.setattr(bin_counts, "_margins", lambda _, __, sizes: taken.append(tuple(sizes)) or [0] * len(sizes))
    for n_rows, many in ((3000, 1000), (3000, 2**19), (40, 2**19)):
        monkeypatch.setattr(bin_counts, "_MANY_ROWS", many)
        X, y = rows(n_rows)
        Margins(Table.from_frame(X, y, SCHEMA), rounds=1).bin_counts(BinEncoding(SCHEMA, SCHEMA.names))
    assert taken == [(32, 32, 4), (2,), (32, 32), (4, 2), (32,), (32,), (4,), (2,)]


@pytest.mark.parametrize("n_rows", [40, 3000])
def test_rows_of_persons_count_by_their_weight(n_rows):
    X, y = rows(n_rows)
    schema = Schema(SCHEMA.columns, label=SCHEMA.label, identifier=Identifier("person", rows="mean"))
    persons = np.random.default_rng(1).integers(0, n_rows // 2, n_rows)
    frame = pl.DataFrame({"person": persons} | {name: X[:, at].tolist() for at, name in enumerate("abcd")})
    table, encoding = Table.from_frame(frame, y, schema, block_rows=700), BinEncoding(schema, schema.names)
    margins = Margins(table, rounds=3)
    counts = margins.bin_counts(encoding)
    weights = table.gather(lambda block: block.weights).astype(int)
    assert len(set(weights.tolist())) > 2
    for column in (0, 1):
        margins.vote(lambda block, column=column: block.codes(encoding)[:, column] <= 9)
        expected = np.zeros_like(counts.by_group)
        codes, positions = table.gather(lambda block: block.codes(encoding)), table.gather(margins.positions)
        for column_codes, start in zip(codes.T, counts.starts, strict=False):
            np.add.at(expected, (2 * positions.astype(int) + y, start + column_codes), weights)
        np.testing.assert_array_equal(counts.by_group, expected)


@pytest.mark.parametrize("weighed", [False, True])
def test_columns_of_few_and_many_codes_count_alike(weighed):
    """Of one cut, 255 bins and 65,534 categories; rows that leave one side of the table for the other."""
    sizes, generator = {"few": 2, "bytes": 255, "many": 65_534}, np.random.default_rng(3)
    columns = [Categorical(name, list(range(size))) for name, size in sizes.items()]
    schema = Schema(
        columns, label=Label("y", [0, 1]), identifier=Identifier("person", rows="mean") if weighed else None
    )
    # Both ends of each column, and one of a thousand rows a person.
    frame = {name: np.append(generator.integers(0, size, 2998), [0, size - 1]) for name, size in sizes.items()}
    frame |= {"person": np.where(generator.random(3000) < 0.3, 0, np.arange(3000))} if weighed else {}
    y = generator.integers(0, 2, 3000)
    table, encoding = (
        Table.from_frame(pl.DataFrame(frame), y, schema, block_rows=1100),
        BinEncoding(schema, schema.names),
    )
    margins = Margins(table, rounds=4)
    counts = margins.bin_counts(encoding)
    codes, labels = (table.gather(each) for each in (lambda block: block.codes(encoding), lambda block: block.labels))
    weights = table.gather(lambda block: block.weights).astype(int) if weighed else np.ones(3000, dtype=int)
    # All right twice, then all wrong twice: the counts of each label reach both ends.
    for right in (True, True, False, False):
        margins.vote(lambda block, right=right: (block.labels == 1) == right)
        expected = np.zeros_like(counts.by_group)
        groups = 2 * table.gather(margins.positions).astype(int) + labels
        for column, start in enumerate(counts.starts[:-1]):
            np.add.at(expected, (groups, start + codes[:, column].astype(int)), weights)
        np.testing.assert_array_equal(counts.by_group, expected)

"""Counts by group: by hand, the bound over all pairs of tiny tables in each case, attained, persons, and a mutant."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest

from tacit import Categorical, Identifier, Label, Numeric, Schema
from tacit.privacy import PrivacyUnit
from tacit.queries.held_out import Groups, held_out_scores, plan_held_out_scores
from tacit.sensitivities.counts import HeldOutGroupsBasis
from tacit.table import Table

COLUMNS = [Numeric("x", -1, 1), Categorical("sex", ["f", "m"])]
SCHEMA = Schema(COLUMNS, label=Label("y", ["no", "yes"]))
GROUPS = Groups("sex", ("f", "m"))
CELLS = [(x, sex, label) for x in (-1.0, 1.0) for sex in "fm" for label in ("no", "yes")]


def sign(rows):
    return (rows.columns["x"] > 0).astype(np.int64)


def table(cells, schema=SCHEMA):
    frame = pl.DataFrame({"x": [cell[0] for cell in cells], "sex": [cell[1] for cell in cells]})
    return Table.from_frame(frame, [cell[2] for cell in cells], schema, block_rows=2)


def counts(cells, schema=SCHEMA):
    return held_out_scores(table(cells, schema), sign, 2, groups=GROUPS)


def exact(statistic):
    return np.asarray(statistic.unreleased_value)


def test_a_row_is_counted_in_one_group_class_and_cell():
    found = exact(counts([(-1.0, "f", "no"), (1.0, "m", "yes"), (1.0, "m", "no"), (1.0, "m", "yes")]))
    assert found.tolist() == [[[1, 0], [0, 0]], [[0, 1], [0, 2]]]


def test_a_cell_of_no_listed_category_is_in_the_first_group():
    frame = pl.DataFrame({"x": [1.0, 1.0], "sex": ["?", "m"]})
    read = Table.from_frame(frame, ["no", "no"], SCHEMA, on_invalid="coerce")
    assert exact(held_out_scores(read, sign, 2, groups=GROUPS)).sum(axis=(1, 2)).tolist() == [1, 1]


def moved(one, other, private):
    """Whether a row that is replaced differs in protected cells alone."""
    return all(a == b or name in private for name, a, b in zip(("x", "sex", "y"), one, other, strict=True))


@pytest.mark.parametrize(
    "private", [each for n in range(4) for each in product([False, True], repeat=3) if sum(each) == n]
)
def test_the_bound_holds_in_every_case_of_public_columns_and_is_attained(private):
    protected = {name for name, is_private in zip(("x", "sex", "y"), private, strict=True) if is_private}
    schema = SCHEMA.with_private(sorted(protected - {"y"}), label="y" in protected)
    others = [(-1.0, "f", "no"), (1.0, "m", "yes")]
    largest = 0.0
    for one, other in product(CELLS, repeat=2):
        if not moved(one, other, protected):
            continue
        first, second = counts([one, *others], schema), counts([other, *others], schema)
        difference = exact(first).astype(float) - exact(second)
        largest = max(largest, np.abs(difference).sum())
        assert np.abs(difference).sum() <= first.l1 and np.linalg.norm(difference) <= first.l2
    # Whichever cell of the row is protected, one count loses it and another has it; else nothing moves.
    assert largest == (2.0 if protected else 0.0)
    assert (first.l1, first.is_public) == (2.0, not protected)
    assert bool(plan_held_out_scores(first.unit, n_medians=0)) == bool(protected)


def test_random_neighbors_move_no_further_with_persons():
    """A person of several rows weighs one, in whatever groups these are."""
    schema = Schema(COLUMNS, label=SCHEMA.label, identifier=Identifier("id", rows="mean"))
    draw, largest = np.random.default_rng(3), 0.0

    def of(rows, ids):
        frame = pl.DataFrame({"x": [r[0] for r in rows], "sex": [r[1] for r in rows], "id": ids})
        return held_out_scores(Table.from_frame(frame, [r[2] for r in rows], schema), sign, 2, groups=GROUPS)

    for _ in range(100):
        size = int(draw.integers(1, 4))
        rest = [CELLS[at] for at in draw.integers(0, 8, 4)]
        own = [[CELLS[at] for at in draw.integers(0, 8, size)] for _ in range(2)]
        found = [of([*each, *rest], [*["p"] * size, "q", "q", "r", "s"]) for each in own]
        weight = found[0].basis.weight
        difference = np.abs(exact(found[0]).astype(float) - exact(found[1])).sum() / weight
        assert difference <= 2 + 1e-12 and found[0].l1 == 2.0 * weight
        largest = max(largest, difference)
    assert largest > 1.9


def test_a_row_that_is_counted_in_two_groups_breaks_the_bound(monkeypatch):
    """The variant that counts a row once for its group and once for all: each replaced row moves four counts."""
    both = counts([CELLS[0], CELLS[1]]), counts([CELLS[7], CELLS[1]])
    twice = [np.concatenate([exact(each), exact(each).sum(axis=0, keepdims=True)]) for each in both]
    assert np.abs(twice[0].astype(float) - twice[1]).sum() == 4.0 > both[0].l1


def test_the_certificate_names_the_column():
    found = counts(CELLS)
    assert found.basis.written() == {"query": "held-out rows by level and group", "by": ("sex",), "weight": 1}
    assert HeldOutGroupsBasis(("sex",)).of_row(PrivacyUnit(("sex",), label=False)) == (2.0, 2**0.5)

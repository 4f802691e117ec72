"""Tables drawn at random, on which benchmarks fit defaults."""

from __future__ import annotations

import pytest

from benchmarks.drawn import KINDS, drawn_accuracy


@pytest.mark.parametrize("kind", list(KINDS))
def test_drawn_tables_can_be_learned(kind):
    schema, rows, labels = KINDS[kind].draw(0, 600)
    assert rows.shape == (600, len(schema.columns))
    assert set(labels) == set(schema.label.classes)


def test_a_telling_column_tells():
    assert drawn_accuracy("telling", 5.0, seeds=range(1), n_test=500) > 0.93

"""What is wrong with a cell is said by its kind: missing, of another type, or not listed; never its value."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tacit import Categorical, Label, Schema
from tacit.errors import TableError
from tacit.table.rows import read_labels, read_rows

TEXTS = Schema([Categorical("c", ["None", "some"])], label=Label("y", ["no", "yes"]))
NUMBERS = Schema([Categorical("c", [1, 2])], label=Label("y", [0, 1]))


@pytest.mark.parametrize(
    ("schema", "cells", "said"),
    [
        (TEXTS, ["some", np.nan], "a missing one. Some readers of CSV turn texts such as None"),
        (TEXTS, ["some", None], "a missing one. Some readers"),
        (TEXTS, ["some", "other"], "one that is not listed."),
        (TEXTS, [7, 8], "numbers or truth values where the schema lists texts"),
        (NUMBERS, ["one", "two"], "texts where the schema lists numbers"),
        (NUMBERS, [1, 3], "one that is not listed."),
    ],
)
def test_a_category(schema, cells, said):
    with pytest.raises(TableError, match="column 'c'") as refused:
        read_rows(pd.DataFrame({"c": pd.Series(cells, dtype=object)}), schema)
    assert said in str(refused.value)
    assert not any(f"'{cell}'" in str(refused.value) for cell in cells if cell != "some")


@pytest.mark.parametrize(
    ("schema", "labels", "said"),
    [
        (NUMBERS, ["zero", "one"], "texts where the schema lists numbers or truth values. Convert the labels"),
        (TEXTS, [0, 1], "numbers or truth values where the schema lists texts"),
        (TEXTS, ["no", None], "a row without one"),
    ],
)
def test_a_label(schema, labels, said):
    with pytest.raises(TableError, match="label 'y'") as refused:
        read_labels(np.asarray(labels, dtype=object), schema.label)
    assert said in str(refused.value)

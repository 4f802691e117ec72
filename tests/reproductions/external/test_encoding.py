"""What external learners are trained on follows from the schema, never from the rows."""

import numpy as np
import pytest

from reproductions.external.encoding import external_arrays
from tacit.errors import ParameterError
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import read_rows

SCHEMA = Schema(
    [Numeric("age", 20, 60), Numeric("gain", 0, 99, center=0), Categorical("blood", ["A", "B", "0"])],
    label=Label("ill", [0, 1]),
)


def rows(*listed, on_invalid="raise"):
    return read_rows(np.asarray(listed, dtype=object), SCHEMA, on_invalid=on_invalid)


TRAIN, TEST = rows([20, 0, "A"], [60, 99, "0"]), rows([50, 9, "B"])


def test_numbers_and_categories_one_hot():
    made = external_arrays(SCHEMA, TRAIN, TEST, "one-hot")
    assert made.train.tolist() == [[-1, 0, 1, 0, 0], [1, 1, 0, 0, 1]]
    # 9 of 99 on a logarithmic scale: log(10) / log(100).
    assert made.test[0] == pytest.approx([0.5, 0.5, 0, 1, 0], abs=1e-6)
    assert made.low == (-1, 0, 0, 0, 0) and made.high == (1,) * 5
    assert made.norm == pytest.approx(3**0.5)


def test_bins_are_those_of_our_linear_learners():
    made = external_arrays(SCHEMA, TRAIN, TEST, "binned", 2)
    # The tail's two bins on a logarithmic scale that reaches zero: zero, and all above.
    assert made.train.tolist() == [[1, 0, 1, 0, 1, 0, 0], [0, 1, 0, 1, 0, 0, 1]]
    assert made.test.tolist() == [[0, 1, 0, 1, 0, 1, 0]]


def test_positions_of_categories_are_scaled():
    made = external_arrays(SCHEMA, TRAIN, TEST, "ordinal")
    assert made.train.tolist() == [[-1, 0, -1], [1, 1, 1]]
    assert made.low == (-1, 0, -1) and made.high == (1, 1, 1)


def test_codes_are_plain_numbers_and_positions():
    made = external_arrays(SCHEMA, TRAIN, TEST, "codes")
    assert made.train.tolist() == [[20, 0, 0], [60, pytest.approx(np.log(100)), 2]]
    assert made.low == (20, 0, 0) and made.high == (60, pytest.approx(np.log(100)), 2)
    assert made.categories == (0, 0, 3)


def test_a_category_outside_the_list_counts_as_the_middle_one():
    stray = rows([30, 0, "Z"], on_invalid="coerce")
    assert external_arrays(SCHEMA, stray, TEST, "codes").train.tolist() == [[30, 0, 1]]


@pytest.mark.parametrize("encoding", ["one-hot", "binned", "ordinal", "codes"])
def test_what_is_public_of_them_does_not_depend_on_rows(encoding):
    one, other = (external_arrays(SCHEMA, each, TEST, encoding) for each in (TRAIN, rows([33, 1, "B"])))
    for name in ("low", "high", "categories", "norm"):
        assert getattr(one, name) == getattr(other, name)
    for array in (one.train, one.test):
        assert (array >= np.asarray(one.low) - 1e-6).all() and (array <= np.asarray(one.high) + 1e-6).all()
        assert np.linalg.norm(array, axis=1).max() <= one.norm + 1e-6


def test_another_encoding_is_refused():
    with pytest.raises(ParameterError, match="encoding='hashed'"):
        external_arrays(SCHEMA, TRAIN, TEST, "hashed")

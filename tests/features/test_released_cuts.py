"""Released cut points: as if the schema declared them, in one encoding alone, and refused where they do not fit."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from tacit.errors import ModelFileError
from tacit.features import BinEncoding, OneHotEncoding, RankedEncoding
from tacit.features.encoding import check_cuts
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Rows

SCHEMA = Schema(
    [Numeric("x", 0, 100, center=0), Numeric("day", "1970-01-01", "1970-02-01"), Categorical("c", ["a", "b"])],
    label=Label("y", [0, 1]),
)
CUTS = (("x", (1.0, 2.0, 4.0)), ("day", (3.0, 7.0)))
ROWS = Rows({"x": np.asarray([0.5, 1.0, 3.0, 99.0]), "day": np.asarray([3.0, 4.0, 7.0, 8.0]), "c": np.arange(4) % 2}, 4)


@pytest.mark.parametrize(
    ("made", "given"), [(BinEncoding, (32,)), (OneHotEncoding, (8,)), (RankedEncoding, (np.inf, True))]
)
def test_they_count_as_declared_ones(made, given):
    x, day, c = SCHEMA.columns
    columns = [replace(x, cuts=(1, 2, 4)), replace(day, cuts=(date(1970, 1, 4), date(1970, 1, 8))), c]
    declared = made(replace(SCHEMA, columns=tuple(columns)), SCHEMA.names, *given)
    released = made(SCHEMA, SCHEMA.names, *given, released=CUTS)
    assert released.by_name == declared.by_name
    assert np.array_equal(released.transform(ROWS), declared.transform(ROWS))
    assert released != made(SCHEMA, SCHEMA.names, *given) and SCHEMA.column("x").cuts is None


def test_one_column_keeps_its_own():
    encoding = BinEncoding(SCHEMA, SCHEMA.names, released=CUTS)
    assert encoding.transform(ROWS).tolist() == [[0, 0, 0], [0, 1, 1], [2, 1, 0], [3, 2, 1]]
    assert encoding.alone("day").transform(ROWS).tolist() == [[0], [1], [1], [2]]
    assert encoding.alone("day").released == CUTS[1:] and encoding.alone("c").released == ()


def test_a_column_is_cut_once_for_all_encodings_with_the_very_same_cuts():
    cut = RankedEncoding(SCHEMA, SCHEMA.names, np.inf, released=CUTS)
    assert cut.alone("x").by_name["x"] is replace(cut, radius=1.0).by_name["x"] is cut.by_name["x"]
    other = replace(cut, released=(("x", (1.0, 2.0, 5.0)),))
    assert other.by_name["x"].cuts == (1.0, 2.0, 5.0) and cut.alone("x").by_name["x"].cuts == (1.0, 2.0, 4.0)


@pytest.mark.parametrize(
    "cuts",
    [
        (("x", (1.0,)), ("x", (1.0,))),
        (("c", (1.0,)),),
        (("z", (1.0,)),),
        (("x", ()),),
        (("x", (2.0, 1.0)),),
        (("x", (0.0,)),),
        (("day", (3.5,)),),
        (("day", (1e300,)),),
    ],
)
def test_others_are_refused(cuts):
    check_cuts(SCHEMA, CUTS)
    with pytest.raises(ModelFileError, match="fit the schema"):
        check_cuts(SCHEMA, cuts)

#!/usr/bin/env bash
# pandas 3.1.1 with pyarrow 26.0.1, Series.astype("Int64") of int64[pyarrow] with a missing cell.
#
# Expected: both types hold whole numbers of 64 bits and missing cells, so that each number is the same after the change.
# Seen: three numbers from 2**53 + 1 on come back rounded to even ones where the largest is even, and exact where it is odd;
# so a column grows exact, or inexact, by one row more. The numbers are made doubles on the way, as a cell is missing.
# pandas.core.arrays.numeric then asks of the largest alone whether it is still what it was, and starts anew if not.
# Without a missing cell all are exact. pyspark 4.3.0 does this where preferIntExtensionDtype is set. pyarrow's to_pandas
# with a types_mapper to Int64Dtype changes nothing.
set -euo pipefail
cd "$(mktemp -d)"
python3 -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check pandas==3.1.1 pyarrow==26.0.1 numpy==2.4.6
venv/bin/python -W ignore - <<'PY'
import pandas as pd
import pyarrow as pa

FIRST = 2**53 + 1


def kept(numbers, change):
    """Return how many whole numbers, from FIRST on, are the same afterwards."""
    arrow = pa.array([None if number is None else FIRST + number for number in numbers], pa.int64())
    found = change(arrow)
    return sum(new == old for old, new in zip(arrow.to_pylist(), found.tolist(), strict=True) if old is not None)


def by_astype(arrow):
    return arrow.to_pandas(types_mapper=pd.ArrowDtype).astype("Int64")


def by_mapper(arrow):
    return arrow.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)


odd, even, whole = [None, 0, 2, 4], [None, 0, 2, 5], [0, 2, 5]
print("largest is odd: ", kept(odd, by_astype), "of 3 are the same")
print("largest is even:", kept(even, by_astype), "of 3 are the same; by a mapper", kept(even, by_mapper))
assert kept(odd, by_astype) == kept(even, by_mapper) == kept(whole, by_astype) == 3
assert kept(even, by_astype) == 1, "all numbers are exact"
PY

"""Cells of every type that Python's containers may hold, hostile ones too."""

from __future__ import annotations

import enum
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd


class Unhashable:
    def __hash__(self):
        raise RuntimeError("hash of a cell")

    def __eq__(self, other):
        raise RuntimeError("comparison of a cell")

    def __repr__(self):
        raise RuntimeError("repr of a cell")


class EqualToAll:
    def __init__(self, hash_of=0):
        self.hash_of = hash_of

    def __hash__(self):
        return hash(self.hash_of)

    def __eq__(self, other):
        return True


class LyingClass:
    @property
    def __class__(self):
        return float

    def __float__(self):
        raise RuntimeError("float of a cell")


class NoClass:
    @property
    def __class__(self):
        raise RuntimeError("class of a cell")


class Convertible:
    def __float__(self):
        raise RuntimeError("float of a cell")

    def __index__(self):
        raise RuntimeError("index of a cell")

    def __len__(self):
        raise RuntimeError("length of a cell")


class HostileText(str):
    __slots__ = ()

    def __hash__(self):
        raise RuntimeError("hash of a text")

    def __eq__(self, other):
        return True

    def strip(self, *_):
        raise RuntimeError("strip of a text")


class HostileInteger(int):
    def __hash__(self):
        return 0

    def __eq__(self, other):
        return True

    def __float__(self):
        raise RuntimeError("float of an integer")


class HostileNumber(float):
    def __hash__(self):
        return 0

    def __eq__(self, other):
        raise RuntimeError("comparison of a number")

    def __ne__(self, other):
        raise RuntimeError("comparison of a number")


class _Meta(type):
    def __hash__(cls):
        raise RuntimeError("hash of a type")

    def __eq__(cls, other):
        raise RuntimeError("comparison of a type")

    def __instancecheck__(cls, instance):
        raise RuntimeError("check of a type")


class OfHostileType(metaclass=_Meta):
    pass


class HostileZone(tzinfo):
    def utcoffset(self, moment):
        raise RuntimeError("a time zone")


class Color(enum.IntEnum):
    RED = 1


class Mood(enum.StrEnum):
    A = "a"


TEXTS = (
    "x", "", " ", "1", " 1 ", "1.0", "01", "1_0", "0x1", "1e400", "True", "false", "nan", "NaN", "inf", "None", "a",
    "2000-01-01", "2000-02-30", "20000101", "2000", "today", "now", "2000-01-01T01:00:00+02:00", "1" * 500,
    "9" * 5000, "\ud800", "\uff11", "x" * 100_000,
)  # fmt: skip
FAR_DECIMAL = Decimal("1e999999")
NUMBERS = (
    0, 1, True, 0.5, 1.0, -0.0, 1e300, float("inf"), float("nan"), 2**53 + 1, 2**63, 2**64, 2**70, 10**400, -(10**400),
    Decimal(1), Decimal("1.00"), Decimal("0.1"), Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"),
    FAR_DECIMAL, np.int8(1), np.uint64(2**64 - 1), np.float16(1), np.float32(0.1), np.float64(1), np.bool_(True),
    np.longdouble(1), np.longdouble("1e4000"), np.longdouble("nan"),
)  # fmt: skip
MOMENTS = (
    date(2000, 1, 1), date.max, datetime(2000, 1, 1, 12), datetime.min, datetime.max,
    datetime(2000, 1, 1, tzinfo=UTC), datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
    datetime(2000, 1, 1, tzinfo=HostileZone()), pd.Timestamp(2000, 1, 1), pd.Timestamp(2000, 1, 1, tz="Asia/Tokyo"),
    np.datetime64("2000-01-01"), np.datetime64("2000-01-01", "ns"), np.datetime64("2000", "Y"),
    np.datetime64(2**62, "Y"), np.datetime64(2**62, "s"), np.datetime64(5, "7s"), np.datetime64("NaT"),
)  # fmt: skip
NOTHING = (None, pd.NA, pd.NaT, np.ma.masked)
FOREIGN = (
    b"7", b"x", bytearray(b"7"), memoryview(b"7"), np.bytes_(b"7"), 1j, np.complex64(1j), Fraction(1, 2),
    timedelta(1), np.timedelta64(5, "s"), np.timedelta64("NaT"), pd.Timedelta(5), time(1), np.void(b"12"),
    [], [1], [[1, 2], [3]], (), (1,), {}, {"a": 1}, {1}, frozenset({1}), range(1), np.array(1), np.array([1]),
    np.zeros((2, 2)), pd.Series([1]), pd.DataFrame({"a": [1]}), pd.Interval(0, 1), pd.Period("2000"), object(), int,
    len, ..., NotImplemented, Unhashable(), EqualToAll(), EqualToAll(1), EqualToAll("a"), EqualToAll(1.5), LyingClass(),
    NoClass(), Convertible(), HostileText("a"), HostileInteger(1), HostileNumber(1), HostileNumber("nan"),
    OfHostileType(), OfHostileType, Color.RED, Mood.A, np.str_("a"), np.str_("1"),
)  # fmt: skip
ODD_CELLS = (*TEXTS, *NUMBERS, *MOMENTS, *NOTHING, *FOREIGN)

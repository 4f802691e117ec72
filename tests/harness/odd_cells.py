"""Cells of every type that Python's containers may hold, hostile ones too."""

from __future__ import annotations

import enum
from datetime import datetime, tzinfo

import numpy as np
import pandas as pd

from tacit.audit.reading import DATES, FAR_DECIMAL, FOREIGN, NUMBERS, TEXTS

__all__ = ["FAR_DECIMAL", "ODD_CELLS"]


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


MOMENTS = (
    *DATES, datetime(2000, 1, 1, tzinfo=HostileZone()), pd.Timestamp(2000, 1, 1),
    pd.Timestamp(2000, 1, 1, tz="Asia/Tokyo"),
)  # fmt: skip
NOTHING = (None, pd.NA, pd.NaT, np.ma.masked)
OTHERS = (
    *FOREIGN, pd.Timedelta(5), pd.Series([1]), pd.DataFrame({"a": [1]}), pd.Interval(0, 1), pd.Period("2000"), int, len,
    Unhashable(), EqualToAll(), EqualToAll(1), EqualToAll("a"), EqualToAll(1.5), LyingClass(), NoClass(),
    Convertible(), HostileText("a"), HostileInteger(1), HostileNumber(1), HostileNumber("nan"), OfHostileType(),
    OfHostileType, Color.RED, Mood.A,
)  # fmt: skip
ODD_CELLS = (*TEXTS, *NUMBERS, *MOMENTS, *NOTHING, *OTHERS)

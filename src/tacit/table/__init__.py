"""Rows behind a wall, and their encodings from the schema alone."""

from tacit.table.bin_encoding import BinEncoding
from tacit.table.linear_encoding import GRID, LinearEncoding
from tacit.table.one_hot import OneHotEncoding
from tacit.table.per_block import PerBlock
from tacit.table.rows import OnInvalid, Rows, is_frame, read_labels, read_rows
from tacit.table.table import Block, Table

__all__ = [
    "GRID",
    "BinEncoding",
    "Block",
    "LinearEncoding",
    "OnInvalid",
    "OneHotEncoding",
    "PerBlock",
    "Rows",
    "Table",
    "is_frame",
    "read_labels",
    "read_rows",
]

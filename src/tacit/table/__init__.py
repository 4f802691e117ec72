"""Rows behind a wall, and their encodings from the schema alone."""

from tacit.table.bin_encoding import BinEncoding
from tacit.table.containers import column_names, is_frame, is_named, opened_labels, opened_table
from tacit.table.linear_encoding import GRID, LinearEncoding
from tacit.table.one_hot import OneHotEncoding
from tacit.table.per_block import PerBlock
from tacit.table.reading import read_labels, read_rows
from tacit.table.rows import OnInvalid, Rows
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
    "column_names",
    "is_frame",
    "is_named",
    "opened_labels",
    "opened_table",
    "read_labels",
    "read_rows",
]

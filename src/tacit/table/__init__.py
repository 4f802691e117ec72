"""Private tables: reading rows by a schema, encodings from the schema alone, block-wise sums."""

from tacit.table.bin_encoding import BinEncoding
from tacit.table.blocks import Block, PerBlock
from tacit.table.cell_encoding import CellEncoding
from tacit.table.containers import opened_labels, opened_table
from tacit.table.data_frames import column_names, is_frame, is_named
from tacit.table.distance_encoding import DistanceEncoding
from tacit.table.feature_encoding import OneHotEncoding
from tacit.table.fitting import table_faults
from tacit.table.grid_encoding import GridEncoding
from tacit.table.grid_window import GridWindow
from tacit.table.linear_encoding import GRID, GRID_STEPS, LinearEncoding
from tacit.table.rows import OnInvalid, Rows, read_labels, read_rows, read_strips
from tacit.table.sources import Place, check_client, check_source, count_source, opened_source, read_source
from tacit.table.storage import MEMORY, Disk, Storage
from tacit.table.table import Table

__all__ = [
    "GRID",
    "GRID_STEPS",
    "MEMORY",
    "BinEncoding",
    "Block",
    "CellEncoding",
    "Disk",
    "DistanceEncoding",
    "GridEncoding",
    "GridWindow",
    "LinearEncoding",
    "OnInvalid",
    "OneHotEncoding",
    "PerBlock",
    "Place",
    "Rows",
    "Storage",
    "Table",
    "check_client",
    "check_source",
    "column_names",
    "count_source",
    "is_frame",
    "is_named",
    "opened_labels",
    "opened_source",
    "opened_table",
    "read_labels",
    "read_rows",
    "read_source",
    "read_strips",
    "table_faults",
]

"""Private tables: reading rows by a schema, blocks that keep what is computed of them, block-wise sums."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.table.blocks import Block, PerBlock
    from tacit.table.containers import opened_labels, opened_table
    from tacit.table.data_frames import column_names, is_frame, is_named
    from tacit.table.fitting import table_faults
    from tacit.table.rows import OnInvalid, Rows, read_labels, read_rows, read_strips
    from tacit.table.side_tables import joined
    from tacit.table.sources import Place, check_client, check_source, count_source, opened_source, read_source
    from tacit.table.storage import MEMORY, Disk, Storage
    from tacit.table.table import Table
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "blocks": "Block PerBlock",
            "containers": "opened_labels opened_table",
            "data_frames": "column_names is_frame is_named",
            "fitting": "table_faults",
            "rows": "OnInvalid Rows read_labels read_rows read_strips",
            "side_tables": "joined",
            "sources": "Place check_client check_source count_source opened_source read_source",
            "storage": "MEMORY Disk Storage",
            "table": "Table",
        },
    )

__all__ = [
    "MEMORY",
    "Block",
    "Disk",
    "OnInvalid",
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
    "joined",
    "opened_labels",
    "opened_source",
    "opened_table",
    "read_labels",
    "read_rows",
    "read_source",
    "read_strips",
    "table_faults",
]

"""Tables from CSV and Parquet files, each cell read by itself, as the schema says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.table.files.read import kinds_of_types, read_by_kinds, read_features, read_for_draft, read_with_labels
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "read": "kinds_of_types read_by_kinds read_features read_for_draft read_with_labels",
        },
    )

__all__ = ["kinds_of_types", "read_by_kinds", "read_features", "read_for_draft", "read_with_labels"]

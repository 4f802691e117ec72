"""Tables from CSV and Parquet files, each cell read by itself, as the schema says."""

from tacit.table.files.read import (
    kinds_of_types,
    read_by_kinds,
    read_features,
    read_for_draft,
    read_with_labels,
)

__all__ = [
    "kinds_of_types",
    "read_by_kinds",
    "read_features",
    "read_for_draft",
    "read_with_labels",
]

"""Tables from CSV and Parquet files, each cell read by itself, as the schema says."""

from tacit.table.files.read import (
    check_header,
    kinds_of_types,
    read_by_kinds,
    read_features,
    read_features_beside,
    read_for_draft,
    read_with_labels,
)

__all__ = [
    "check_header",
    "kinds_of_types",
    "read_by_kinds",
    "read_features",
    "read_features_beside",
    "read_for_draft",
    "read_with_labels",
]

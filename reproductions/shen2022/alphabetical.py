"""Codes of categories as label encoders give them: by the alphabet, as Shen and others (2022) seem to have had them."""

from __future__ import annotations

from dataclasses import replace

from tacit.schema import Categorical, Schema


def alphabetical(schema: Schema) -> Schema:
    """Return the schema with categories in alphabetical order around the middle of the list, as label encoders do."""
    columns = [
        replace(column, categories=tuple(sorted(column.categories)), center=None)
        if isinstance(column, Categorical)
        else column
        for column in schema.columns
    ]
    return replace(schema, columns=tuple(columns))

"""What everyone may know about a table: its columns, its label, and which of them are private.

A schema is supplied, never read off private data, and is published with the model. Every encoding comes from
it alone, so encoding costs no privacy. Everything is private unless it says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.schema._checks import Value
    from tacit.schema.categorical import Categorical
    from tacit.schema.columns import Column, Numeric
    from tacit.schema.draft import draft_toml
    from tacit.schema.feature import Feature
    from tacit.schema.file_format import FileFormat
    from tacit.schema.identifier import Identifier
    from tacit.schema.kinds import Kinds
    from tacit.schema.label import Label
    from tacit.schema.learned import LearnedEntries
    from tacit.schema.schema import Schema
    from tacit.schema.side_table import SideTable
    from tacit.schema.target import Target
    from tacit.schema.weight import Weight
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "_checks": "Value",
            "categorical": "Categorical",
            "columns": "Column Numeric",
            "draft": "draft_toml",
            "feature": "Feature",
            "file_format": "FileFormat",
            "identifier": "Identifier",
            "kinds": "Kinds",
            "label": "Label",
            "learned": "LearnedEntries",
            "schema": "Schema",
            "side_table": "SideTable",
            "target": "Target",
            "weight": "Weight",
        },
    )

__all__ = [
    "Categorical",
    "Column",
    "Feature",
    "FileFormat",
    "Identifier",
    "Kinds",
    "Label",
    "LearnedEntries",
    "Numeric",
    "Schema",
    "SideTable",
    "Target",
    "Value",
    "Weight",
    "draft_toml",
]

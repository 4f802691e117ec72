"""Options that say how a table's file is written, where the schema does not say it, or says otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tacit.schema import FileFormat, Schema

EncodingOption = Annotated[
    str | None,
    typer.Option(
        "--encoding", metavar="NAME", help="Encoding of a text file, as cp1252; by default the schema's, or UTF-8."
    ),
]
SheetOption = Annotated[
    str | None,
    typer.Option("--sheet", metavar="NAME", help="Sheet of a spreadsheet with several; by default the schema's."),
]


def written_as(encoding: str | None, sheet: str | None, schema: Schema | None = None) -> FileFormat:
    """Return how a file is written: as its options say, and of what they leave out as the schema does.

    Raises
    ------
    SchemaError
        If an option says what no file can be.
    """
    from tacit.schema import FileFormat

    return FileFormat(encoding, sheet).over(schema.file if schema else None)

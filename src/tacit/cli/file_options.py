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
SideTables = Annotated[
    list[str] | None,
    typer.Option(
        "--table",
        metavar="NAME=PATH",
        help="Where a side table of the schema is; may be repeated. By default where the schema says.",
    ),
]


def side_tables(given: list[str] | None) -> dict[str, str]:
    """Return the paths of side tables by name.

    Raises
    ------
    ParameterError
        If something is no name with a path, or a name is there twice.
    """
    from tacit.errors import ParameterError, shown

    found: dict[str, str] = {}
    for each in given or ():
        name, mark, path = each.partition("=")
        if not (name and mark and path) or name in found:
            raise ParameterError(
                f"Expected --table NAME=PATH, each name once, got {shown(each)}. Name a side table as the schema does."
            )
        found[name] = path
    return found


def written_as(encoding: str | None, sheet: str | None, schema: Schema | None = None) -> FileFormat:
    """Return how a file is written: as its options say, and of what they leave out as the schema does.

    Raises
    ------
    SchemaError
        If an option says what no file can be.
    """
    from tacit.schema import FileFormat

    return FileFormat(encoding, sheet).over(schema.file if schema else None)

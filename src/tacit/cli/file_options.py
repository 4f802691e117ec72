"""Options that say how a table's file is written, where the schema does not say it, or says otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from tacit.cli.console import TablePath

if TYPE_CHECKING:
    from tacit.schema import FileFormat, Schema
    from tacit.table.files.frames import Query
    from tacit.table.files.several import Files

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


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """The options that say how a file is written."""

    encoding: EncodingOption = None
    sheet: SheetOption = None

    def written(self, schema: Schema | None = None) -> FileFormat:
        """Return how a file is written: as these options say, and of what they leave out as the schema does.

        Raises
        ------
        SchemaError
            If an option says what no file can be.
        """
        from tacit.schema import FileFormat

        return FileFormat(self.encoding, self.sheet).over(schema.file if schema else None)


@dataclass(frozen=True, kw_only=True)
class TableOptions(FileOptions):
    """The options of a command that reads a table."""

    table: TablePath

    def files(self, schema: Schema | None = None) -> Files:
        """Return the table's files, and how they are written."""
        from tacit.table.files.several import Files

        return Files.of(self.table, self.written(schema))


@dataclass(frozen=True, kw_only=True)
class JoinedOptions(TableOptions):
    """The options of a command that reads a table with its side tables."""

    side: SideTables = None

    def source(self, schema: Schema) -> Files | Query:
        """Return the table with the columns that its side tables add."""
        from tacit.table.side_tables import joined_source

        return joined_source(self.files(schema), schema, side_tables(self.side))

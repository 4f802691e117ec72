"""The arguments of a schema together, as what reads or guesses one hands them on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from tacit.schema.columns import Column
    from tacit.schema.file_format import FileFormat
    from tacit.schema.identifier import Identifier
    from tacit.schema.label import Label
    from tacit.schema.learned import LearnedEntries
    from tacit.schema.side_table import SideTable
    from tacit.schema.target import Target
    from tacit.schema.weight import Weight


class SchemaParts(TypedDict):
    """The arguments of ``Schema``, as a file or a guess has them."""

    columns: list[Column]
    label: Label | Target
    ignored: dict[str, str]
    guessed: list[str]
    identifier: NotRequired[Identifier | None]
    rows_per_person: NotRequired[int]
    learned: NotRequired[LearnedEntries | None]
    file: NotRequired[FileFormat | None]
    delta: NotRequired[int | None]
    tables: NotRequired[list[SideTable]]
    weight: NotRequired[Weight | None]

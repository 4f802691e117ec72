"""Tables of a study: packaged data sets by name, or files by path, size and time; and which columns are protected."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import polars as pl

from tacit.datasets import Dataset, load
from tacit.errors import ParameterError, TableError
from tacit.saving import making
from tacit.schema import FileFormat, Schema
from tacit.schema.file_format import as_pairs
from tacit.study.spec import FilePath, Text, described
from tacit.table import OnInvalid
from tacit.table.batches import entries_of
from tacit.table.files.frames import Query
from tacit.table.files.several import Files
from tacit.table.files.writing import write_parquet
from tacit.table.labels import without_label


@described
class DataSpec:
    """A table on disk with its schema.

    Parameters
    ----------
    path : str or Path
        A file, a folder or a pattern of them, as ``fit`` takes them: CSV, Parquet or Arrow, with the schema's columns,
        the label and the identifier, if there is one.
    schema : str or Path
        A schema file.
    name : str, optional
        What the table is called in results; the file's name without its ending if not given.
    on_invalid : {"raise", "coerce"}
        What to do with values that the schema does not admit.
    encoding, sheet : str, optional
        How the files are written, if not as the schema says.

    Examples
    --------
    >>> DataSpec("people.csv", schema="people.toml").called
    'people'
    """

    path: FilePath
    schema: FilePath
    name: Text | None = None
    on_invalid: OnInvalid = "raise"
    encoding: Text | None = None
    sheet: Text | None = None

    if TYPE_CHECKING:

        def __init__(  # what is accepted is wider than what is stored
            self,
            path: str | Path,
            schema: str | Path,
            name: str | None = None,
            on_invalid: OnInvalid = "raise",
            encoding: str | None = None,
            sheet: str | None = None,
        ) -> None: ...

    @classmethod
    def written(
        cls,
        query: Any,
        path: str | Path,
        *,
        schema: str | Path,
        name: str | None = None,
        on_invalid: OnInvalid = "raise",
    ) -> DataSpec:
        """Write the rows of a query to a new Parquet file, some at a time, and return the table on disk.

        A study goes on where it was stopped, and its workers are other processes: both need rows that stay.

        Parameters
        ----------
        query : polars.LazyFrame, pyarrow dataset, DuckDB relation or Dask data frame
            With the schema's columns, the label and the identifier, if there is one; no others are written.
        path : str or Path
            Of the file, which only its owner can read.
        schema, name, on_invalid
            As of the table.

        Raises
        ------
        ParameterError
            If it is no query, or the path is taken or cannot be written.
        TableError
            If the query fails, or has no rows or lacks a column.

        Examples
        --------
        >>> import tempfile
        >>> import polars as pl
        >>> from tacit import Label, Numeric, Schema
        >>> folder = Path(tempfile.mkdtemp())
        >>> schema = Schema([Numeric("x", 0, 9)], label=Label("y", [0, 1]))
        >>> _ = (folder / "s.toml").write_text(schema.to_toml())
        >>> query = pl.LazyFrame({"x": [1, 5, 8], "y": [0, 1, 1], "note": ["a", "b", "c"]}).filter(pl.col("x") > 1)
        >>> table = DataSpec.written(query, folder / "rows.parquet", schema=folder / "s.toml")
        >>> pl.read_parquet(table.path).columns
        ['x', 'y']
        """
        table, source = cls(path, schema, name, on_invalid), Query.of(query)
        if source is None:
            kind = type(query).__name__
            raise ParameterError(
                f"Expected a LazyFrame, dataset, relation or Dask data frame, got query of type {kind}. "
                "Write data frames to files yourself."
            )
        entries = entries_of(Schema.from_toml(table.schema))
        try:
            with making(table.path, 0o600) as scratch:
                write_parquet((frame for frame, _ in source.frames(entries, on_invalid)), scratch)
        except (FileExistsError, FileNotFoundError, NotADirectoryError, PermissionError):
            raise ParameterError(f"Expected a new file to write, got path={str(path)!r}. Name another.") from None
        return table

    @property
    def called(self) -> str:
        """The table's name in results."""
        if self.name:
            return self.name
        # Of a pattern, the last part that says something: "events" of "events/*.parquet".
        plain = [part for part in self.path.parts if not any(sign in part for sign in "*?[")]
        return (Path(plain[-1]) if plain else self.path).stem

    def inputs(self) -> dict[str, Any]:
        """Return the table's identity: path, size and time of its files, and the schema's digest.

        Notes
        -----
        Privacy: nothing is computed from the table's content, not even a hash, which would tell a guess from a miss.
        """
        path = self.path.resolve()
        schema = self.schema.resolve()
        return {
            "path": str(path),
            **_sizes_and_times(path),
            "schema": str(schema),
            "schema_digest": _digest(Schema.from_toml(schema)),
            "on_invalid": self.on_invalid,
            **as_pairs(FileFormat(self.encoding, self.sheet)),
        }


def packaged_or_file(data: str | DataSpec) -> dict[str, Any]:
    """Return the inputs of a task that say which table it is about: ``data``, a name, and ``file``, or null."""
    if isinstance(data, DataSpec):
        return {"data": data.called, "file": data.inputs()}
    return {"data": data, "file": None}


def read_data(inputs: Mapping[str, Any]) -> Dataset:
    """Return the table that a task's inputs name; a file must still be the one that was meant."""
    file = inputs.get("file")
    if file is None:
        return load(inputs["data"])
    schema, source = unchanged(file)
    frames = [frame for frame, _ in source.frames(entries_of(schema), file["on_invalid"])]
    # A column may be coded in one frame and text in the next.
    frame, label = pl.concat(frames, how="vertical_relaxed"), schema.label
    if label.drops_missing:
        frame = frame.filter(~without_label(frame[label.name], label))
    return Dataset(inputs["data"], frame.drop(label.name), frame[label.name], schema)


def data_schema(inputs: Mapping[str, Any]) -> Schema:
    """Return the schema of the table that a task's inputs name, without reading the table."""
    from tacit.datasets.catalog import load_schema

    file = inputs.get("file")
    return load_schema(inputs["data"]) if file is None else unchanged(file)[0]


def unchanged(file: Mapping[str, Any]) -> tuple[Schema, Files]:
    """Return the schema and the files of a table on disk, which must be those that were meant."""
    path = Path(file["path"])
    known = _sizes_and_times(path)
    if known != {name: file.get(name) for name in known}:
        raise TableError(f"Expected {path.name} as it was when the study began, got a later one. Start a new study.")
    schema = Schema.from_toml(Path(file["schema"]))
    if _digest(schema) != file["schema_digest"]:
        raise ParameterError("Expected the schema as it was when the study began, got another. Start a new study.")
    written = FileFormat(file.get("encoding"), file.get("sheet")).over(schema.file)
    return schema, Files.of(path, written)


def _sizes_and_times(path: Path) -> dict[str, Any]:
    """Return size and time of one file; of several, the sum, the latest, and a digest of all names, sizes and times."""
    if path.is_fifo():
        raise TableError(f"Expected files with names in a study, got the pipe {path.name}. Write it to a file first.")
    source = Files.of(path)
    known = [(each, each.stat()) for each in source.paths]
    # Not a digest of the content: it would tell a right guess at all rows from a wrong one.
    told = {"size": source.n_bytes, "mtime_ns": max(found.st_mtime_ns for _, found in known)}
    if source.paths == (path,):
        return told
    listed = [[str(each), found.st_size, found.st_mtime_ns] for each, found in known]
    return {**told, "files_digest": sha256(json.dumps(listed).encode()).hexdigest()[:32]}


def _digest(schema: Schema) -> str:
    return sha256(schema.to_toml().encode()).hexdigest()[:32]


CASES: MappingProxyType[str, Callable[[Schema], Schema]] = MappingProxyType(
    {
        "as-declared": lambda schema: schema,
        "all-private": Schema.all_private,
        "public-label": lambda schema: schema.with_private(schema.names, label=False),
    }
)
"""``as-declared``: as the schema says. ``all-private``: every column and the label. ``public-label``: every column."""


def protected(schema: Schema, case: str) -> Schema:
    """Return the schema with what the case protects."""
    if case not in CASES:
        raise ParameterError(f"Expected privacy to be one of {', '.join(CASES)}, got privacy={case!r}. Choose one.")
    return CASES[case](schema)

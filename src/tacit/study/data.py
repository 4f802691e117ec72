"""Tables of a study: packaged data sets by name, or files by path, size and time; and which columns are protected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tacit.datasets import Dataset, load
from tacit.errors import ParameterError, TableError
from tacit.schema import Schema
from tacit.study.spec import FilePath, Text, described
from tacit.table import OnInvalid


@described
class DataSpec:
    """A table on disk with its schema.

    Parameters
    ----------
    path : str or Path
        A CSV or Parquet file with the schema's columns and the label.
    schema : str or Path
        A schema file.
    name : str, optional
        What the table is called in results; the file's name without its ending if not given.
    on_invalid : {"raise", "coerce"}
        What to do with values that the schema does not admit.

    Examples
    --------
    >>> DataSpec("people.csv", schema="people.toml").called
    'people'
    """

    path: FilePath
    schema: FilePath
    name: Text | None = None
    on_invalid: OnInvalid = "raise"

    if TYPE_CHECKING:

        def __init__(  # what is accepted is wider than what is stored
            self, path: str | Path, schema: str | Path, name: str | None = None, on_invalid: OnInvalid = "raise"
        ) -> None: ...

    @property
    def called(self) -> str:
        """The table's name in results."""
        return self.name or self.path.stem

    def inputs(self) -> dict[str, Any]:
        """Return the table's identity: path, size and time of its file, and the schema's digest.

        Notes
        -----
        Privacy: nothing is computed from the table's content, not even a hash, which would tell a guess from a miss.
        """
        path = self.path.resolve()
        schema = self.schema.resolve()
        return {
            "path": str(path),
            **_size_and_time(path),
            "schema": str(schema),
            "schema_digest": _digest(Schema.from_toml(schema)),
            "on_invalid": self.on_invalid,
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
    from tacit.table.files import read_with_labels

    schema = _unchanged_schema(file)
    frame, target = read_with_labels(Path(file["path"]), schema, file["on_invalid"])
    return Dataset(inputs["data"], frame, target, schema)


def data_schema(inputs: Mapping[str, Any]) -> Schema:
    """Return the schema of the table that a task's inputs name, without reading the table."""
    from tacit.datasets.catalog import load_schema

    file = inputs.get("file")
    return load_schema(inputs["data"]) if file is None else _unchanged_schema(file)


def _unchanged_schema(file: Mapping[str, Any]) -> Schema:
    path = Path(file["path"])
    if _size_and_time(path) != {"size": file["size"], "mtime_ns": file["mtime_ns"]}:
        raise TableError(f"Expected {path.name} as it was when the study began, got a later one. Start a new study.")
    schema = Schema.from_toml(Path(file["schema"]))
    if _digest(schema) != file["schema_digest"]:
        raise ParameterError("Expected the schema as it was when the study began, got another. Start a new study.")
    return schema


def _size_and_time(path: Path) -> dict[str, int]:
    try:
        known = path.stat()
    except OSError:
        raise TableError(
            f"Expected a file with a table, got path={str(path)!r}, where there is none. Check the path."
        ) from None
    # Not a digest of the content: it would tell a right guess at all rows from a wrong one.
    return {"size": known.st_size, "mtime_ns": known.st_mtime_ns}


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

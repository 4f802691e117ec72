"""The schema file that a review in the terminal writes again after each answer, without losing anybody's work."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from tacit.errors import SchemaError
from tacit.saving import write_atomically
from tacit.schema import Schema
from tacit.schema.decisions import reviewed_toml
from tacit.schema.side_toml import with_files_from


@dataclass
class ReviewFile:
    """A schema file under review.

    Parameters
    ----------
    path : Path
        Links followed.
    """

    path: Path
    _known: bytes = field(init=False, repr=False)
    _is_first: bool = field(default=True, init=False, repr=False)

    def __post_init__(self) -> None:
        self._known = self.path.read_bytes()

    @property
    def has_comments(self) -> bool:
        """Whether there are comments, which are not written again, but for the first line, which a review may write."""
        lines = self._known.decode("utf-8-sig").splitlines()[1:]
        return any(line.lstrip().startswith("#") for line in lines)

    @property
    def kept(self) -> Path:
        """Where the file as it is goes, before it is first written again: the first name beside it that is free."""
        names = (f"{self.path.stem}.before-review{at}{self.path.suffix}" for at in ("", *range(2, 1_000_000)))
        return next(path for path in map(self.path.with_name, names) if not path.exists())

    def write(self, schema: Schema) -> None:
        """Write the schema as it is now.

        Raises
        ------
        SchemaError
            If the file was changed by something else since it was read, or written here.
        """
        if self.path.read_bytes() != self._known:
            raise SchemaError(
                f"Expected {self.path.name} as this review left it, got a file that was changed since. Quit, and "
                "review that file: this answer is not kept."
            )
        if self._is_first and self.has_comments:
            shutil.copy(self.path, self.kept)  # with its mode: it is as private as the file
        self._is_first = False
        text = reviewed_toml(with_files_from(schema, self.path.parent))
        write_atomically(self.path, text)
        self._known = text.encode("utf-8")

"""What `tacit compare` was asked for, checked as far as its options contradict each other."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.errors import ParameterError

if TYPE_CHECKING:
    from tacit.cli.fit_command import OnInvalid


class Privacy(StrEnum):
    """What a comparison protects."""

    DECLARED = "as-declared"
    ALL = "all-private"


_CASES = {Privacy.DECLARED: "packaged", Privacy.ALL: "all-private"}


@dataclass(frozen=True)
class Choices:
    """The options of `tacit compare` as they were given; None where one was left out."""

    table: Path | None = None
    schema: Path | None = None
    data: str | None = None
    simulate: int | None = None
    spec: Path | None = None
    epsilons: str | None = None
    learners: str | None = None
    repeats: int | None = None
    folds: int | None = None
    test_share: float | None = None
    delta: float | None = None
    privacy: Privacy | None = None
    on_invalid: OnInvalid | None = None
    seed: int | None = None

    @property
    def inputs(self) -> tuple[Path, ...]:
        """The files that are read."""
        return tuple(path for path in (self.table, self.schema, self.spec) if path is not None)

    @property
    def case(self) -> str:
        """What is protected, as a study calls it."""
        return _CASES[self.privacy or Privacy.DECLARED]

    def check(self) -> None:
        """Refuse options that do not go together.

        Raises
        ------
        ParameterError
            With the first thing that is wrong.
        """
        if self.spec is not None:
            self._check_alone()
            return
        self._check_rows()
        if self.epsilons is None:
            raise ParameterError("Expected --epsilons, got none. Write for example --epsilons 0.01,0.1,1.")
        if self.folds is not None and self.test_share is not None:
            raise ParameterError("Expected --folds or --test-share, got both. Leave one out.")

    def _check_alone(self) -> None:
        for field in fields(self):
            if field.name != "spec" and getattr(self, field.name) is not None:
                option = "a table" if field.name == "table" else "--" + field.name.replace("_", "-")
                raise ParameterError(f"Expected nothing beside --spec, got {option}. Write it into the spec.")

    def _check_rows(self) -> None:
        if self.table is not None and (self.data is not None or self.simulate is not None):
            raise ParameterError("Expected one source of rows, got a table and --data or --simulate. Leave one out.")
        if self.table is None and self.data is None and self.simulate is None:
            raise ParameterError("Expected a table, --data or --simulate, got none. Say where the rows come from.")
        if self.data is not None and self.schema is not None:
            raise ParameterError("Expected no --schema beside --data, got one. A known data set has its own.")
        if self.data is None and self.schema is None:
            raise ParameterError("Expected --schema, got none. `tacit schema draft` writes a first version.")
        if self.table is None and self.on_invalid is not None:
            raise ParameterError("Expected --on-invalid beside a table, got it without one. Leave it out.")

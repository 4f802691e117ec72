"""The options of `tacit compare`, checked as far as they contradict each other."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Literal

import typer

from tacit.cli.console import AnswerOptions
from tacit.cli.file_options import FileOptions
from tacit.cli.ledger_commands import NotingLedger
from tacit.errors import ParameterError
from tacit.privacy.parameters import MAX_SEED

Privacy = Literal["as-declared", "all-private"]
"""What a comparison protects."""

_WITH_SPEC = ("spec", "out", "ledger", "workers", "retry_failed", "as_json", "quiet", "debug")
"""Options that a spec does not write down."""


@dataclass(frozen=True)
class CompareOptions(FileOptions, AnswerOptions):
    """The options of `tacit compare` as they were given; None where one was left out."""

    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the study; made if missing.", show_default=False)]
    table: Annotated[
        Path | None,
        typer.Argument(help="CSV, a spreadsheet, Parquet, Arrow: a file, a folder or a pattern.", show_default=False),
    ] = None
    schema: Annotated[Path | None, typer.Option("--schema", "-s", help="The table's schema, TOML.")] = None
    data: Annotated[str | None, typer.Option("--data", help="A known data set instead of a table.")] = None
    simulate: Annotated[
        int | None, typer.Option("--simulate", min=1, metavar="ROWS", help="Rows made from the schema instead.")
    ] = None
    spec: Annotated[Path | None, typer.Option("--spec", help="A study in TOML, in place of all options below.")] = None
    epsilons: Annotated[str | None, typer.Option("--epsilons", "-e", metavar="E,E,...", help="As 0.01,0.1,1.")] = None
    learners: Annotated[
        str | None, typer.Option("--learners", metavar="NAME,...", help="All by default; a wrong name lists them.")
    ] = None
    repeats: Annotated[int | None, typer.Option("--repeats", help="Random splits: 10 by default; 1 with --folds.")] = (
        None
    )
    folds: Annotated[int | None, typer.Option("--folds", help="Cross-validation instead of one part to test.")] = None
    test_share: Annotated[
        float | None, typer.Option("--test-share", help="Part of the rows to test on; 0.25 by default.")
    ] = None
    delta: Annotated[float | None, typer.Option("--delta", help="0 by default; else far below 1/rows.")] = None
    privacy: Annotated[Privacy | None, typer.Option("--privacy", help="What is protected.")] = None
    on_invalid: Annotated[
        Literal["raise", "coerce"] | None,
        typer.Option(
            "--on-invalid", help="Cells that the schema does not admit: an error by default, or counted as missing."
        ),
    ] = None
    ledger: NotingLedger = None
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, max=MAX_SEED, help="Of splits and simulated noise; 0.")
    ] = None
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Processes; one a core by default.")] = None
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Try fits again that failed before.")] = False

    @property
    def inputs(self) -> tuple[Path, ...]:
        """The files that are read."""
        return tuple(path for path in (self.table, self.schema, self.spec) if path is not None)

    @property
    def case(self) -> str:
        """What is protected, as a study calls it."""
        return self.privacy or "as-declared"

    def check(self) -> None:
        """Refuse options that do not go together."""
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
            if field.name not in _WITH_SPEC and getattr(self, field.name) is not None:
                option = "a table" if field.name == "table" else "--" + field.name.replace("_", "-")
                raise ParameterError(f"Expected nothing else with --spec, got {option}. Write it into the spec.")

    def _check_rows(self) -> None:
        if self.table is not None and (self.data is not None or self.simulate is not None):
            raise ParameterError("Expected one source of rows, got a table and --data or --simulate. Leave one out.")
        if self.table is None and self.data is None and self.simulate is None:
            raise ParameterError("Expected a table, --data or --simulate, got none. Say where the rows come from.")
        if self.data is not None and self.schema is not None:
            raise ParameterError("Expected no --schema with --data, got one. A known data set has its own.")
        if self.data is None and self.schema is None:
            raise ParameterError("Expected --schema, got none. `tacit schema draft` writes a first version.")
        for option in ("on_invalid", "encoding", "sheet"):
            if self.table is None and getattr(self, option) is not None:
                name = "--" + option.replace("_", "-")
                raise ParameterError(f"Expected {name} with a table, got it without one. Leave it out.")

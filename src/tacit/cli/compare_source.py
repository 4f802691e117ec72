"""Where the rows of a comparison come from, and what that means for whoever chooses by it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tacit.datasets import Dataset
from tacit.schema import Schema
from tacit.study.study import DataSpec

if TYPE_CHECKING:
    import polars as pl

    from tacit.cli.compare_choices import Choices
    from tacit.cli.compare_folder import StudyFolder
    from tacit.table import OnInvalid

Kind = Literal["private", "public", "simulated"]


@dataclass(frozen=True)
class Source:
    """The rows of a study.

    Attributes
    ----------
    kind : {"private", "public", "simulated"}
        A table of people, a known data set, or rows made from a schema.
    data : str, DataSpec or None
        None for the tables that a spec names.
    schema : Schema or None
        Of a spec, that of its simulated rows.
    made : Dataset or None
        Simulated rows.
    """

    kind: Kind
    data: str | DataSpec | None = None
    schema: Schema | None = None
    made: Dataset | None = None

    @property
    def files(self) -> dict[str, bytes]:
        """What must lie in the study's folder before it runs, by name."""
        if self.made is None:
            return {}
        table = simulated_csv(self.made.frame, self.made.target)
        return {"simulated.csv": table, "schema.toml": self.made.schema.to_toml().encode()}

    @property
    def guessed(self) -> bool:
        """Whether entries of the schema were read off rows."""
        return bool(self.schema and self.schema.guessed)

    @property
    def told(self) -> Literal["private", "public", "simulated", "guessed"]:
        """Which note stands on top of the study."""
        return "guessed" if self.kind == "simulated" and self.guessed else self.kind


def source_of(choices: Choices, folder: StudyFolder) -> Source:
    """Return where the rows come from; no table is opened but one that a spec calls simulated."""
    if choices.spec is not None:
        from tacit.cli.compare_spec import spec_source
        from tacit.study.study import Study

        return spec_source(Study.from_toml(choices.spec.absolute()))
    schema = _schema(choices)
    if choices.simulate is not None:
        return _simulated(choices, schema, folder)
    if choices.table is None:
        return Source("public", choices.data, schema)
    table, path = choices.table.absolute(), Path(str(choices.schema)).absolute()
    on_invalid: OnInvalid = choices.on_invalid.value if choices.on_invalid else "raise"
    return Source("private", DataSpec(table, path, on_invalid=on_invalid), schema)


def simulated_csv(frame: pl.DataFrame, labels: pl.Series) -> bytes:
    """Return made-up rows as the content of their file."""
    return frame.with_columns(labels).write_csv().encode()


def _schema(choices: Choices) -> Schema:
    from tacit.datasets.catalog import load_schema

    return load_schema(choices.data) if choices.data is not None else Schema.from_toml(Path(str(choices.schema)))


def _simulated(choices: Choices, schema: Schema, folder: StudyFolder) -> Source:
    from tacit.study.simulate import simulate

    assert choices.simulate is not None
    name = f"{choices.data or Path(str(choices.schema)).stem}, simulated"
    made = Dataset(name, *simulate(schema, choices.simulate, choices.seed or 0), schema)
    data = DataSpec(folder.file("simulated.csv"), folder.file("schema.toml"), name)
    return Source("simulated", data, schema, made)

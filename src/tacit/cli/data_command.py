"""`tacit data`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.table import Table as Grid

from tacit.cli.console import OutputAnswerOptions, Terminal, checked_output, emit_json
from tacit.cli.options import command_of
from tacit.errors import ParameterError

Part = Literal["all", "train", "test"]
"""Which rows to write."""


@dataclass(frozen=True)
class DataOptions(OutputAnswerOptions):
    """The options of `tacit data`."""

    name: Annotated[str | None, typer.Argument(help="A data set; all are listed if not given.")] = None
    out: Annotated[Path | None, typer.Option("--out", "-o", help="CSV file to write the table to.")] = None
    schema_out: Annotated[Path | None, typer.Option("--schema-out", help="TOML file to write its schema to.")] = None
    part: Annotated[Part, typer.Option("--part", help="Rows, where the data set has an official split.")] = "all"


@command_of(DataOptions)
def data(options: DataOptions) -> None:
    """List the known data sets, or write one as CSV with its schema."""
    terminal, name, writes = Terminal(options.quiet), options.name, options.out or options.schema_out
    if name is None and (writes or options.part != "all"):
        raise ParameterError("Expected the name of a data set to write, got none. `tacit data` lists them.")
    if name is not None and writes:
        _write(name, options, terminal)
        return
    from tacit.datasets import names

    listed = [_described(each) for each in ([name] if name else names())]
    if options.as_json:
        emit_json(listed)
        return
    if name:
        terminal.say(*_lines(listed[0]))
    else:
        terminal.say(_grid(listed), _ADVICE)


_ADVICE = """\
`tacit data NAME --out table.csv --schema-out schema.toml` writes one. Those not found are looked for in the folder that
the environment variable TACIT_DATA names, then downloaded."""


def _write(name: str, options: DataOptions, terminal: Terminal) -> None:
    from tacit.datasets import load
    from tacit.datasets.catalog import load_schema
    from tacit.saving import write_atomically

    schema, out, schema_out = load_schema(name), options.out, options.schema_out
    if schema_out:
        schema_target = checked_output(schema_out, *([out] if out else []), force=options.force, option="--schema-out")
    if out:
        target = checked_output(out, force=options.force)  # before a download, which may take minutes
        with terminal.busy(f"Reading {name}"):
            dataset = load(name)
            table = _rows(dataset, options.part)
        write_atomically(target, table.write_csv())
        terminal.note(f"Wrote {out}.")
    if schema_out:
        write_atomically(schema_target, schema.to_toml())
        terminal.note(f"Wrote {schema_out}.")


def _rows(dataset: Any, part: Part) -> Any:
    table = dataset.frame.with_columns(dataset.target)
    if part == "all":
        return table
    if dataset.split is None:
        raise ParameterError(f"Expected --part all for {dataset.name!r}, which has no official split. Leave it out.")
    return table.filter(dataset.split == part)


def _described(name: str) -> dict[str, Any]:
    from tacit.datasets.catalog import load_schema, records

    schema = load_schema(name)
    record = records()[name]
    found = record.here()
    return {
        "name": name,
        "rows": record.n_rows,
        "columns": len(schema.columns),
        "label": schema.label.name,
        "classes": list(schema.classes),
        "public_columns": list(schema.public_columns),
        "official_split": record.n_train is not None,
        "found": found is not None,
        "files": [str(path) for path in found or ()],
    }


def _where(each: dict[str, Any]) -> str:
    if not each["found"]:
        return "not found"
    folders = sorted({str(Path(file).parent) for file in each["files"]})
    return ", ".join(folders) or "ships with scikit-learn"


def _lines(each: dict[str, Any]) -> list[str]:
    return [
        f"{each['name']}: {each['rows']:,} rows, {each['columns']} columns; {_where(each)}",
        f"label: {each['label']} ({', '.join(map(str, each['classes']))})",
        f"public columns: {', '.join(each['public_columns']) or 'none'}",
        f"official split into train and test: {'yes' if each['official_split'] else 'no'}",
    ]


def _grid(listed: list[dict[str, Any]]) -> Grid:
    grid = Grid("name", "rows", "columns", box=None, header_style="bold", padding=(0, 2, 0, 0))
    grid.add_column("where", overflow="fold")
    for each in listed:
        grid.add_row(each["name"], f"{each['rows']:,}", str(each["columns"]), _where(each))
    return grid

"""`tacit predict`: neither a table nor its predictions are ever whole in memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from tacit.cli.console import ModelPath, OutputOptions, Terminal, emit, file_or_stdout
from tacit.cli.file_options import JoinedOptions
from tacit.cli.options import command_of
from tacit.cli.progress_line import measuring
from tacit.errors import ParameterError


@dataclass(frozen=True)
class PredictOptions(JoinedOptions, OutputOptions):
    """The options of `tacit predict`."""

    model: ModelPath
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="CSV file to write, or Parquet if its name ends so; stdout for - or none."),
    ] = None
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Add a column with the probability of each class.")
    ] = False
    calibrated: Annotated[
        bool, typer.Option("--calibrated", help="Probabilities calibrated on the rows of fit --holdout.")
    ] = False
    threshold: Annotated[
        str, typer.Option("--threshold", help="majority, balanced, or the least probability of the second class.")
    ] = "majority"
    coverage: Annotated[
        float | None,
        typer.Option("--coverage", help="Add sets of classes that hold the true one so often, as 0.9 (fit --holdout)."),
    ] = None
    marginal: Annotated[
        bool, typer.Option("--marginal", help="With --coverage: so often of all rows together, not of each class.")
    ] = False
    interval: Annotated[
        float | None,
        typer.Option("--interval", help="Add the ends of intervals that hold the number so often, as 0.9 (--holdout)."),
    ] = None
    explain: Annotated[
        int, typer.Option("--explain", min=0, help="Add the N largest contributions of columns to the class's score.")
    ] = 0
    identifier: Annotated[
        str | None, typer.Option("--id", metavar="COLUMN", help="Column of the table to write next to predictions.")
    ] = None
    on_invalid: Annotated[
        Literal["raise", "coerce"] | None,
        typer.Option("--on-invalid", help="Cells that the schema does not admit; by default as in the fit."),
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="Write a line of JSON for each row, for programs.")] = False


@command_of(PredictOptions)
def predict(options: PredictOptions) -> None:
    """Predict the class or number of each row of a table, in the order of the rows."""
    from tacit.models import read_model
    from tacit.saving import replacing

    terminal = Terminal(options.quiet)
    target = file_or_stdout(options.out, options.table, options.model, force=options.force)
    with terminal.noting(), ExitStack() as shown:
        opened: Any = read_model(options.model)
        chosen = _threshold(options.threshold)
        _check_asked(options, opened.schema)
        if options.calibrated and not options.probabilities and chosen == "majority":
            raise ParameterError("Expected --calibrated with --probabilities or --threshold, got neither. Add one.")
        names = _predicted_names(opened, options)
        writer = _writer(options, target)

        reach = None if options.interval is None else opened.reach(options.interval)
        for said in _hidden(opened, options, reach):
            terminal.note(said)
        source = options.source(opened.schema)
        invalid = options.on_invalid or opened.on_invalid
        # Rows and a line that moves would overwrite each other on one terminal.
        if target or not sys.stdout.isatty():
            shown.enter_context(measuring(terminal, "Predicting", source.about_n_rows, reading="Predicting"))
        beside = () if options.identifier is None else (options.identifier,)
        given = (
            (opened.read(frame, invalid), kept) for frame, kept in source.frames(opened.schema.inputs, invalid, beside)
        )
        frames = _frames(given, names, partial(_predictions, opened, options, chosen, reach))
        if target is None:
            for at, frame in enumerate(frames):
                emit(writer(frame, at == 0))
            return
        with replacing(target) as scratch:
            _write(frames, scratch, None if target.suffix == ".parquet" else writer)
    terminal.note(f"Wrote {options.out}: one prediction for each row, in order.")
    if options.explain:
        terminal.note("Contributions are as private as the rows that they explain.")


def _predictions(model: Any, options: PredictOptions, threshold: Any, reach: Any, rows: Any) -> list[Any]:
    """Return the columns that are written for some rows."""
    from tacit.models.number_intervals import within_reach

    if model.schema.target:
        predicted: Any = model.predict(rows)
    else:
        predicted = model.predict(rows, threshold=threshold, calibrated=options.calibrated)
    found: list[Any] = [predicted]
    if _several_quantiles(model):
        found += list(model.predict_quantiles(rows).T)
    if options.probabilities:
        found += list(model.predict_proba(rows, calibrated=options.calibrated).T)
    if options.coverage is not None:
        found.append(_sets(model, rows, options.coverage, not options.marginal))
    if reach is not None:
        found += list(within_reach(predicted, reach, model.target).T)
    if options.explain:
        found.append(_reasons(model, rows, predicted, options.explain))
    return found


def _check_asked(options: PredictOptions, schema: Any) -> None:
    """Refuse what is of classes for a number, and of numbers for classes."""
    name = schema.label.name
    if not schema.target and options.interval is not None:
        raise ParameterError(
            f"Expected no --interval for a model that predicts the classes of {name!r}, got one. Take --coverage: it "
            "adds sets of classes."
        )
    if options.marginal and options.coverage is None:
        raise ParameterError("Expected --coverage with --marginal, got none. Add --coverage 0.9.")
    given = {
        "--probabilities": options.probabilities,
        "--calibrated": options.calibrated,
        "--threshold": options.threshold != "majority",
        "--coverage": options.coverage is not None,
    }
    for option in (each for each, is_given in given.items() if is_given and schema.target):
        raise ParameterError(
            f"Expected no {option} for a model that predicts the number {name!r}, got it. Leave it out: it is of "
            "classes."
        )


def _sets(model: Any, rows: Any, coverage: float, by_class: bool) -> Any:
    """Return each row's set of classes as a text: ``no or yes``."""
    texts = [str(each) for each in model.classes.tolist()]
    sets = model.predict_set(rows, coverage, by_class=by_class)
    return [" or ".join(text for text, inside in zip(texts, row, strict=True) if inside) for row in sets.tolist()]


def _hidden(model: Any, options: PredictOptions, reach: Any) -> Iterator[str]:
    """Yield which classes every set has, or which ends of intervals are bounds, as noise hides them.

    Raises ParameterError if the model has no sets.
    """
    from tacit.models.decisions import bounds_of_sets
    from tacit.models.number_intervals import hidden_ends

    if reach is not None and (said := hidden_ends(reach)):
        yield said
    if options.coverage is None:
        return
    given = model.held_out, model.guarantee.counted, options.coverage
    bounds = bounds_of_sets(*given, by_class=not options.marginal)
    if options.marginal and bounds[0][2] is None:
        yield "Each set has all classes: noise hides which rows could go without one. Keep back more rows."
        return
    for name, (_, _, edge) in zip(model.classes.tolist(), bounds, strict=True):
        if edge is None:
            yield f"Each set has the class {name!r}: noise hides which rows could go without. Keep back more rows."


def _reasons(model: Any, rows: Any, predicted: Any, n_columns: int) -> Any:
    """Return a list for each row of column, contribution and deviation, as a series of polars."""
    import polars as pl

    from tacit.models.contributions import strongest

    # A number has one score, of its name.
    names = [model.target.name] if model.schema.target else model.classes.tolist()
    towards = names * len(predicted) if model.schema.target else predicted
    found = strongest(model.explain(rows), towards, names, n_columns)
    each = pl.struct("column", "contribution", "deviation").alias("reasons")
    listed = found.group_by("row", maintain_order=True).agg(each)
    every = pl.DataFrame({"row": range(len(predicted))}, schema={"row": found.schema["row"]})
    return every.join(listed, on="row", how="left", maintain_order="left")["reasons"]


def _writer(options: PredictOptions, target: Path | None) -> Callable[[Any, bool], str]:
    """Return what writes a frame as text, the first one with a header where the format has one."""
    if options.as_json:
        if target is not None and target.suffix == ".parquet":
            raise ParameterError(f"Expected --json with a file of lines, got --out {target.name}. Leave one out.")
        return lambda frame, first: str(frame.write_ndjson())
    return lambda frame, first: str(_in_words(frame).write_csv(include_header=first))


def _in_words(frame: Any) -> Any:
    """Return a frame whose lists of contributions are texts, as ``age +1.20 ± 0.1; sex -0.30``."""
    import polars as pl

    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    worded = {name: ["; ".join(map(_reason, each or ())) for each in frame[name].to_list()] for name in nested}
    return frame.with_columns(pl.Series(name, each, dtype=pl.String) for name, each in worded.items())


def _reason(one: dict[str, Any]) -> str:
    from tacit.models.cells import signed, size

    noise = "" if one["deviation"] is None else f" ± {size(one['deviation'])}"
    return f"{one['column']} {signed(one['contribution'])}{noise}"


def _frames(given: Iterator[Any], names: list[str], predictions: Callable[[Any], list[Any]]) -> Iterator[Any]:
    """Yield the columns to write, some rows at a time."""
    import polars as pl

    for rows, kept in given:
        columns = [*kept.iter_columns(), *predictions(rows)]
        yield pl.DataFrame(dict(zip(names, columns, strict=True)))


def _threshold(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def _several_quantiles(model: Any) -> list[float]:
    """Return the quantiles that a model predicts, where there is more than one."""
    found = [share for share, _ in model.quantiles] if model.schema.target else []
    return found if len(found) > 1 else []


def _predicted_names(model: Any, options: PredictOptions) -> list[str]:
    """Return the columns to write, all of different names."""
    label, identifier = model.schema.label.name, options.identifier
    classes = model.classes.tolist() if options.probabilities else []
    names = [label, *(f"{label}={each}" for each in classes)]
    names += [f"{label}: quantile {each:g}" for each in _several_quantiles(model)]
    names += [f"{label}: low", f"{label}: high"] * (options.interval is not None)
    names += [f"{label}: set"] * (options.coverage is not None) + [f"{label}: reasons"] * bool(options.explain)
    if identifier in names:
        raise ParameterError(f"Expected a column for --id that no prediction is called by, got {identifier!r}.")
    return names if identifier is None else [identifier, *names]


def _write(frames: Iterator[Any], path: Path, writer: Callable[[Any, bool], str] | None) -> None:
    """Write frames one after the other, as text or else as Parquet."""
    from tacit.table.files.writing import write_parquet

    if writer is None:
        write_parquet(frames, path)
        return
    with path.open("wb") as stream:
        for at, frame in enumerate(frames):
            stream.write(writer(frame, at == 0).encode())

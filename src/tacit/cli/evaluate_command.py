"""`tacit evaluate`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from tacit.cli.charges import writing_paid
from tacit.cli.cluster_option import ClusterOption, client_of
from tacit.cli.console import Delta, ModelPath, NoiseSeed, OutputAnswerOptions, Terminal, checked_output, emit_json
from tacit.cli.file_options import JoinedOptions
from tacit.cli.ledger_commands import LedgerOption
from tacit.cli.options import command_of
from tacit.cli.progress_line import measuring


@dataclass(frozen=True)
class EvaluateOptions(JoinedOptions, OutputAnswerOptions):
    """The options of `tacit evaluate`."""

    model: ModelPath
    epsilon: Annotated[float, typer.Option("--epsilon", "-e", help="Privacy to spend; above 0.", show_default=False)]
    delta: Delta = 0.0
    by: Annotated[
        str | None, typer.Option("--by", help="A column of categories: measure by group, too; costs nothing further.")
    ] = None
    schema: Annotated[
        Path | None,
        typer.Option("--schema", "-s", help="What is private of these rows, if not as in the fit; persons."),
    ] = None
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="JSON file to write: measures, counts and certificate.")
    ] = None
    storage: Annotated[
        Literal["auto", "memory", "disk"],
        typer.Option("--storage", help="Where rows are kept; by default on disk where files are large."),
    ] = "auto"
    cluster: ClusterOption = None
    other_people: Annotated[
        bool,
        typer.Option("--other-people", help="These are not the people of the fit, although there are as many."),
    ] = False
    ledger: LedgerOption = None
    seed: NoiseSeed = None


@command_of(EvaluateOptions)
def evaluate(options: EvaluateOptions) -> None:
    """Measure a model privately on rows taken to be other people than the model's, with a certificate."""
    from tacit.cli.model_words import measured_lines
    from tacit.estimators.evaluation import evaluate as evaluated
    from tacit.models import read_model
    from tacit.saving import write_atomically
    from tacit.schema import Schema

    terminal = Terminal(options.quiet)
    target = checked_output(options.out, options.table, options.model, force=options.force) if options.out else None
    opened = read_model(options.model)
    schema = Schema.from_toml(options.schema) if options.schema else None
    source = options.source(schema or opened.schema)
    given: dict[str, Any] = {"schema": schema, "random_state": options.seed}
    given |= {"epsilon": options.epsilon, "delta": options.delta, "ledger": options.ledger, "storage": options.storage}
    given |= {"other_people": options.other_people, "by": options.by}
    with (
        client_of(options.cluster) as client,
        terminal.noting(),
        measuring(terminal, "Measuring", source.about_n_rows),
    ):
        found = evaluated(opened, source, client=client, **given)
    if target:
        text = json.dumps(found.document(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        with writing_paid(found.privacy):
            write_atomically(target, text)
        terminal.note(f"Wrote {options.out}: the noisy counts, and their certificate.")
    if options.as_json:
        emit_json(found.document())
    else:
        terminal.say(
            *measured_lines(opened, found.measured, found.privacy.counted),
            *(found.sets.lines() if found.sets else ()),
            "",
            *((*found.groups().lines(), "") if options.by else ()),
            str(found.privacy),
        )

"""`tacit merge`: one model of the models that several sites published."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tacit.cli.console import ModelFile, OutputAnswerOptions, Terminal, checked_output, emit_json, quoted
from tacit.cli.options import command_of
from tacit.errors import ParameterError

if TYPE_CHECKING:
    from tacit.privacy.merged import People


@dataclass(frozen=True)
class MergeOptions(OutputAnswerOptions):
    """The options of `tacit merge`."""

    models: Annotated[
        list[Path], typer.Argument(help="Each site's model, a file that `tacit fit` wrote.", show_default=False)
    ]
    out: ModelFile
    may_overlap: Annotated[
        bool, typer.Option("--may-overlap", help="People may be at several sites: what the sites spent adds up.")
    ] = False
    same_people: Annotated[
        bool, typer.Option("--same-people", help="All models are of the same people: what they spent adds up.")
    ] = False
    allow: Annotated[
        Literal["simulated", "void"] | None,
        typer.Option("--allow", help="Save a model although its certificate promises nothing."),
    ] = None


@command_of(MergeOptions)
def merge(options: MergeOptions) -> None:
    """Make one model of several sites' models of different people, at no further cost."""
    from tacit.cli.model_words import guarantee_document
    from tacit.estimators.merging import merge as merged
    from tacit.models import write_model

    terminal = Terminal(options.quiet)
    target = checked_output(options.out, *options.models, force=options.force)
    with terminal.noting(), terminal.busy("Merging"):
        model = merged(options.models, people=_people(options))
        write_model(model, target, allow=options.allow)
    if options.as_json:
        emit_json({"model": str(options.out), "privacy": guarantee_document(model.guarantee)})
    else:
        terminal.say(*_words(model, options.out))


def _people(options: MergeOptions) -> People:
    if options.may_overlap and options.same_people:
        raise ParameterError(
            "Expected --may-overlap or --same-people, got both. Give --same-people where all models are of one table."
        )
    return "the same" if options.same_people else "at several sites" if options.may_overlap else "at one site"


def _words(model: Any, out: Path) -> list[str]:
    privacy = model.guarantee
    promised = f"epsilon {privacy.epsilon:g}, delta {privacy.delta:g}"
    status = {
        "private": f"private: {promised}",
        "public": "nothing was protected, as the schema declares everything public",
        "simulated": "NOT PRIVATE, as the noise of a part can be repeated",
        "void": "NOT PRIVATE: " + " ".join(privacy.reasons),
    }[privacy.status]
    lines = [f"Wrote {out} ({len(privacy.parts)} models; {status})."]
    if privacy.status == "private":
        lines.append(f"{privacy.how_combined} tacit verify {quoted(out)} recomputes it.")
    return [*lines, f"Next: tacit inspect {quoted(out)}", f"      tacit predict {quoted(out)} new.csv"]

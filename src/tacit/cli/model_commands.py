"""`tacit inspect`: what a model says."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.cli.console import Debug, Force, Json, ModelPath, Quiet, Terminal, checked_output, emit_json

_BAR = 12  # characters of the strongest: beside a name, lines still fit a terminal


def inspect(
    model: ModelPath,
    top: Annotated[int, typer.Option("--top", min=1, help="How many lines to show of what the model says.")] = 12,
    page: Annotated[
        Path | None, typer.Option("--page", help="HTML file to write: an additive model's curve for each column.")
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", help="HTML file to write: the model's card.")] = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Show a model's certificate, and what the model says."""
    from tacit.models import read_model

    terminal = Terminal(quiet)
    target = checked_output(page, model, force=force, option="--page") if page else None
    card = checked_output(html, model, force=force, option="--html") if html else None
    with warnings.catch_warnings(), terminal.busy("Reading the model"):
        warnings.simplefilter("ignore")  # the advisories are part of what is shown
        opened = read_model(model)
    if target:
        _write_curves(opened, target)
        terminal.note(f"Wrote {page}: what each column adds to the score.")
    if card:
        from tacit.report import write_model_card

        write_model_card(opened, card)
        terminal.note(f"Wrote {html}: the model's card.")
    if as_json:
        emit_json(_document(opened))
        return
    terminal.say(
        *_advisory_lines(opened),
        str(opened.guarantee),
        f"Fitted with: tacit {opened.fitted_with}.",
        "",
        *_held_out_lines(opened),
        *_model_lines(opened, top),
    )


def _write_curves(model: Any, target: Path) -> None:
    from tacit.report import write_picture
    from tacit.report.curves import model_curves

    title = f"{model.learner}: {model.schema.label.name}"
    # A page may be read without the model, so what that promises goes with it.
    promised, said = str(model.guarantee).splitlines()[:2]
    write_picture(model_curves(model), target, title=title, caption=f"{promised}. {said}")


def _advisory_lines(model: Any) -> Iterator[str]:
    for known in model.advisories:
        yield f"KNOWN FLAW OF THE VERSION THAT FITTED THIS MODEL\n{known} SECURITY.md says more.\n"


def _held_out_lines(model: Any) -> Iterator[str]:
    yield "HOW GOOD IT IS"
    if model.held_out:
        yield from model.held_out.lines(tuple(model.classes.tolist()), model.guarantee.counted, model.class_weights)
    else:
        yield "Not measured privately; tacit fit --holdout 0.1 measures, at no cost in privacy."
    yield ""


def _model_lines(model: Any, top: int) -> Iterator[str]:
    from tacit.cli.explanation_words import explanation_lines
    from tacit.cli.model_words import sayings
    from tacit.models.decisions import weights_in_words

    schema = model.schema
    classes = ", ".join(map(str, model.classes.tolist()))
    yield "THE MODEL"
    yield f"Learner: {model.learner}. It predicts {schema.label.name!r}: {classes}."
    if model.why:
        # A search says itself how it chose.
        yield f"{model.why.capitalize()}." if model.why.startswith("chosen ") else f"Chosen by rule: {model.why}."
    if model.class_weights is not None:
        yield weights_in_words(model.classes, model.class_weights)
    yield f"It reads {len(schema.inputs)} columns: {', '.join(schema.input_names)}."
    yield from explanation_lines(model, top)
    for towards, away, said in sayings(model):
        yield ""
        if len(model.scorers) > 1:
            yield f"{towards} against the rest:"
        if said.sentences:
            yield " ".join(said.sentences)
        if said.leanings:
            yield "What moves the vote most, roughly, all else equal (columns that go together share their weight):"
        yield from _first(list(_leaning_lines(said, schema, towards, away)), top)
        if said.lines:
            yield "In its own words, noise and all:" + (f" plus is for {towards}." if said.lines[0][:1] in "+-" else "")
        yield from _first([f"  {line}" for line in said.lines], top)


def _leaning_lines(said: Any, schema: Any, towards: Any, away: Any) -> Iterator[str]:
    from tacit.cli.model_words import in_words

    for leaning in said.leanings:
        bar = "#" * max(1, round(_BAR * abs(leaning.weight)))
        yield f"  {bar:<{_BAR}}  {in_words(leaning, schema, towards, away)}"


def _first(lines: list[str], top: int) -> Iterator[str]:
    yield from lines[:top]
    if len(lines) > top:
        yield f"  and {len(lines) - top} more; --top shows them."


def _document(model: Any) -> dict[str, Any]:
    from dataclasses import asdict

    from tacit.cli.model_words import guarantee_document, sayings

    return {
        "learner": model.learner,
        "why": model.why,
        "label": model.schema.label.name,
        "classes": model.classes.tolist(),
        "class_weights": model.class_weights,
        "columns": list(model.schema.names),
        "on_invalid": model.on_invalid,
        "fitted_with": model.fitted_with,
        "advisories": [asdict(known) for known in model.advisories],
        "privacy": guarantee_document(model.guarantee),
        "held_out": model.held_out.measures() if model.held_out else None,
        "effects": model.explain().to_dicts(),
        "importances": model.importances().to_dicts(),
        "says": [{"towards": towards, **asdict(said)} for towards, _, said in sayings(model)],
    }

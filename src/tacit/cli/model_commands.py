"""`tacit inspect`: what a model says."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

import typer

from tacit.cli.console import ModelPath, OutputAnswerOptions, Terminal, checked_output, emit_json
from tacit.cli.options import command_of

_BAR = 12  # characters of the strongest: beside a name, lines still fit a terminal
_WIDTH = 80  # columns of the narrowest terminals


@dataclass(frozen=True)
class InspectOptions(OutputAnswerOptions):
    """The options of `tacit inspect`."""

    model: ModelPath
    top: Annotated[int, typer.Option("--top", min=1, help="How many columns and effects to list.")] = 5
    everything: Annotated[bool, typer.Option("--all", help="List all of them, and what is mostly noise.")] = False
    releases: Annotated[bool, typer.Option("--releases", help="List each noisy release as it was recorded.")] = False
    by: Annotated[
        str | None, typer.Option("--by", help="Show measures by group of this column, of a fit with --holdout-by.")
    ] = None
    page: Annotated[Path | None, typer.Option("--page", help="HTML file to write: a curve for each column.")] = None
    html: Annotated[Path | None, typer.Option("--html", help="HTML file to write: the model's card.")] = None
    about: Annotated[
        Path | None, typer.Option("--about", help="TOML file of owner, purpose, contact and others for the card.")
    ] = None


@command_of(InspectOptions)
def inspect(options: InspectOptions) -> None:
    """Show a model's certificate, and what the model says."""
    from tacit.models import read_model

    terminal, model, page, html = Terminal(options.quiet), options.model, options.page, options.html
    about, force = options.about, options.force
    target = checked_output(page, model, force=force, option="--page") if page else None
    card = checked_output(html, model, *([about] if about else []), force=force, option="--html") if html else None
    written = _about(about, card)
    with warnings.catch_warnings(), terminal.busy("Reading the model"):
        warnings.simplefilter("ignore")  # the advisories are part of what is shown
        opened = read_model(model)
    groups = _groups(opened, options.by) if options.by is not None else None
    if target:
        _write_curves(opened, target)
        terminal.note(f"Wrote {page}: what each column adds to the score.")
    if card:
        _write_card(opened, card, written)
        terminal.note(f"Wrote {html}: the model's card.")
    if options.as_json:
        emit_json(_document(opened))
        return
    if groups is not None:
        terminal.say(*_advisory_lines(opened), *map(_filled, (*_held_out_lines(opened), *groups.lines())))
        return
    terminal.say(*_said(opened, None if options.everything else options.top, releases=options.releases))


def _said(model: Any, top: int | None, *, releases: bool) -> Iterator[str]:
    """Return certificate, measures and effects, in lines."""
    from tacit.privacy.certificate import certificate

    yield from _advisory_lines(model)
    yield certificate(model.guarantee, releases=releases)
    yield f"Fitted with: tacit {model.fitted_with}."
    yield from _release_lines(model.guarantee) if releases else ()
    yield ""
    yield from map(_filled, (*_held_out_lines(model), *_model_lines(model, top)))


def _groups(model: Any, by: str) -> Any:
    """Return the measures by group of held-out rows, or refuse a model without."""
    from tacit.models.merged import refuse_merged
    from tacit.models.regression import as_classifier

    refuse_merged(model, "measures by group")
    return as_classifier(model, "measures by group").groups(by)


def _about(about: Path | None, card: Path | None) -> Any:
    """Return what a person has written for the card, if anything."""
    if about is None:
        return None
    from tacit.errors import ParameterError
    from tacit.report import read_about

    if card is None:
        raise ParameterError(
            "Expected --html together with --about, got --about alone. Add --html card.html, the card to write."
        )
    return read_about(about)


def _filled(line: str) -> str:
    """Return a line in the width of a narrow terminal; its words are kept whole."""
    indent = line[: len(line) - len(line.lstrip())]
    return (
        fill(line, _WIDTH, subsequent_indent=indent + "  ", break_long_words=False, break_on_hyphens=False)
        if len(line) > _WIDTH
        else line
    )


def _release_lines(guarantee: Any) -> Iterator[str]:
    from tacit.privacy.release_words import record_lines

    parts = getattr(guarantee, "parts", ())
    listed = [("RELEASES", guarantee), ("RELEASES FOR THE SCHEMA", guarantee.learned)]
    for part in parts:
        listed += [(f"RELEASES OF {part.name}", part.certificate)]
        listed += [(f"RELEASES FOR THE SCHEMA OF {part.name}", part.certificate.learned)]
    for title, found in listed:
        if found is not None and found.releases:
            yield from ("", title, *(_filled(f"  {line}") for line in record_lines(found.releases)))


def _write_card(model: Any, path: Path, written: Any) -> None:
    from tacit.report import write_model_card

    write_model_card(model, path, written)


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
    from tacit.models.merged import MERGED_MEASURED, MergedParts

    yield "HOW GOOD IT IS"
    if isinstance(model, MergedParts):
        yield MERGED_MEASURED
    elif model.measured:
        yield from model.measured
        yield from set_lines(model)
    else:
        yield "Not measured privately; tacit fit --holdout 0.1 measures, at no cost in privacy."
    yield ""


def sets_of(model: Any) -> Any:
    """Return how often sets of 90 % hold each class, of a model that has sets; else None."""
    return None if model.schema.target or not hasattr(model, "sets") else model.sets()


def set_lines(model: Any) -> Iterator[str]:
    """Yield it in words."""
    if (found := sets_of(model)) is not None:
        yield from found.lines()


def _model_lines(model: Any, top: int | None) -> Iterator[str]:
    from tacit.cli.explanation_words import explanation_lines
    from tacit.models.cells import size
    from tacit.models.decisions import weights_in_words
    from tacit.models.merged import MergedParts

    schema = model.schema
    yield "THE MODEL"
    # A search says itself how it chose.
    by_rule = f", because {model.why}" if model.why and not model.why.startswith("chosen ") else ""
    yield f"Learner: {model.learner}{by_rule}."
    if model.why.startswith("chosen "):
        yield f"{model.why.capitalize()}."
    if target := schema.target:
        yield f"It predicts the number {target.name!r}, from {target.low:,g} to {target.high:,g}."
        clipped = size(model.scale.clipped_at)
        yield f"Predictions are counted from {size(model.scale.start)}; residuals were clipped at {clipped}."
        if model.loss_words:
            yield model.loss_words
    else:
        yield f"It predicts {schema.label.name!r}: {', '.join(map(str, model.classes.tolist()))}."
        if model.class_weights is not None:
            yield weights_in_words(model.classes, model.class_weights)
    names = f": {', '.join(schema.input_names)}" if top is None else ""
    yield f"It reads {len(schema.inputs)} column{'s' * (len(schema.inputs) > 1)}{names}."
    if isinstance(model, MergedParts):
        averaged = "predictions" if target else "log-odds"
        yield f"It averages the {averaged} of its parts."
    if model.monotone:
        yield model.monotone_words
    if model.unexplained:
        yield model.unexplained
    else:
        yield from explanation_lines(model, top)
    if top is None:
        yield from _own_lines(model)
    else:
        yield from ("", "--all lists every effect and the model's own terms, --releases every release.")


def _own_lines(model: Any) -> Iterator[str]:
    """Yield what each scorer computes, whether it is noise or not."""
    from tacit.cli.model_words import summaries

    for towards, away, said in summaries(model):
        yield ""
        if len(model.scorers) > 1 and not model.schema.target:
            yield f"{towards} against the rest:"
        if said.sentences:
            yield " ".join(said.sentences)
        if said.directions:
            yield "What moves the vote most, all else equal; correlated columns share their weight:"
        yield from _leaning_lines(said, model.schema, towards, away)
        if said.lines:
            sign = f" Above zero is for {towards}." if said.lines[0][:1] in "+-" else ""
            yield f"The model's own terms, including noise.{sign}"
        yield from (f"  {line}" for line in said.lines)


def _leaning_lines(said: Any, schema: Any, towards: Any, away: Any) -> Iterator[str]:
    from tacit.cli.model_words import in_words

    for direction in said.directions:
        bar = "#" * max(1, round(_BAR * abs(direction.weight)))
        yield f"  {bar:<{_BAR}}  {in_words(direction, schema, towards, away)}"


def _has_groups(model: Any) -> bool:
    """Return whether held-out rows of a model of classes were counted by group."""
    return not model.schema.target and bool(model.held_out and model.held_out.by_group)


def _document(model: Any) -> dict[str, Any]:
    from dataclasses import asdict

    from tacit.cli.model_words import guarantee_document, summaries

    hidden = bool(model.unexplained)
    of_number = None
    if model.schema.target:
        of_number = {
            "scale": asdict(model.scale),
            "loss": model.loss,
            "quantiles": [each for each, _ in model.quantiles],
        }
    return {
        "learner": model.learner,
        "why": model.why,
        "label": model.schema.label.name,
        **(of_number or {"classes": model.classes.tolist(), "class_weights": model.class_weights}),
        "columns": list(model.schema.names),
        "monotone": dict(model.monotone),
        "on_invalid": model.on_invalid,
        "fitted_with": model.fitted_with,
        "advisories": [asdict(known) for known in model.advisories],
        "privacy": guarantee_document(model.guarantee),
        "held_out": model.held_out.measures() if model.held_out else None,
        "groups": model.groups().document() if _has_groups(model) else None,
        "sets": found.document() if (found := sets_of(model)) else None,
        "effects": [] if hidden else model.explain().to_dicts(),
        "importances": [] if hidden else model.importances().to_dicts(),
        "says": [{"towards": towards, **asdict(said)} for towards, _, said in summaries(model)],
    }

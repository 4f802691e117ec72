"""A model's card: what it protects, at what cost, what it says and how good it is, as one file to keep and to print."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from math import log
from pathlib import Path
from typing import Any

from tacit.measures.held_out import HeldOut
from tacit.measures.platt import Line
from tacit.models import Model, RegressionModel
from tacit.models.decisions import weights_in_words
from tacit.models.merged import MERGED_MEASURED, MergedParts
from tacit.privacy import Guarantee, MergedGuarantee
from tacit.privacy.assumptions import protects_weight, said_exactly, said_plainly
from tacit.privacy.merged import fits_of
from tacit.privacy.release_words import release_groups
from tacit.report.page.about import About
from tacit.report.page.attacker import attacker_picture, gain_sentences
from tacit.report.page.bars import calibration_table, effect_table, importance_table
from tacit.report.page.document import document, escaped, filled, html_list, html_table
from tacit.saving import write_atomically

_STATUS = {
    "private": "",
    "public": "Nothing is protected: the schema declares every column and the label public.",
    "simulated": "NOT PRIVATE: anyone who knows the seed can subtract the noise. Never publish this model.",
    "void": "NO PRIVACY GUARANTEE. Never publish this model as a private one.",
}

_NOT_PROTECTED = (
    "Facts about the population: what the model says of people like someone also holds for that one, whether or not "
    "their row was in the table.",
    "Columns and labels that the schema declares public, and who was in the table.",
    "Predictions for new rows, which are as private as those rows.",
    "Other fits, statistics and copies of the same rows: their epsilons add up.",
)

_BLANK = "_" * 24
"""A line to write on, where the card is printed."""

_OF_SCORES = "What is added to {}, less its mean over {}."
_OF_ROWS = (
    "The mean probability that the model predicts for the rows in a cell, less that of all rows. A difference is shown "
    "where the rows' own classes differ the same way. Columns that go together show the same difference, whichever of "
    "them the model reads."
)

_ON_ROWS_OF_FIT = "A score on the rows of the fit is not covered by the certificate."

_SETS = (
    "A set of one class is a decision; a larger one says that the scores do not tell. These rows chose the sets, so "
    "others are covered a little less."
)

_MAX_CLASSES = 10
"""Of a confusion table: a wider one is not read."""

_AS_IT_IS = 0.1
"""Log-odds, and logarithm of a slope, up to which a calibration changes next to nothing."""
_MIN_SHARE = 1e-3
"""Of a class, where noise may have brought it to zero."""

_USE = (
    "Intended: predicting {label} for rows with the same columns, of a population like that of the table, where a "
    "wrong prediction can be noticed and corrected.",
    "Not intended: proof of anything about a person of the table; effects as causes; decisions reserved to people.",
    "Differential privacy says nothing of fairness: rare groups have more noise in what the model says of them.",
)


def write_model_card(model: Model | RegressionModel, path: str | os.PathLike[str], about: About | None = None) -> None:
    """Write a model's card: one file that opens without a network, runs no script and requests nothing.

    Parameters
    ----------
    model : Model or RegressionModel
        Of a fitted estimator it is ``model_``.
    path : str or path
        A page that is there is replaced, at once and whole.
    about : About, optional
        What a person writes on it; without it, lines to write on.

    Notes
    -----
    Privacy: holds what the model holds, which is released or public, and what a person wrote.
    """
    write_atomically(Path(path), model_card(model, about))


def model_card(model: Model | RegressionModel, about: About | None = None) -> str:
    """Return a model's card as HTML; see `write_model_card`."""
    about = about or About()
    title = about.title or f"Model card: {model.learner}, {model.schema.label.name}"
    parts = {
        "about": ("Who answers for it", _signed(about)),
        "protected": ("What is protected, and what is not", _protected(model.guarantee)),
        "meaning": ("What this epsilon means", _meaning(model.guarantee, about.prior)),
        "releases": ("What was released, and its share of the budget", _releases(model.guarantee)),
        "says": ("What the model says", _says(model)),
        "score": ("How good it is", _score(model)),
        "use": ("Intended use", _listed(each.format(label=model.schema.label.name) for each in _USE)),
        "record": ("Record", _record(model)),
    }
    sections = "\n".join(_section(name, heading, content) for name, (heading, content) in parts.items() if content)
    body = filled(
        "card.html",
        title=escaped(title),
        facts=escaped(_facts(model)),
        notes="".join(f'<div role="note" class="note"><p>{escaped(each)}</p></div>' for each in _notes(model)),
        sections=sections,
        made=escaped(
            f"Made by tacit {model.fitted_with} from the model and what a person wrote. This file makes no request."
        ),
    )
    return document(title=title, body=body)


def _facts(model: Model | RegressionModel) -> str:
    found = model.guarantee
    delta = f", delta {found.delta:g}" if found.delta else ""
    counted = f"{found.n_rows:,} {found.counted}"
    return f"Predicts {model.outcome}. {counted}, epsilon {found.epsilon:g}{delta}."


def _notes(model: Model | RegressionModel) -> Iterator[str]:
    yield from (str(known) for known in model.advisories)
    if said := _STATUS[model.guarantee.status]:
        yield " ".join([said, *model.guarantee.reasons])


def _section(name: str, heading: str, content: str) -> str:
    return f'<section aria-labelledby="{name}-title"><h2 id="{name}-title">{escaped(heading)}</h2>{content}</section>'


def _signed(about: About) -> str:
    """Return what a person has written, with a line to write on where nobody has, and one for the signature."""
    written = [(name, text or _BLANK) for name, text in about.lines() if name != "Title"]
    return html_list([*written, ("Signature", _BLANK)])


def _listed(entries: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escaped(each)}</li>' for each in entries)}</ul>"


def _protected(guarantee: Guarantee) -> str:
    whose = "the data of one row" if guarantee.persons is None else f"all rows of one person: {guarantee.persons}"
    entries = [("Protected", protected_cells(guarantee)), ("Of whom", whose)]
    if learned := guarantee.learned:
        cost = f"epsilon {learned.epsilon:g}, delta {learned.delta:g}, which the budget includes"
        entries.append(("Schema", f"learned from {learned.n_rows:,} {learned.counted}: {cost}"))
    entries += [("Computed exactly", " ".join(said_exactly(guarantee.exact)))] if guarantee.exact else []
    taken = f"<h3>Assumptions</h3>{_listed(said_plainly(guarantee.assumptions))}" if guarantee.assumptions else ""
    return f"{html_list(entries)}<h3>Not protected</h3>{_listed(_NOT_PROTECTED)}{taken}"


def protected_cells(guarantee: Guarantee) -> str:
    """Return the columns by their names, not as Python writes them, the label, and the row's weight."""
    said = [f"column{'s' * (len(guarantee.columns) > 1)} {', '.join(guarantee.columns)}"] if guarantee.columns else []
    weighed = ["the row's weight"] * protects_weight(guarantee.assumptions)
    return ", and ".join([*said, *["the label"] * guarantee.label, *weighed]) or "nothing"


def _meaning(guarantee: Guarantee, prior: float | None) -> str:
    facts = gain_sentences(guarantee, prior)
    if not facts:
        return ""
    first = (
        f"With epsilon {guarantee.epsilon:g}, an attacker who sees the model, and whatever else they know, even all "
    )
    return f"<p>{escaped(f'{first}other rows:')}</p>{_listed(facts)}{attacker_picture(guarantee)}"


def _releases(guarantee: Guarantee) -> str:
    if isinstance(guarantee, MergedGuarantee):
        parts = "".join(
            f"<h3>{escaped(each)}</h3>{_releases(part.certificate)}"
            for each, part in zip(guarantee.part_lines, guarantee.parts, strict=True)
        )
        return f"<p>{escaped(guarantee.how_combined)}</p>{parts}"
    if not guarantee.releases:
        return ""
    totals: dict[str, float] = {}
    for each in guarantee.releases:
        totals[each.rows] = totals.get(each.rows, 0.0) + each.loss
    lines = [
        (each.asked, each.mechanism, each.noise, each.cost, _percent(each.loss / (totals[each.rows] or 1.0)))
        for each in release_groups(guarantee.releases)
    ]
    headings = ("what", "mechanism", "noise, in what one person changes at most", "cost", "share")
    sliced = " Slices are of different rows, and each has the whole budget." if len(totals) > 1 else ""
    table = html_table(f"Noise: {guarantee.noise}.{sliced}", headings, lines, texts=("what", "mechanism"))
    return _scrolled("Table of releases", table)


def _percent(share: float) -> str:
    # No break before the sign, which a narrow cell would put on a line of its own.
    return f"{share:.1%}".replace("%", "\N{NO-BREAK SPACE}%")


def _says(model: Model | RegressionModel) -> str:
    if model.unexplained:
        return f"<p>{escaped(model.unexplained)}</p>"
    effects, listed, importances = model.explain(), model.explanation.listed(), model.importances()
    of_rows, over = model.explanation.of == "probability", model.explanation.averaged_over
    moves = "the score" if isinstance(model, Model) else f"the predicted {model.target.name}"
    said = _OF_ROWS if of_rows else _OF_SCORES.format(moves, over)
    moves = "mean probabilities" if of_rows else moves
    parts = [f"<p>{escaped(said)} What may be noise alone is not listed.</p>"]
    for towards in sorted(set(importances["class"])):
        own = importances.filter(importances["class"] == towards)
        if own["low"].is_null().all():
            parts.append(f"<p>{escaped(towards)}: how large the noise is, is not known.</p>")
            continue
        found = listed.filter(listed["class"] == towards)
        left = len(effects.filter((effects["class"] == towards) & (effects["verdict"] != "finding")))
        parts += [
            f"<h3>{escaped(towards)}</h3>",
            _scrolled(f"Importance for {towards}", importance_table(own, moves=moves, over=over)),
        ]
        parts += [_scrolled(f"Effects for {towards}", effect_table(found, left))] if len(found) else []
    last = filter(None, (model.monotone_words, model.caution))
    return "".join([*parts, *(f"<p>{escaped(each)}</p>" for each in last)])


def _score(model: Model | RegressionModel) -> str:
    if isinstance(model, MergedParts):
        return f"<p>{MERGED_MEASURED} {_ON_ROWS_OF_FIT}</p>"
    lines = [f"<p>{escaped(line)}</p>" for line in model.measured]
    if not isinstance(model, Model):
        return "".join(lines) or f"<p>Not measured privately. {_ON_ROWS_OF_FIT}</p>"
    held_out, classes = model.held_out, tuple(model.classes.tolist())
    if held_out is None:
        return (
            "<p>Not measured privately; <code>tacit fit --holdout 0.1</code> measures, at no cost in privacy. "
            f"{_ON_ROWS_OF_FIT}</p>"
        )
    lines.append(f"<h3>Which classes are mistaken for which?</h3>{_confusion(held_out, classes)}")
    lines += [_by_group(model)] if held_out.by_group else []
    lines += [_sets(model)]
    if model.class_weights:
        return "".join(
            [*lines, "<p>Probabilities are of rows with class weights: no share of rows is to be like them.</p>"]
        )
    said = f"are of {classes[1]}" if len(classes) == 2 else "are of the predicted class"
    own = held_out.prevalence[1] if len(classes) == 2 else max(held_out.prevalence, key=lambda each: each.value)
    baseline = f"<p>{escaped(f'Without a model, the probability of every row would be {own}.')}</p>"
    table = calibration_table(held_out.calibration_by_tenths, said)
    moved = _moved(held_out, classes) if held_out.calibrates else ""
    return "".join([*lines, "<h3>Are the probabilities right?</h3>", baseline, _scrolled("Calibration", table), moved])


def _by_group(model: Model) -> str:
    """Return the measures of each group as a table."""
    found = model.groups()
    frame, rows = found.frame(), []
    for measure in found.measures:
        of = frame.filter(frame["measure"] == measure.name)
        own = of if measure.of is None else of.filter(of["class"] == str(measure.of))
        bands = own.select("value", "low", "high").rows()
        rows.append([str(measure), *(f"{value:.3f} ({low:.3f} to {high:.3f})" for value, low, high in bands)])
    hidden = f"<p>{escaped('Noise hides: ' + ', '.join(found.hidden) + '.')}</p>" if found.hidden else ""
    caption = "In brackets: 95 % intervals, for noise and sampling together."
    table = html_table(caption, ["measure", *found.groups], rows)
    return f"<h3>By {escaped(found.column)}</h3>{hidden}{_scrolled('Measures by group', table)}"


def _sets(model: Model) -> str:
    """Return how often sets of 90 % hold each class as a table; nothing of a model without sets."""
    found = model.sets()
    if found is None:
        return ""
    said = f"<p>{escaped(f'A set of {found.coverage:.0%} has each class for all but so few of its rows. ' + _SETS)}</p>"
    rows = [
        (
            each.name,
            "each, as noise hides which could go without" if each.always else str(each.covered),
            "all" if each.always else str(each.named),
        )
        for each in found.classes
    ]
    caption = f"On average {found.size:.2f} of {len(found.classes)} classes. In brackets: 95 % intervals."
    table = html_table(caption, ["class", "of its rows, sets that have it", "of all rows, sets that have it"], rows)
    return f"<h3>Sets of classes</h3>{said}{_scrolled('Sets of classes', table)}"


def _confusion(held_out: HeldOut, classes: tuple[Any, ...]) -> str:
    """Return the shares of rows by class and predicted class, and how many of each class are found."""
    if len(classes) > _MAX_CLASSES:
        return f"<p>Left out for more than {_MAX_CLASSES} classes: <code>held_out.confusion</code> has it.</p>"
    headings = ("class", *(f"predicted {name}" for name in classes), "found of the class")
    shares = zip(classes, held_out.confusion, held_out.recalls, strict=True)
    lines = [(str(name), *map(str, row), str(found)) for name, row, found in shares]
    caption = "Shares of all rows by class and predicted class, with 95 %; last, the share of the class that is found."
    return _scrolled("Table of classes and predicted classes", html_table(caption, headings, lines))


def _moved(held_out: HeldOut, classes: tuple[Any, ...]) -> str:
    """Return how probabilities may be moved by these rows."""
    if len(classes) == 2:
        wrong = _wrong(held_out.line, held_out.prevalence[1].value, classes[1])
        said = f"By these rows {wrong}: log-odds times {_line(held_out.line)} are calibrated best."
    else:
        each = (f"of {name} times {_line(line)}" for name, line in zip(classes, held_out.class_lines, strict=True))
        said = f"By these rows log-odds of a class against the rest are calibrated best {', '.join(each)}."
    return (
        f"<p>{escaped(said)} <code>tacit predict --probabilities --calibrated</code> writes such probabilities, at no "
        "cost in privacy.</p>"
    )


def _wrong(line: Line, share: float, second: Any) -> str:
    """Return what is wrong with the probabilities of the second of two classes, of which there is such a share."""
    share = min(max(share, _MIN_SHARE), 1 - _MIN_SHARE)
    # Where most rows are, about: by how much their log-odds are raised.
    usual = log(share / (1 - share))
    raised = (line.slope - 1) * usual + line.intercept
    found = []
    if abs(log(line.slope)) > _AS_IT_IS:
        found.append(f"the model is {'too sure' if line.slope < 1 else 'not sure enough'}")
    if abs(raised) > _AS_IT_IS:
        found.append(f"probabilities of {second} are too {'low' if raised > 0 else 'high'}")
    return " and ".join(found) or "probabilities are nearly calibrated as they are"


def _line(line: Line) -> str:
    return f"{line.slope:.2f} {'plus' if line.intercept >= 0 else 'minus'} {abs(line.intercept):.2f}"


def _record(model: Model | RegressionModel) -> str:
    schema, charges = model.schema, [each.charge for _, each in fits_of(model.guarantee) if each.charge]
    weights = model.class_weights if isinstance(model, Model) else None
    entries = [
        ("Columns", ", ".join(schema.names)),
        ("Fitted with", f"tacit {model.fitted_with}"),
        *([("Chosen", model.why)] if model.why else []),
        *([("Class weights", weights_in_words(sorted(schema.classes), weights))] if weights else []),
        (
            "Ledger",
            "; ".join(f"{each}; head {each.head}" for each in charges) or "no charge is named in the certificate",
        ),
    ]
    certificate = "\n".join(escaped(line) for line in str(model.guarantee).splitlines())
    return f"{html_list(entries)}<details><summary>The certificate</summary><pre>{certificate}</pre></details>"


def _scrolled(label: str, table: str) -> str:
    return f'<div class="scroll" role="region" aria-label="{escaped(label)}" tabindex="0">{table}</div>'

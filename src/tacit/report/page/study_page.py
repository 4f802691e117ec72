"""The page of a study: one file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tacit.report.odds import detections, odds_factor, right_guesses
from tacit.report.page.contents import study_contents
from tacit.report.page.document import CHARTS, document, escaped, filled, html_table, made, resource
from tacit.report.page.sections import PRIVACY, Rows, notice, public_parts, spec_section, study_schemas
from tacit.report.page.switches import Learner, page_learners, switches
from tacit.report.rows import cases, shown, study_rows
from tacit.saving import write_atomically

if TYPE_CHECKING:
    from tacit.schema import Schema
    from tacit.study.study import Study

_SCRIPTS = ("drawing.js", "text.js", "odds.js", "state.js", "charts.js", "tables.js", "controls.js")


def write_page(
    frame: pl.DataFrame,
    path: str | os.PathLike[str],
    *,
    title: str,
    spec: Study | str | None = None,
    schemas: Mapping[str, Schema] | None = None,
    source: Rows = "private",
) -> None:
    """Write the page of a study: one file that opens without a network and requests nothing.

    Parameters
    ----------
    frame : polars.DataFrame
        What ``Study.run`` returned.
    path : str or path
        A page that is there is replaced, at once and whole.
    title : str
    spec : Study or str, optional
        What was run: the study, or the text of its file; shown at the end.
    schemas : mapping of str to Schema, optional
        By the name of the data, before a case of the study makes more of it private; those of `spec` by default.
        Without one, columns are counted and not listed.
    source : {"private", "public", "simulated", "guessed"}
        Where the rows come from, which decides the notice at the top; ``"guessed"``: simulated, from a schema with
        guesses.

    Raises
    ------
    ParameterError
        If the frame is not one of a study, or has no rows; if the source is none of these.

    Notes
    -----
    Privacy: the page is as private as its rows. It shows scores on them as they are, and says so at the top.
    """
    write_atomically(Path(path), study_page(frame, title=title, spec=spec, schemas=schemas, source=source))


def study_page(
    frame: pl.DataFrame,
    *,
    title: str,
    spec: Study | str | None = None,
    schemas: Mapping[str, Schema] | None = None,
    source: Rows = "private",
) -> str:
    """Return the page of a study, as HTML; see `write_page`."""
    rows = study_rows(frame)
    # A browser would turn text around direction characters: replaced once here, whatever shows it later.
    texts = [name for name in ("data", "privacy", "name", "error", "message") if name in rows.columns]
    rows = rows.with_columns(pl.col(texts).cast(pl.String).map_elements(shown, pl.String))
    learners = page_learners(rows)
    body = filled(
        "study.html",
        title=escaped(title),
        facts=escaped(_facts(rows, learners)),
        notice=notice(source),
        cases=_case_options(rows),
        switches=switches(learners),
        meanings=_meanings(rows),
        public=public_parts(rows, _schemas(spec) if schemas is None else schemas),
        spec=spec_section(spec),
        made=escaped(made()),
    )
    scripts = [resource(CHARTS), "\n".join(resource(name) for name in _SCRIPTS)]
    return document(title=title, body=body, scripts=scripts, data=study_contents(rows, learners))


def _schemas(spec: Study | str | None) -> dict[str, Schema]:
    return {} if spec is None or isinstance(spec, str) else study_schemas(spec)


def _facts(rows: pl.DataFrame, learners: list[Learner]) -> str:
    without = sum(learner.level for learner in learners)
    failed = int((rows["status"] == "failed").sum())
    counts = [
        _counted(len(learners) - without, "learner") + f" and {without} without privacy",
        _counted(rows["epsilon"].drop_nulls().n_unique(), "epsilon"),
        _counted(rows["repeat"].n_unique(), "repetition"),
        _counted(rows["data"].n_unique(), "data set"),
        _counted(len(rows), "fit") + f", {failed or 'none'} failed",
    ]
    return " · ".join(counts)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def _case_options(rows: pl.DataFrame) -> str:
    return "".join(
        f'<option value="{place}">{escaped(data)}: {escaped(PRIVACY.get(privacy, privacy))}</option>'
        for place, (data, privacy) in enumerate(cases(rows))
    )


def _meanings(rows: pl.DataFrame) -> str:
    """Return what each epsilon of the study means, as a table that needs no script."""
    epsilons = rows["epsilon"].drop_nulls().unique().sort().to_list()
    delta = max(rows["delta"].drop_nulls(), default=0.0)
    headings = ("epsilon", "odds, times at most", "even odds become at most", "found at 5 % false alarms")
    lines = [
        (
            f"{each:g}",
            f"{odds_factor(each, delta):.4g}",
            _percent(right_guesses(each, delta)),
            _percent(detections(each, delta)),
        )
        for each in epsilons
        if each <= 700  # exp of more is no float
    ]
    return f'<div class="scroll">{html_table(f"With delta {delta:g}", headings, lines)}</div>'


def _percent(share: float) -> str:
    return f"{share:.1%}".replace("%", " %") if share < 0.9995 else f"{100 * share:.5g} %"

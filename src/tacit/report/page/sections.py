"""Parts of a study's page that need no script: the note above, what is public, how it was run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

import polars as pl

from tacit.errors import ParameterError, TacitError
from tacit.report.page.document import escaped, html_list
from tacit.report.rows import cases
from tacit.study.data import CASES, protected

if TYPE_CHECKING:
    from tacit.schema import Schema
    from tacit.study.study import LearnerSpec, Study


Rows = Literal["private", "public", "simulated", "guessed"]

NOTICES = {
    "private": (
        "NOT PRIVATE.",
        "This study is not itself private: it shows, without noise, how learners do on the rows. Keep it where they "
        "are kept. Choosing a learner or an epsilon by it is not covered by the certificate of a later fit on the same "
        "rows. Covered are choices by `tacit advise`, which reads no row. So are those by a comparison on public rows "
        "(`--data`), or on rows made from the schema (`--simulate`).",
    ),
    "public": (
        "This study is not itself private:",
        "it shows, without noise, how learners do on the rows of a public table. Choosing by it is covered by the "
        "certificate of a later fit on other people's rows, but not on these.",
    ),
    "simulated": (
        "These rows were made from the schema alone.",
        "Nobody's row was read: choosing by this study costs no privacy. Their labels follow a model drawn at random: "
        "what carries over to yours is what privacy costs at such a size.",
    ),
    "guessed": (
        "These rows were made from a schema with guesses, which were read off rows.",
        "So choosing by this study is not covered by the certificate of a later fit: check each entry of the schema "
        "against public knowledge, and compare again.",
    ),
}
"""The notice above a study's results, by where its rows come from; its first words are printed in bold."""


def notice(source: str) -> str:
    """Return the notice as HTML."""
    if source not in NOTICES:
        raise ParameterError(f"Expected source to be one of {', '.join(NOTICES)}, got source={source!r}.")
    first, rest = map(escaped, NOTICES[source])
    return "<p><strong>" + first + "</strong> " + re.sub("`(.+?)`", r"<code>\1</code>", rest) + "</p>"


PRIVACY = {
    "as-declared": "as the schema says",
    "all-private": "everything",
    "public-label": "all but the label",
}
"""What each case of a study protects, in words."""

_LABEL = {
    "as-declared": "as the schema says",
    "all-private": "private",
    "public-label": "public",
}
_MANY = 60


def public_parts(rows: pl.DataFrame, schemas: Mapping[str, Schema]) -> str:
    """Return what is public about each case's table, in HTML; the page's script shows one at a time."""
    return "\n".join(
        f'<div data-case="{place}">{html_list(_entries(rows, schemas, data, privacy))}</div>'
        for place, (data, privacy) in enumerate(cases(rows))
    )


def _entries(rows: pl.DataFrame, schemas: Mapping[str, Schema], data: str, privacy: str) -> Iterator[tuple[str, str]]:
    own = rows.filter(pl.col("data") == data, pl.col("privacy") == privacy)
    train, test = _span(own["n_train"]), _span(own["n_test"])
    yield "Data set", data
    yield "Private", PRIVACY.get(privacy, privacy)
    yield "Rows", f"{train} to learn from, {test} to test on. How many there are is public, as every certificate says."
    schema = _schema(schemas, data, privacy)
    if schema is None:
        private, every = _span(own["n_private_columns"]), _span(own["n_columns"])
        yield "Columns", f"{every}, of which {private} private"
        yield "Label", _LABEL.get(privacy, "not recorded")
    else:
        yield from _schema_entries(schema)


def _schema_entries(schema: Schema) -> Iterator[tuple[str, str]]:
    yield "Private columns", _listed(schema.private_columns)
    yield "Public columns", _listed(schema.public_columns)
    label, private = schema.label, "private" if schema.label.private else "public"
    if target := schema.target:
        yield "Target", f"{target.name}, {private}, a number from {target.low} to {target.high}"
    else:
        listed = _listed([str(each) for each in schema.classes])
        yield "Label", f"{label.name}, {private}, of {len(schema.classes)} classes: {listed}"
    yield "Bounds", "Categories, bounds and cut points of every column, as the schema has them, are public."


def study_schemas(study: Study) -> dict[str, Schema]:
    """Return the schema of each table of a study by the data's name; of a file that is there no more, none."""
    from tacit.study.data import data_schema, packaged_or_file

    found = {}
    for data in study.datasets:
        with suppress(TacitError):
            inputs = packaged_or_file(data)
            found[str(inputs["data"])] = data_schema(inputs)
    return found


def _schema(schemas: Mapping[str, Schema], data: str, privacy: str) -> Schema | None:
    return protected(schemas[data], privacy) if data in schemas and privacy in CASES else None


def _span(values: pl.Series) -> str:
    found = values.drop_nulls().unique().sort().to_list()
    if not found:
        return "not recorded"
    return f"{found[0]:,}" if len(found) == 1 else f"{found[0]:,} to {found[-1]:,}"


def _listed(names: tuple[str, ...] | list[str]) -> str:
    if not names:
        return "none"
    shown = ", ".join(names[:_MANY])
    return shown if len(names) <= _MANY else f"{shown} and {len(names) - _MANY} more"


def spec_section(spec: Study | str | None) -> str:
    """Return a section of the page, in HTML: the study's settings, or the text of its file."""
    if spec is None:
        return ""
    said = f"<pre>{escaped(spec)}</pre>" if isinstance(spec, str) else html_list(_settings(spec))
    return f'<section aria-labelledby="spec-title"><h2 id="spec-title">How it was run</h2>{said}</section>'


def _settings(study: Study) -> Iterator[tuple[str, str]]:
    yield "Data sets", ", ".join(each if isinstance(each, str) else each.called for each in study.datasets)
    yield "Learners", "; ".join(map(_learner, study.learners))
    yield "Epsilon", ", ".join(f"{epsilon:g}" for epsilon in study.epsilons)
    yield "Delta", ", ".join(f"{delta:g}" for delta in study.deltas)
    yield "Splits", _splits(study)
    yield (
        "Seed",
        f"{study.seed}. Noise is simulated, and the same for the same seed: a study makes no model to publish.",
    )


def _learner(learner: LearnerSpec) -> str:
    settings = ", ".join(f"{name}={value!r}" for name, value in learner.parameters.items())
    return learner.called + (f" ({settings})" if settings else "")


def _splits(study: Study) -> str:
    if study.cv is not None:
        said = f"{study.cv} folds, {study.repeats} times"
    elif study.split == "official":
        said = f"the data sets' own, {study.repeats} times"
    else:
        said = f"{study.test_share:.0%} of the rows drawn for testing, {study.repeats} times"
    return said + (", classes made equal in size by deleting rows" if study.balanced else "")

"""What of a study's tables is public: their schemas, and how many rows they have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

import polars as pl

from tacit.errors import TacitError
from tacit.report.page.tables import html_list
from tacit.report.rows import cases
from tacit.study.privacy_cases import CASES, protected

if TYPE_CHECKING:
    from tacit.schema import Schema
    from tacit.study.study import Study

PRIVACY = {
    "packaged": "as the schema says",
    "all-private": "everything",
    "public-label": "all but the label",
}
"""What each case of a study protects, in words."""

_LABEL = {
    "packaged": "as the schema says",
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
    label = schema.label
    classes = _listed([str(each) for each in label.classes])
    yield (
        "Label",
        f"{label.name}, {'private' if label.private else 'public'}, of {len(label.classes)} classes: {classes}",
    )
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

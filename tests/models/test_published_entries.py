"""What a review says that an entry publishes is what the file of a model then holds, for every field that there is."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import polars as pl
import pytest

import tacit
from harness.review_answers import TYPED, as_schema
from tacit.schema import Identifier, Numeric, Schema
from tacit.schema.drafted import entries_of, table_entry

N = 12


def _published(schema: Schema) -> dict[tuple[str, ...], str]:
    return {entry.names: entry.publishes for entry in (*entries_of(schema), table_entry(schema))}


def _rows(schema: Schema) -> pl.DataFrame:
    rows = {name: [f"p{row}" for row in range(N)] for name in (schema.identifier.names if schema.identifier else ())}
    for column in schema.inputs:
        if isinstance(column, Numeric):
            cell = date(2010, 1, 1) if column.has_dates else 0.5
        else:
            cell = column.categories[0] if column.categories else "any"
        rows[column.name] = [cell] * N
    outcomes = [0.5, 1.0] if schema.target else ["no", "yes"]
    return pl.DataFrame(rows | {schema.label.name: outcomes * (N // 2)})


@pytest.mark.parametrize(("kind", "name"), TYPED)
def test_what_is_said_to_be_published_is_in_the_file_of_a_model(tmp_path, kind, name):
    before, _, after = TYPED[kind, name]
    schema, rows = as_schema(after), _rows(as_schema(after))
    learner = tacit.LinearRegressor if schema.target else tacit.NaiveBayesClassifier
    learner(schema, epsilon=1.0).fit(rows, rows[schema.label.name]).save(tmp_path / "model.json")
    model = tacit.load_model(tmp_path / "model.json")
    held = model.schema
    if persons := model.guarantee.persons:  # of whom the certificate speaks
        if persons.identifier:
            held = replace(held, identifier=Identifier(persons.identifier, rows=persons.rows))
        else:
            held = replace(held, rows_per_person=persons.rows)
    assert _published(held) == _published(schema) != _published(as_schema(before))

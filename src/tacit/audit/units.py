"""What neighbors differ in, by a schema's unit: one row, several rows, or all rows of one person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice

from tacit.audit.directed import directed_pairs
from tacit.audit.findings import Claim
from tacit.audit.neighbors import Pair
from tacit.audit.person_pairs import person_pairs, repeated
from tacit.audit.reading import ReadingPair, audit_pairs
from tacit.audit.side_pairs import side_pairs
from tacit.audit.table_pairs import TablePair, extreme_pairs, pairs_of_schema, table_pair
from tacit.audit.weighed_pairs import WeighedPair, with_weight_column
from tacit.errors import ParameterError
from tacit.schema import Schema

_ROWS_OF_A_PERSON = (3, 40)
"""Of the person who differs, in the first table and in the second; as many in both where their number is public."""

_SMALL, _DIRECTED = 8, 12
"""Rows of pairs made for single releases, and how many of these there are for redraws."""


def claim_for(claim: Claim, schema: Schema | None) -> Claim:
    """Return the claim under the schema's unit: where rows are of persons, all rows of one are replaced.

    Raises
    ------
    ParameterError
        If the claim is about a row more or less, and rows are of persons.
    """
    if schema is None or not _of_persons(schema):
        return claim
    if claim.relation == "add-remove":
        raise ParameterError(
            "Expected relation='replace-one' with a schema whose rows are of persons, got 'add-remove'. Leave it out."
        )
    return replace(claim, relation="replace-person")


def pairs_of_unit(schema: Schema, *, seed: int = 0) -> Iterator[Pair]:
    """Yield the pairs of an audit without end: those of rows, or of persons, as the schema has them.

    Examples
    --------
    >>> from tacit.schema import Identifier, Label, Numeric
    >>> schema = Schema([Numeric("a", 0, 1)], label=Label("y", [0, 1]), rows_per_person=3)
    >>> pair = next(pairs_of_unit(schema))
    >>> sum(one != other for one, other in zip(pair.first, pair.second))
    3
    """
    if schema.weight is not None:
        plain = pairs_of_unit(with_weight_column(schema), seed=seed)
        yield from (WeighedPair.of(pair, schema) for pair in plain if not isinstance(pair, ReadingPair))
    elif schema.identifier is not None:
        yield from person_pairs(schema, seed=seed)
    elif schema.tables:
        # Features of any value, and such as rows of side tables have.
        yield from chain.from_iterable(zip(side_pairs(schema, seed=seed), audit_pairs(schema, seed=seed), strict=True))
    elif schema.rows_per_person == 1:
        yield from audit_pairs(schema, seed=seed)
    else:
        plain = audit_pairs(_of_rows(schema), seed=seed)
        yield from (_several(pair, schema) for pair in plain if not isinstance(pair, ReadingPair))


def extreme_pairs_of_unit(schema: Schema) -> list[Pair]:
    """Return few pairs that much is lost on, for audits that fit each many times."""
    if schema.weight is not None:
        return [WeighedPair.of(pair, schema) for pair in extreme_pairs_of_unit(with_weight_column(schema))]
    return [_of_unit(pair, schema) for pair in extreme_pairs(_of_rows(schema))]


def small_pairs_of_unit(schema: Schema) -> list[Pair]:
    """Return small pairs, on one of which at least each release's distributions differ, for redraws."""
    if schema.weight is not None:
        return [WeighedPair.of(pair, schema) for pair in small_pairs_of_unit(with_weight_column(schema))]
    rows = _of_rows(schema)
    made = islice(directed_pairs(rows, n_rows=_SMALL), _DIRECTED)
    return [_of_unit(pair, schema) for pair in (*extreme_pairs(rows), *made)]


def object_pairs(schema: Schema, claim: Claim) -> list[TablePair]:
    """Return few pairs for any object: float arrays with positions of categories; frames where persons are named."""
    if not _of_persons(schema) and schema.weight is None:
        return pairs_of_schema(schema, claim, cells="codes")
    return [table_pair(pair, "codes") for pair in extreme_pairs_of_unit(schema)]


def _of_persons(schema: Schema) -> bool:
    return schema.identifier is not None or schema.rows_per_person > 1


def _of_rows(schema: Schema) -> Schema:
    return schema.without_persons() if _of_persons(schema) else schema


def _of_unit(pair: Pair, schema: Schema) -> Pair:
    """Return a pair in which the row that differs is of a person with several rows, if the schema has persons."""
    if schema.identifier is None:
        return _several(pair, schema) if _of_persons(schema) else pair
    same = any(not part.private for part in (*schema.columns, schema.label))
    first, second = _ROWS_OF_A_PERSON
    return repeated(pair, schema, second if same else first, second)


def _several(pair: Pair, schema: Schema) -> Pair:
    """Return a pair in which as many rows differ as one person may have."""
    found = repeated(pair, schema, schema.rows_per_person, schema.rows_per_person)
    return Pair(schema, found.first, found.second, found.kind)

"""The certificate of a learned schema: what learning its entries cost."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from tacit.errors import ModelFileError, SchemaError
from tacit.models.document import as_plain, canonical, validated
from tacit.privacy import Guarantee
from tacit.schema import LearnedEntries, Schema


def marked_learned(schema: Schema, guarantee: Guarantee, names: tuple[str, ...] | None = None) -> Schema:
    """Return a schema of which entries, all if they are not named, were learned at the cost of a certificate."""
    names = (*schema.names, schema.label.name) if names is None else names
    return replace(schema, learned=LearnedEntries(names, canonical(as_plain(guarantee))))


def schema_guarantee(schema: Schema) -> Guarantee | None:
    """Return the certificate of what learning a schema cost, or None if nothing was learned.

    Raises
    ------
    SchemaError
        If it is damaged.
    """
    return None if schema.learned is None else _read(schema.learned.certificate)


def on_schema(guarantee: Guarantee, schema: Schema) -> Guarantee:
    """Return the certificate of a fit with what learning its schema cost."""
    learned = schema_guarantee(schema)
    return guarantee if learned is None else guarantee.with_learned(learned)


@lru_cache(maxsize=16)
def _read(certificate: str) -> Guarantee:
    try:
        return validated(Guarantee, certificate)
    except ModelFileError:
        message = "Expected the certificate that `tacit schema learn` wrote under [learned], got a damaged one."
    raise SchemaError(f"{message} Learn the schema again.")

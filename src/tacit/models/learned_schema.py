"""The certificate of a schema that was learned from rows, as the schema keeps it and a model's certificate adds it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from tacit.errors import ModelFileError, SchemaError
from tacit.models.document import as_plain, canonical, validated
from tacit.privacy import Guarantee
from tacit.schema import Learned, Schema


def marked_learned(schema: Schema, guarantee: Guarantee) -> Schema:
    """Return a schema whose entries all were learned at the cost of a certificate."""
    return replace(schema, learned=Learned((*schema.names, schema.label.name), canonical(as_plain(guarantee))))


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

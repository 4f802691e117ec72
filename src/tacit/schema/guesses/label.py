"""The label, guessed from the values that it has."""

from __future__ import annotations

from tacit.errors import SchemaError
from tacit.schema._checks import Value
from tacit.schema.guesses.numbers import finite
from tacit.schema.guesses.observed import Observed
from tacit.schema.guesses.persons import MAX_LISTED
from tacit.schema.label import Label
from tacit.schema.same_values import once_by_value


def guess_label(name: str, observed: Observed) -> Label:
    """Return the guessed label, with its classes sorted."""
    where = f"label {name!r}"
    if observed.missing or observed.kind == "empty":
        raise SchemaError(f"Expected a class in every row of {where}, got missing ones. Fill them in first.")
    if observed.kind in ("mixed", "date", "time"):
        raise SchemaError(
            f"Expected {where} to be text, numbers or booleans, got values of other or mixed types. Make it text."
        )
    classes = _classes(name, observed)
    if len(classes) < 2:
        raise SchemaError(f"Expected at least two classes in {where}, got one class. List every class in a schema.")
    if len(classes) > MAX_LISTED:
        raise SchemaError(
            f"Expected at most {MAX_LISTED} classes to guess {where} from, got more. List the classes in a schema."
        )
    return Label(name, classes)


def _classes(name: str, observed: Observed) -> tuple[Value, ...]:
    if observed.kind == "boolean":
        return False, True
    return (
        tuple(finite(name, observed.numbers).tolist())
        if observed.kind == "number"
        else once_by_value(observed.distinct)
    )

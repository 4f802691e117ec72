"""Validators of dataclasses from files: each union goes by kind, and the first fault ends the reading."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from functools import cache
from typing import Any, TypeVar, cast

from tacit.errors import ModelFileError

_T = TypeVar("_T")

_LONGEST_PLACE = 80
_LONGEST_REASON = 200

# Pydantic's texts repeat names and tags that the file chose; what a terminal would obey is not for a message.
_UNPRINTABLE = re.compile(r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufffd]+")


def validated(cls: type[_T], text: str) -> _T:
    """Return the dataclass that JSON text describes, nothing converted."""
    from pydantic import ValidationError

    try:
        return cast(_T, _validator(cast(Hashable, cls)).validate_json(text, strict=True))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        reason = first["msg"].removeprefix("Value error, ").removesuffix(".")
        place = _plain(".".join(map(str, first["loc"])), _LONGEST_PLACE) or "the top"
        message = f"Expected valid content, got a fault at {place}: {_plain(reason, _LONGEST_REASON)}."
    # What dataclasses raise while they check themselves, and pydantic does not turn into an error of its own.
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        message = "Expected valid content, got entries that contradict each other. The file is damaged."
    raise ModelFileError(message)


def as_plain(value: Any) -> Any:
    """Return a dataclass as what JSON can hold."""
    return _adapter(cast(Hashable, type(value))).dump_python(value, mode="json")


@cache  # the schemas of all scorers take ten times as long to build as a small model to read
def _adapter(cls: Hashable) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(cast(Any, cls))


@cache
def _validator(cls: Hashable) -> Any:
    from pydantic_core import SchemaValidator

    schema = _adapter(cls).core_schema
    definitions = {each["ref"]: each for each in schema.get("definitions", ()) if "ref" in each}
    return SchemaValidator(_hardened(schema, definitions))


def _hardened(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """Return a core schema whose lists stop at their first fault, and whose unions of kinds read one of them.

    A list of a million wrong elements would else collect an error for each of them and for each member of a union,
    about a kilobyte apiece.
    """
    if isinstance(schema, list):
        return [_hardened(each, definitions) for each in schema]
    if isinstance(schema, tuple):
        return tuple(_hardened(each, definitions) for each in schema)
    if not isinstance(schema, dict):
        return schema
    hardened = {key: _hardened(value, definitions) for key, value in schema.items()}
    if schema.get("type") in ("tuple", "list") and "items_schema" in schema:
        return hardened | {"fail_fast": True}
    if schema.get("type") == "union":
        return _tagged(schema["choices"], hardened, definitions)
    return hardened


def _tagged(choices: list[Any], hardened: dict[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Return a union of dataclasses as one that reads the choice of the right kind alone, and any other as it is."""
    members = [definitions.get(choice.get("schema_ref"), choice) for choice in choices]
    if any(member.get("type") != "dataclass" for member in members):
        return hardened
    fields = [{field["name"]: field["schema"] for field in member["schema"]["fields"]} for member in members]
    discriminator: Any = "kind"
    if all("kind" in each for each in fields):
        tags = [str(each["kind"]["schema"]["expected"][0]) for each in fields]  # a literal within its default
    else:
        tags = [next(name for name in each if sum(name in other for other in fields) == 1) for each in fields]
        discriminator = _by_mark(tags)
    tagged = dict(zip(tags, hardened["choices"], strict=True))
    return {"type": "tagged-union", "discriminator": discriminator, "choices": tagged}


def _by_mark(marks: list[str]) -> Callable[[Any], str | None]:
    """Return what tells a member of a union without kinds: a name that no other member has."""

    def entry(value: Any) -> str | None:
        return next((name for name in marks if name in value), None) if isinstance(value, dict) else None

    return entry


def _plain(text: str, longest: int) -> str:
    shown = _UNPRINTABLE.sub(" ", text)
    return shown if len(shown) <= longest else shown[:longest] + "..."

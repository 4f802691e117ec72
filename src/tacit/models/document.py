"""JSON of published files: parsed within bounds, validated strictly, and the digest of what it says."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from tacit.errors import ModelFileError
from tacit.privacy import Guarantee
from tacit.privacy.assumptions import as_fitted

FIRST_RELEASE = "0.1.0"
"""The only release that wrote format 1, in which a file does not say what made it."""

MAX_FILE = 16 * 2**20
"""Bytes; a larger file is refused unread, and a larger model is not written.

Of the learners' defaults on 1,000 columns and two classes, the largest file is that of naive Bayes with 2.7 MiB, next
BRC with 0.9 MiB, and every other is below 0.5 MiB. Six times the largest leaves room for more bins, rounds and classes.
"""

MAX_VALUES = 400_000
"""Entries of lists and objects, counted by their commas: 75,000 in that file of naive Bayes. A coefficient with its
indentation takes some 27 bytes, so 11 MiB of coefficients are as many. Without this bound a file of short entries would
take twenty times its size in memory; with it, what we found to take most takes 165 MiB."""

MAX_CONTAINERS = 2**17
"""Lists and objects, which take some 600 bytes each while they are validated. Naive Bayes has the most, one for each
bin: 35,000 on 1,000 columns."""

MAX_NAMES = 64
"""Entries of one object; none of ours has half as many, and each unknown one would be a fault of its own."""

_LONGEST_INTEGER = 20
"""Characters of the integers that schemas admit, from -2^63 to 2^64."""


def check_size(text: str | bytes, what: str) -> None:
    """Raise ModelFileError if the text is too large to be read, or holds more than any model."""
    marks = "[{," if isinstance(text, str) else (b"[", b"{", b",")
    lists, objects, commas = (text.count(mark) for mark in marks)  # type: ignore[arg-type]
    if len(text) > MAX_FILE or lists + objects > MAX_CONTAINERS or commas > MAX_VALUES:
        raise ModelFileError(
            f"Expected at most {MAX_FILE} bytes, {MAX_VALUES} values and {MAX_CONTAINERS} lists, got more in "
            f"{what}. Models of fewer columns, bins or rounds are smaller."
        )


def content_of(path: Path) -> bytes:
    """Return the bytes of a file; raises ModelFileError if it cannot be read or is too large."""
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_FILE + 1)  # a device tells no size beforehand
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no path"
        raise ModelFileError(f"Expected a readable file, got {str(path)!r}: {reason}.") from None
    if len(content) > MAX_FILE:
        raise ModelFileError(f"Expected at most {MAX_FILE} bytes, got a larger file {path.name!r}.")
    return content


def parsed(text: str | bytes) -> Any:
    """Return what JSON text says, if it is no larger than a model may be, and each name in it occurs once."""
    check_size(text, "the file")
    try:
        decoded = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        return json.loads(
            decoded, object_pairs_hook=_once_each, parse_constant=_no_constant, parse_int=_bounded_integer
        )
    except (ValueError, RecursionError):
        raise ModelFileError("Expected a whole JSON file, got something cut off or damaged. Copy it again.") from None


def canonical(body: Any) -> str:
    """Return the text whose digest a file carries: names sorted, no blanks, ASCII."""
    try:
        return json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (ValueError, RecursionError):
        raise ModelFileError("Expected finite numbers, got others. The file is damaged.") from None


def digest(text: str) -> str:
    """Return the digest of canonical text."""
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()


def certificate_digest(guarantee: Guarantee) -> str:
    """Return the SHA-256 of the JSON of a fit's certificate: names sorted, no blanks, ASCII.

    What was added when the model was saved (``after_fits``) is not of the fit, which a ledger noted.
    """
    plain = as_plain(guarantee) | {"assumptions": list(as_fitted(guarantee.assumptions))}
    # Ledgers keep digests that were made before these fields were.
    for name in ("learned", "labeled_public"):
        if not plain[name]:
            del plain[name]
    return hashlib.sha256(canonical(_as_written(plain)).encode("ascii")).hexdigest()


_OF_VERSION_2 = {"version", "limits", "slice", "counted", "order", "basis"}


def _as_written(certificate: dict[str, Any]) -> dict[str, Any]:
    """Return a certificate of version 1 without what it lacked when its digest was taken; any other as it is."""
    found = dict(certificate)
    if found.get("learned"):
        found["learned"] = _as_written(found["learned"])
    if found["version"] == 1:
        found["releases"] = [_without(each, _OF_VERSION_2) for each in found["releases"]]
        return _without(found, _OF_VERSION_2)
    return found


def _without(entries: dict[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in entries.items() if name not in names}


def upgraded(body: dict[str, Any], version: int) -> dict[str, Any]:
    """Return the content of a file of an earlier format as the present one has it, a step for each version."""
    if ("fitted_with" in body) == (version == 1):
        raise ModelFileError("Expected the version that made it from format 2 on, and not before. The file is damaged.")
    if version == 1:
        # What format 1 called "code" is "coerce" from format 2 on; any other word is left for validation to judge.
        renamed: dict[str, Any] = {"on_invalid": "coerce"} if body.get("on_invalid") == "code" else {}
        if isinstance(body.get("scorers"), list):
            renamed["scorers"] = [_with_n_bins(scorer) for scorer in body["scorers"]]
        return body | {"fitted_with": FIRST_RELEASE} | renamed
    return body


def _with_n_bins(entry: Any) -> Any:
    """Return a scorer of format 1, or one of its linear forms, whose number of bins was called "parts"."""
    if not isinstance(entry, dict):
        return entry  # validation refuses it
    if "n_bins" in entry:
        raise ModelFileError("Expected parts in format 1, got n_bins. The file is damaged.")
    renamed = {"n_bins" if name == "parts" else name: value for name, value in entry.items()}
    if isinstance(renamed.get("forms"), list):
        renamed["forms"] = [_with_n_bins(form) for form in renamed["forms"]]
    return renamed


def bodies_of(body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what each part of a merged model would have in a file of its own.

    Raises ModelFileError if parts and certificates are not as many.
    """
    parts, guarantee = body.get("parts"), body.get("guarantee")
    listed = guarantee.get("parts") if isinstance(guarantee, Mapping) else None
    if not isinstance(parts, list) or not isinstance(listed, list) or len(parts) != len(listed):
        raise ModelFileError("Expected a certificate for each part of a merged model, got others. The file is damaged.")
    for part, line in zip(parts, listed, strict=True):
        if not isinstance(part, dict) or "guarantee" in part or not isinstance(line, dict):
            raise ModelFileError("Expected parts with one certificate each, got others. The file is damaged.")
        yield part | {"guarantee": line.get("certificate")}


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; of two entries of one name, some readers take the first and some the last."""
    read = dict(pairs)
    if len(read) < len(pairs) or len(pairs) > MAX_NAMES:
        raise ValueError
    return read


def _no_constant(name: str) -> Any:
    raise ValueError(name)  # NaN and the infinities, which JSON does not have


def _bounded_integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER:
        raise ValueError
    return int(digits)


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


def schema_as_plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without what says that columns are features and that there are no others, as readers of before.

    Columns for groups are listed by themselves, so that nothing else says what they are.
    """
    found = {name: value for name, value in schema.items() if name != "group_columns" or value}
    of_columns = [name for name in ("columns", "group_columns") if name in found]
    return found | {name: [_without(each, {"feature"}) for each in found[name]] for name in of_columns}


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


_SCALARS = {"str", "int", "float", "bool", "none", "literal", "date"}


def _tagged(choices: list[Any], hardened: dict[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Return a union of dataclasses as one that reads the choice of the right kind alone, and any other as it is."""
    members = [definitions.get(choice.get("schema_ref"), choice) for choice in choices]
    if all(member.get("type") in _SCALARS for member in members):
        # One error in place of one for each member, as each keeps a copy of the entry, which may be a long list.
        return hardened | {
            "custom_error_type": "scalar",
            "custom_error_message": "Input should be a value of another kind",
        }
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

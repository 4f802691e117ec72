"""JSON of published files: parsed within bounds, and the digest of what it says."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from tacit.errors import ModelFileError

FIRST_RELEASE = "0.1.0"
"""The only release that wrote format 1, in which a file does not say what made it."""

LARGEST_FILE = 16 * 2**20
"""Bytes; a larger file is refused unread, and a larger model is not written.

Of the learners' defaults on 1,000 columns and two classes, the largest file is that of naive Bayes with 2.7 MiB, next
BRC with 0.9 MiB, and every other is below 0.5 MiB. Six times the largest leaves room for more bins, rounds and classes.
"""

MOST_VALUES = 400_000
"""Entries of lists and objects, counted by their commas: 75,000 in that file of naive Bayes. A coefficient with its
indentation takes some 27 bytes, so 11 MiB of coefficients are as many. Without this bound a file of short entries would
take twenty times its size in memory; with it, what we found to take most takes 165 MiB."""

MOST_CONTAINERS = 2**17
"""Lists and objects, which take some 600 bytes each while they are validated. Naive Bayes has the most, one for each
bin: 35,000 on 1,000 columns."""

MOST_NAMES = 64
"""Entries of one object; none of ours has half as many, and each unknown one would be a fault of its own."""

_LONGEST_INTEGER = 20
"""Characters of the integers that schemas admit, from -2^63 to 2^64."""


def check_size(text: str | bytes, what: str) -> None:
    """Raise ModelFileError if the text is too large to be read, or holds more than any model."""
    marks = "[{," if isinstance(text, str) else (b"[", b"{", b",")
    lists, objects, commas = (text.count(mark) for mark in marks)  # type: ignore[arg-type]
    if len(text) > LARGEST_FILE or lists + objects > MOST_CONTAINERS or commas > MOST_VALUES:
        raise ModelFileError(
            f"Expected at most {LARGEST_FILE} bytes, {MOST_VALUES} values and {MOST_CONTAINERS} lists, got more in "
            f"{what}. Models of fewer columns, bins or rounds are smaller."
        )


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


def upgraded(body: dict[str, Any], version: int) -> dict[str, Any]:
    """Return the content of a file of an earlier format as the present one has it, a step for each version."""
    if ("fitted_with" in body) == (version == 1):
        raise ModelFileError("Expected the version that made it from format 2 on, and not before. The file is damaged.")
    if version == 1:
        # What format 1 called "code" is "coerce" from format 2 on; any other word is left for validation to judge.
        renamed = {"on_invalid": "coerce"} if body.get("on_invalid") == "code" else {}
        return body | {"fitted_with": FIRST_RELEASE} | renamed
    return body


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; of two entries of one name, some readers take the first and some the last."""
    read = dict(pairs)
    if len(read) < len(pairs) or len(pairs) > MOST_NAMES:
        raise ValueError
    return read


def _no_constant(name: str) -> Any:
    raise ValueError(name)  # NaN and the infinities, which JSON does not have


def _bounded_integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER:
        raise ValueError
    return int(digits)

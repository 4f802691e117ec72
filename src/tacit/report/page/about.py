"""What a person writes about a model: whose it is, what it is for, where it goes, and who approved it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import date
from math import inf
from pathlib import Path
from sys import float_info
from typing import Any

from tacit.errors import ParameterError

MAX_LENGTH = 1_000
"""Characters of an entry are at most this many, so that a card stays a page."""

CHOICES = {
    "owner_type": ("Government", "Industry", "Nonprofit"),
    "sector": ("Technology", "Healthcare", "Education", "Government", "Energy", "Finance"),
}
"""What OpenDP's registry of deployments admits (opendp/deployments-registry-data, commit 057e5d8)."""

_BELOW = {"prior": 1.0, "max_epsilon": inf, "max_delta": 1.0}
"""The numbers, which are above zero, and what each is below."""

_ON_CARD = ("title", "owner", "purpose", "data_period", "contact", "approver", "date")
"""Entries for which a card has a line to write on."""


@dataclass(frozen=True)
class About:
    """Entries that no fit knows; each is public, and empty where nobody has written it.

    Examples
    --------
    >>> list(About(owner="Statistics office").lines())[1]
    ('Owner', 'Statistics office')
    """

    title: str = ""
    owner: str = ""
    purpose: str = ""
    data_period: str = ""
    contact: str = ""
    approver: str = ""
    date: str = ""
    owner_type: str = ""
    """One of `CHOICES`."""
    sector: str = ""
    """One of `CHOICES`."""
    region: str = ""
    destination: str = ""
    """Where the model goes, and who will have it."""
    license: str = ""
    data_collection: str = ""
    """How rows were collected, and who could see them."""
    data_security: str = ""
    """How rows are kept, and who has access."""
    reasons: str = ""
    """Why this epsilon, this delta and these settings."""
    registry_author: str = ""
    prior: float | None = None
    """How probable an attacker finds a guess before: the card says how probable it may seem afterwards."""
    max_epsilon: float | None = None
    """The most that the policy of the place admits."""
    max_delta: float | None = None

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield each entry's name as on the card, and its text; of those that have no line there, if it is written."""
        for each in fields(self):
            text = getattr(self, each.name)
            if each.name in _ON_CARD or (text and each.name not in _BELOW):
                yield each.name.replace("_", " ").capitalize(), text


def read_about(path: str | Path) -> About:
    """Return the entries in a TOML file.

    Raises
    ------
    ParameterError
        If the file cannot be read, or has an entry that is unknown, or one that is no short text, date or number.

    Notes
    -----
    Privacy: a person writes it, and a card publishes it.
    """
    path = Path(path)
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ParameterError(
            f"Expected a readable TOML file, got about={str(path)!r}: {type(error).__name__}. Check the file."
        ) from None
    names = [each.name for each in fields(About)]
    if unknown := [name for name in found if name not in names]:
        raise ParameterError(
            f"Expected entries among {', '.join(names)}, got {unknown[0]!r}. Rename it or leave it out."
        )
    entries: dict[str, Any] = {
        name: _number(name, value) if name in _BELOW else _text(name, value) for name, value in found.items()
    }
    return About(**entries)


def _number(name: str, value: object) -> float:
    # Of a whole number that no float holds the largest one is below it.
    largest = min(_BELOW[name], float_info.max)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < largest:
        below = f" and below {_BELOW[name]:g}" if _BELOW[name] < inf else ""
        raise ParameterError(f"Expected a number above 0{below}, got another {name}. Write it without quotes.")
    return float(value)


def _text(name: str, value: object) -> str:
    if isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, str) or len(value) > MAX_LENGTH:
        raise ParameterError(
            f"Expected text of at most {MAX_LENGTH} characters, got another {name}. Write it in quotes."
        )
    value = value.strip()  # blanks alone are no entry
    if value and value not in CHOICES.get(name, (value,)):
        raise ParameterError(
            f"Expected {name} among {', '.join(CHOICES[name])}, got another. Write one of them, or leave it out."
        )
    return value

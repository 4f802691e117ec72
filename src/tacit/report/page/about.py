"""What a person writes on a model's card: whose the model is, what it is for, and who approved it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path

from tacit.errors import ParameterError

MAX_LENGTH = 1_000
"""Characters of an entry are at most this many, so that a card stays a page."""


@dataclass(frozen=True)
class About:
    """Entries of a card that no fit knows; each is public text, and empty where nobody has written it.

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

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield each entry's name as on the card, and its text."""
        for each in fields(self):
            yield each.name.replace("_", " ").capitalize(), getattr(self, each.name)


def read_about(path: str | Path) -> About:
    """Return the entries in a TOML file.

    Raises
    ------
    ParameterError
        If the file cannot be read, or has an entry that a card does not have, or one that is no short text or date.

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
    return About(**{name: _text(name, value) for name, value in found.items()})


def _text(name: str, value: object) -> str:
    if isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, str) or len(value) > MAX_LENGTH:
        raise ParameterError(
            f"Expected text of at most {MAX_LENGTH} characters, got another {name}. Write it in quotes."
        )
    return value

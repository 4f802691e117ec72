"""How often this process has fitted on the same protected columns; each fit is a release of its own."""

from __future__ import annotations

import warnings
from collections import Counter
from threading import Lock

from tacit.errors import PrivacyWarning
from tacit.schema import Schema

_fits: Counter[tuple[tuple[str, ...], str]] = Counter()
_lock = Lock()


def count_fit(schema: Schema, *, stacklevel: int = 3) -> None:
    """Note one more private fit, and warn once, at the second, that the costs add up."""
    key = (schema.private_columns, schema.label.name if schema.label.private else "")
    with _lock:
        _fits[key] += 1
        second = _fits[key] == 2
    if second:
        warnings.warn(
            "This process has fitted private models more than once on the same protected columns. If they hold the "
            "same people, the costs add up, and no certificate of a single fit covers them all. "
            "tacit.search_cost tells beforehand what a search spends.",
            PrivacyWarning,
            stacklevel=stacklevel,
        )


def forget_fits() -> None:
    """Start the tally anew, as in a new process."""
    with _lock:
        _fits.clear()

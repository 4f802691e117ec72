"""Missing cells as R writes them: NA without quotes, in files whose texts all have some."""

from __future__ import annotations

import re

import numpy as np

_QUOTE = b'"'
_NA = b"NA"


def has_quoted_names(line: str, separator: str) -> bool:
    """Tell whether every name in the first line of a CSV file is in quotes, as R writes all texts.

    Then a cell without quotes is no text. The first line alone says so: no cell decides how another is read.
    """
    name = '"[^"]*(?:""[^"]*)*"'
    return re.fullmatch(f"{name}(?:{re.escape(separator)}{name})*", line) is not None


def without_unquoted_missing(text: bytes, separator: str) -> bytes:
    """Return lines in which cells that are NA without quotes are empty; they begin outside of quotes.

    Privacy: each cell is changed by itself.
    """
    edges = separator.encode() + b"\r\n"
    # Looked for by its letters alone, which is many times as fast as by what is in front, too.
    ends = re.finditer(_NA + b"(?![^" + re.escape(edges) + b"])", text)
    found = [at for each in ends if text[(at := each.start()) - 1] in edges]
    if not found:
        return text
    array = np.frombuffer(text, dtype=np.uint8)
    # In quotes are those that an odd number of quotes come before; one that is written twice changes nothing.
    before = np.searchsorted(np.flatnonzero(array == ord(_QUOTE)), found)
    starts = np.asarray(found)[before % 2 == 0]
    return np.delete(array, np.concatenate([starts + at for at in range(len(_NA))])).tobytes()

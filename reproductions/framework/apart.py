"""Published numbers that no run could reach or miss, by reason: counted apart, so that open ones are misses of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SETTING = "a setting that the paper chose, and that our runs take as it is printed; beside it is our default"
NOMINAL = "an epsilon that the paper claims for its search; beside it is what the search spends"
NO_FILE = "on a table whose file is not at hand"
OTHER_FORM = "printed for another form of the table, or at another cost, and shown beside this one too"
AGAIN = "shown here too, and counted in the table or figure that is named first"
SHARE = "a count that is printed already, as a share of 162, 80 or 117 columns"
ONE_DRAW = "of a single model at one draw of noise"

_ABSENT = ("is not here", "file not at hand")


def reason(row: Mapping[str, Any]) -> str:
    """Return why the published number of a comparison's row is counted apart, as far as its note says; else nothing.

    Examples
    --------
    >>> reason({"note": "published for the balanced table", "ours": 0.8}) == OTHER_FORM
    True
    """
    note = row["note"]
    if row["ours"] is None and any(each in note for each in _ABSENT):
        return NO_FILE
    return OTHER_FORM if note.startswith("published for ") else ""


def lines_again(row: Mapping[str, Any]) -> str:
    """Return that lines without privacy are shown in an earlier figure, and else what the note says."""
    return reason(row) or (AGAIN if row["series"].startswith("no privacy") else "")


def all_again(row: Mapping[str, Any]) -> str:
    """Return that every number of the table or figure is shown elsewhere."""
    return AGAIN

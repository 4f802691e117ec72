"""The large data sets of table 1 of Nock, Patrini and Friedman (2015)."""

from __future__ import annotations

from tacit.datasets.files import File
from tacit.datasets.large import LargeRecord, class_first, score_last

_UCI = "https://archive.ics.uci.edu/static/public"
_BUZZ = f"{_UCI}/248/buzz+in+social+media.zip"

BUZZ = 500
"""Discussions, or displays, from which on a topic counts as a buzz: the least that the archive's own classes use."""

LARGE_RECORDS = (
    LargeRecord("hardware", File("hardware/TomsHardware.data", _BUZZ, "TomsHardware.data"), score_last(BUZZ), 28_179),
    LargeRecord("twitter", File("twitter/Twitter.data", _BUZZ, "Twitter.data"), score_last(BUZZ), 583_250),
    LargeRecord("susy", File("susy/SUSY.csv", f"{_UCI}/279/susy.zip", "SUSY.csv"), class_first, 5_000_000),
    LargeRecord("higgs", File("higgs/HIGGS.csv", f"{_UCI}/280/higgs.zip", "HIGGS.csv"), class_first, 11_000_000),
)

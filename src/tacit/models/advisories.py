"""Known flaws of released versions, which may make the certificates of their fits false."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tacit.errors import ModelFileError
from tacit.privacy import Guarantee
from tacit.version import __version__


@dataclass(frozen=True)
class Advisory:
    """A flaw that made certificates of some versions false.

    Examples
    --------
    >>> print(ADVISORIES[0].identifier)
    TACIT-1
    """

    identifier: str
    """As in SECURITY.md."""
    versions: tuple[str, ...]
    """Versions of this package whose fits are affected, each by its full name."""
    condition: str
    """When a fit of such a version is affected; a model does not tell."""
    flaw: str
    """What does not hold then."""
    remedy: str
    """What to do."""

    def __str__(self) -> str:
        return f"{self.identifier}: {self.flaw} Affected: {self.condition} {self.remedy}"


ADVISORIES = (
    Advisory(
        "TACIT-1",
        ("0.1.0",),
        "fits of tacit 0.1.0 whose X or y was a Python list or tuple; no data frame, no array, nor `tacit fit`.",
        "one cell could change how all rows were read, so the certificate does not hold.",
        "If lists may have been passed, withdraw the model and fit again with this version.",
    ),
)
"""All there are, the oldest first; SECURITY.md documents each."""


def advisories(version: str, guarantee: Guarantee) -> tuple[Advisory, ...]:
    """Return what is known against a certificate that a version of this package gave.

    A certificate that promises nothing has none.
    """
    if guarantee.status != "private":
        return ()
    return tuple(each for each in ADVISORIES if version in each.versions)


_VERSION = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9}){1,3}[0-9a-z.+]{0,40}")


def this_version() -> str:
    """Return the version of this package."""
    return __version__


def check_version(version: str) -> None:
    """Raise ModelFileError unless the text looks like a version."""
    if not _VERSION.fullmatch(version):
        raise ModelFileError("Expected the version that fitted the model, got something else. The file is damaged.")

"""What must not lie in one folder: evidence, which leaves with a model, and reports on real rows, which do not."""

from __future__ import annotations

from pathlib import Path

from tacit.errors import ParameterError, shown

KINDS = ("satre", "registry", "nist", "card")
"""Of evidence: a page and JSON of each name."""

MEMBERSHIP = "membership.json"
"""The file of membership tests; of real rows its first line is a notice."""

_MARK = b'{"notice": "NOT PRIVATE.'


def refuse_evidence(path: Path) -> None:
    """Refuse a folder for a report that is not private where it would be part of evidence.

    Raises
    ------
    ParameterError
        If the folder, or one around it, has a page and JSON of evidence.
    """
    for folder in _around(path):
        if any((folder / f"{kind}.md").exists() and (folder / f"{kind}.json").exists() for kind in KINDS):
            raise ParameterError(
                f"Expected --out away from evidence, as a report on real rows must not leave, got {shown(path)} in the "
                f"evidence of {shown(folder)}. Name a folder where the rows are kept."
            )


def refuse_reports_on_rows(path: Path) -> None:
    """Refuse a folder for evidence that would lie together with a report on real rows.

    Raises
    ------
    ParameterError
        If the folder, or one around it, has a report on real rows.
    """
    for folder in _around(path):
        if _is_on_rows(folder / MEMBERSHIP):
            raise ParameterError(
                f"Expected a folder for evidence, which leaves, got {shown(path)} in {shown(folder)}, which has a "
                "report on real rows. Name a folder elsewhere."
            )


def _around(path: Path) -> tuple[Path, ...]:
    place = path.resolve()
    return place, *place.parents


def _is_on_rows(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_MARK)) == _MARK
    except OSError:
        return False

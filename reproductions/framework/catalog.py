"""All artefacts by name. Each paper's modules list theirs as ``ARTEFACTS``."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import import_module

from reproductions.framework.artefact import Artefact
from tacit.errors import ParameterError

MODULES: tuple[str, ...] = (
    "shen2022.figure1",
    "shen2022.figures2_3",
    "shen2022.figure4",
    "nock2015.table1",
    "nock2015.table2",
    "salamatian2021.figure5_1",
    "salamatian2021.accuracy",
    "salamatian2021.comparators",
    "salamatian2021.deltas",
    "salamatian2021.tables",
    "salamatian2021.models",
    "lopuhaa2021.tables",
    "lopuhaa2021.figures2_3",
    "lopuhaa2021.figures4_5",
)
"""Modules of `reproductions` with a tuple ``ARTEFACTS``, in the order in which artefacts are listed and run."""


@cache
def artefacts() -> tuple[Artefact, ...]:
    """Return every artefact, in order.

    Raises
    ------
    ParameterError
        If two have the same name.
    """
    found: list[Artefact] = []
    for module in MODULES:
        found.extend(import_module(f"reproductions.{module}").ARTEFACTS)
    listed = [one.name for one in found]
    if twice := sorted({name for name in listed if listed.count(name) > 1}):
        raise ParameterError(f"Expected each artefact once, got name={twice[0]!r} twice. Rename one.")
    return tuple(found)


def names() -> tuple[str, ...]:
    """Return the names of all artefacts, in order."""
    return tuple(one.name for one in artefacts())


def find(name: str) -> tuple[Artefact, ...]:
    """Return the artefact of this name, all parts of one ("shen2022-figure2"), all of a paper, or "all" there are.

    Raises
    ------
    ParameterError
        If there is none; the message names near ones.

    Examples
    --------
    >>> [one.name for one in find("nock2015-table2")][0]
    'nock2015-table2-left'
    """
    wanted = name.strip().lower().replace(" ", "").replace("_", "-")
    if found := tuple(one for one in artefacts() if wanted in (one.name.lower(), one.paper.key, "all")):
        return found
    if found := tuple(one for one in artefacts() if _is_part(one.name.lower(), wanted)):
        return found
    papers = dict.fromkeys(one.paper.key for one in artefacts())
    near = get_close_matches(wanted, [*names(), *papers], n=3, cutoff=0.5) or list(papers)
    raise ParameterError(f"Expected the name of a table or figure, got name={name!r}. Did you mean {', '.join(near)}?")


def _is_part(name: str, whole: str) -> bool:
    """Tell whether a name continues another with a letter, a dot or a dash: figure1a is part of figure1, figure10 not.

    Examples
    --------
    >>> _is_part("shen2022-figure1a", "shen2022-figure1"), _is_part("shen2022-figure10", "shen2022-figure1")
    (True, False)
    """
    rest = name.removeprefix(whole)
    return "-" in whole and rest != name and rest[:1] in ".-abcdefghijklmnopqrstuvwxyz"

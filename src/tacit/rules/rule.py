"""What a row of the table of rules says."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_type_hints


@dataclass(frozen=True)
class Rule:
    """What a tuned number is for; written beside it as ``NAME: Annotated[float, Rule(...)] = 0.1``.

    Parameters
    ----------
    decides : str
    by : str
        The public signal that the number is compared with or scales; no rule reads a private cell.
    chosen : str
        The script in ``benchmarks/`` that chose it, and that chooses it again.
    """

    decides: str
    by: str
    chosen: str


@dataclass(frozen=True)
class Row:
    """A row of the table.

    Parameters
    ----------
    subject : str
        The module of ``tacit.rules`` that has it.
    name : str
    value : float or tuple
    rule : Rule
    """

    subject: str
    name: str
    value: Any
    rule: Rule

    @property
    def numbers(self) -> int:
        """How many numbers it has.

        Examples
        --------
        >>> Row("trees", "SHARES", (0.1, 0.9), Rule("the leaves' share", "budget", "tree_shares.py")).numbers
        2
        """
        return len(self.value) if isinstance(self.value, tuple) else 1


def all_rules() -> tuple[Row, ...]:
    """Return all rows, by subject, in the order in which they are written.

    Examples
    --------
    >>> row = next(row for row in all_rules() if row.name == "BOOSTED_TREES_FROM")
    >>> row.subject, row.numbers, row.rule.chosen
    ('choice', 1, 'auto_rules.py')
    """
    return tuple(_rows())


def _rows() -> Iterator[Row]:
    package = importlib.import_module("tacit.rules")
    for found in sorted(pkgutil.iter_modules(package.__path__), key=lambda each: each.name):
        module = importlib.import_module(f"tacit.rules.{found.name}")
        for name, hint in get_type_hints(module, include_extras=True).items():
            for rule in getattr(hint, "__metadata__", ()):
                if isinstance(rule, Rule):
                    yield Row(found.name, name, getattr(module, name), rule)

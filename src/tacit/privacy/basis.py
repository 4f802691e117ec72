"""Basis: the public numbers that a query's sensitivity follows from, with the privacy unit and the number of rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import ClassVar, Literal

from tacit.privacy.unit import PrivacyUnit

SensitivityKind = Literal["l1", "l2", "range", "gauge"]

BasisValue = bool | int | float | str | None | tuple[str, ...] | tuple[int, ...]
"""What JSON holds as it is."""


@dataclass(frozen=True)
class Basis(ABC):
    """What a query's sensitivity follows from; one subclass a query, in ``tacit.sensitivities``.

    Fields are public: they follow from schema, settings and earlier answers alone, and are written into certificates,
    so that a reader can compute the sensitivity again: ``tacit.verify``, by docs/certificate-sensitivities.md.

    Notes
    -----
    Privacy: a query states its sensitivities by its basis, and ``sensitivity`` is all that is proved of it.
    """

    query: ClassVar[str] = ""
    """The name under which a certificate has it; that of no other query."""

    def __init_subclass__(cls, *, query: str = "") -> None:
        cls.query = query

    @property
    def bounded_by_answers(self) -> bool:
        """Whether it has a bound that follows from earlier answers, which are not in it."""
        return False

    @abstractmethod
    def sensitivity(self, unit: PrivacyUnit, n_rows: int) -> Mapping[SensitivityKind, float]:
        """Return how far the answer moves between neighbors, in each of the norms that it is bounded in.

        Parameters
        ----------
        unit : PrivacyUnit
        n_rows : int
            Public; of persons where an identifier names them.
        """

    def written(self) -> dict[str, BasisValue]:
        """Return it as a certificate has it: its query's name and its fields, in the order of their names."""
        own = {"query": self.query} | {each.name: getattr(self, each.name) for each in fields(self)}
        return dict(sorted(own.items()))


@dataclass(frozen=True)
class RowSums(Basis):
    """Of sums over rows of a function of one row: a person moves them as often as that one counts."""

    weight: int = field(default=1, kw_only=True)
    """What counts as one row, in units of the answer."""

    @abstractmethod
    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return L1 and L2 sensitivity where each person has one row, of weight one."""

    def sensitivity(self, unit: PrivacyUnit, n_rows: int) -> Mapping[SensitivityKind, float]:
        """Return both, times what a person weighs at most."""
        l1, l2 = self.of_row(unit)
        most = self.weight * unit.most_rows
        return {"l1": l1 * most, "l2": l2 * most}


def basis_of(query: str) -> type[Basis] | None:
    """Return the kind of basis that a query has, if its module was imported; None of a query that states none."""
    # What is between it and a query's own has no name.
    return _named(Basis).get(query) if query else None  # type: ignore[type-abstract]


def _named(kind: type[Basis]) -> dict[str, type[Basis]]:
    found = {each.query: each for each in kind.__subclasses__()}
    for each in kind.__subclasses__():
        found |= _named(each)
    return found

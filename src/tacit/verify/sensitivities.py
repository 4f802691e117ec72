"""Sensitivities, computed again from what their queries' bases say, the privacy unit and the number of rows."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from importlib import import_module
from math import isfinite

import tacit.sensitivities
from tacit.errors import TacitError
from tacit.mechanisms.cell_selection import ERROR
from tacit.models.document import canonical, validated
from tacit.privacy import PrivacyUnit, ReleaseRecord
from tacit.privacy.basis import Basis, BasisValue, basis_of
from tacit.sensitivities.scores import MOVED, RANGE_OF_HALVES
from tacit.verify.scales import CLOSE

_NOT_ZERO = ("n_columns", "n_scores", "weight")
"""Fields of which zero would say that no row counts."""

_ROUNDED = {"exponential mechanism over cells": 1 + 4 * ERROR * MOVED / RANGE_OF_HALVES}
"""What a mechanism's own rounding adds to a sensitivity."""


def sensitivity_faults(line: ReleaseRecord, unit: PrivacyUnit, n_rows: int) -> list[str]:
    """Return what in a release's sensitivity contradicts its basis; nothing where it states none that is known."""
    kind = _kind(line)
    if kind is None or line.basis is None:
        return []
    basis = _read(kind, line.basis)
    if basis is None:
        return ["has a basis that is none of its query"]
    try:
        found = basis.sensitivity(unit, n_rows).get(line.sensitivity_kind, 0.0) * _ROUNDED.get(line.mechanism, 1.0)
    # Whatever formulas make of numbers that no query has.
    except (TacitError, ArithmeticError, LookupError, ValueError):
        return ["has numbers in its basis that no query has"]
    # An infinite bound would differ from any sensitivity by no more than a part of itself.
    if not isfinite(found):
        return ["has numbers in its basis that no query has"]
    if not abs(found - line.sensitivity) <= CLOSE * max(found, line.sensitivity):
        return [f"states a sensitivity of {line.sensitivity:.6g}, but its basis gives {found:.6g}"]
    return []


def is_as_stated(line: ReleaseRecord) -> bool:
    """Return whether a release's sensitivity cannot be computed again, and is taken as stated.

    It has no basis, one of a query that this version does not know, or one with a bound that follows from earlier
    answers, which are not in it.
    """
    kind = _kind(line)
    basis = None if kind is None or line.basis is None else _read(kind, line.basis)
    return basis is None or basis.bounded_by_answers


def _kind(line: ReleaseRecord) -> type[Basis] | None:
    if line.basis is None:
        return None
    _import_all()
    return basis_of(str(line.basis.get("query", "")))


@cache
def _import_all() -> None:
    """Import every basis, as it is known from then on."""
    for module in pkgutil.iter_modules(tacit.sensitivities.__path__, f"{tacit.sensitivities.__name__}."):
        import_module(module.name)


def _read(kind: type[Basis], written: Mapping[str, BasisValue]) -> Basis | None:
    """Return the basis; None if names or types are others, or a number is negative, infinite, or must not be 0."""
    entries = {name: value for name, value in written.items() if name != "query"}
    numbers = [value for value in entries.values() if isinstance(value, int | float)]
    sane = all(isfinite(number) and number >= 0 for number in numbers) and all(
        entries.get(name, 1) for name in _NOT_ZERO
    )
    if set(entries) != {each.name for each in fields(kind)} or not sane:
        return None
    try:
        return validated(kind, canonical(entries))
    except TacitError:
        return None

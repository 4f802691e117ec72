"""Answers without noise, where nothing that was read is protected."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from tacit.errors import PrivacyError
from tacit.privacy.statistic import Statistic


def exact_answer(statistic: Statistic) -> NDArray[Any]:
    """Return the statistic's value.

    Raises
    ------
    PrivacyError
        If its unit protects anything.
    """
    if not statistic.unit.protects_nothing:
        raise PrivacyError(f"Expected public cells alone, got protected ones in {statistic.query!r}. Release it.")
    return statistic.unreleased_value

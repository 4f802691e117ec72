"""Cases that a commit need not wait for: ``make audit`` runs them all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def longer(cases: Iterable[Any], every: int) -> list[Any]:
    """Return cases for ``parametrize``, all but each so-manieth behind the marker ``audit``."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.audit if at % every else ())
        for at, case in enumerate(cases)
    ]

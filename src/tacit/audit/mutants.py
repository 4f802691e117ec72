"""Releases that are broken on purpose: half the noise, and half the sensitivity, of any mechanism."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from typing import Any

from tacit.privacy import PendingRelease
from tacit.privacy.statistic import ObjectiveStatistic

Mutant = Callable[[PendingRelease], PendingRelease]
"""Returns the release with another mechanism or statistic, which then draws the answer and has the densities."""


def half_noise(pending: PendingRelease) -> PendingRelease:
    """Return the release with half the scale of its mechanism's noise.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit.mechanisms import Laplace, SimulatedNoise
    >>> from tacit.privacy import NumericStatistic, PrivacyUnit, PureDP
    >>> count = NumericStatistic("rows", PrivacyUnit(("age",), label=False), np.asarray(60), l1=1.0, l2=1.0)
    >>> pending = half_noise(PendingRelease(None, Laplace(PureDP(0.5)), count, SimulatedNoise(0)))
    >>> pending.mechanism.noise_scale(count)
    1.0
    """
    given = pending.mechanism
    values = {field.name: getattr(given, field.name) for field in fields(given)}  # type: ignore[arg-type]
    # A mask that was made for the stated scale would refuse to be drawn with another.
    halved = _halved(type(given))(**values | dict.fromkeys({"mask"} & values.keys()))
    return replace(pending, mechanism=halved)


def half_sensitivity(pending: PendingRelease) -> PendingRelease:
    """Return the release with a statistic that understates its L1 and L2 sensitivity, range or gauge by half.

    Of a perturbed objective, the norm of its rows.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit.mechanisms import PermuteAndFlip, SimulatedNoise
    >>> from tacit.privacy import PrivacyUnit, PureDP, SelectionStatistic
    >>> scores = SelectionStatistic("cut", PrivacyUnit(("age",), label=False), np.asarray([3, 5]), range=2.0)
    >>> half_sensitivity(PendingRelease(None, PermuteAndFlip(PureDP(0.5)), scores, SimulatedNoise(0))).statistic.range
    1.0
    """
    statistic = pending.statistic
    if isinstance(statistic, ObjectiveStatistic):
        if pending.line.sensitivity_kind == "gauge":
            # The scale is this sensitivity over epsilon and nothing else: half of it is half the noise.
            return half_noise(pending)
        # Rows of half the norm: the change of curvature is understated as well, and less than half the noise is left.
        rows = replace(statistic.rows, squared_radius=statistic.rows.squared_radius / 4)
        return replace(pending, statistic=replace(statistic, rows=rows))
    stated = [name for name in ("l1", "l2", "range", "sensitivity") if hasattr(statistic, name)]
    return replace(pending, statistic=replace(statistic, **{name: getattr(statistic, name) / 2 for name in stated}))


MUTANTS: dict[str, Mutant] = {"half the noise": half_noise, "half the sensitivity": half_sensitivity}
"""By the names that a report gives them."""


@cache
def _halved(mechanism: type) -> type:
    """Return a class of the same mechanism whose every use of its noise's scale finds half of it."""

    def noise_scale(self: Any, statistic: Any) -> float:
        return float(mechanism.noise_scale(self, statistic)) / 2  # type: ignore[attr-defined]

    return type(f"Half{mechanism.__name__}", (mechanism,), {"noise_scale": noise_scale})

"""What dp-accounting says of the noise that certificates list, against the epsilon that `tacit verify` recomputes.

Run: python -m benchmarks.verify_oracle [--minutes 10] [--seed 0]

Draws the models of `verify_agreement`. Compared are certificates whose releases are all Laplace or Gaussian noise, of
which dp-accounting has the distribution; of the runs of a paid search it has no distribution. dp-accounting composes
the noise that is listed, the package the limits that were announced. What was expected, written before the first run:

- pure: all Laplace noise. Where the limit is spent by 20 releases or fewer, dp-accounting's epsilon at delta 1e-12 is
  the same to 1e-4: of k releases the largest loss has probability 2^-k.
- last: all Gaussian noise, counted last. Where the limit is spent, the epsilon recomputed is above dp-accounting's
  exact one by at most 1e-4: the margin of 2^-16 of delta.
- rho: all Gaussian noise, counted as rho. It is above the exact one, and equals that of dp-accounting's Renyi
  accountant to 1e-3 where the limit is spent: that takes the least over some orders, the package over all.
- mixed: Laplace noise and Gaussian, or Gaussian counted both ways: above dp-accounting's numeric composition.

Nowhere is the epsilon recomputed below dp-accounting's, but for 1e-6 of rounding, and in numeric composition for a step
of its grid, 1/20,000 of epsilon, for each release. (Expected were four steps for all; 23 figures of 394, of Laplace
noise, were beyond that: each loss is rounded up to the grid.) Prints each kind with the number of limits and the range
of ratios; exit status 1 if one differs.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, isclose, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from dp_accounting import DpEvent, GaussianDpEvent, LaplaceDpEvent, SelfComposedDpEvent
from dp_accounting.pld import PLDAccountant, privacy_loss_mechanism
from dp_accounting.privacy_accountant import NeighboringRelation
from dp_accounting.rdp import RdpAccountant
from scipy.optimize import brentq

from benchmarks.verify_agreement import models, options_of
from tacit.privacy import Guarantee, ReleaseRecord
from tacit.privacy.limit import Limit
from tacit.verify import recomputed

ROUNDED, STEPS = 1e-6, 20_000
ALMOST_NO_DELTA, FEW = 1e-12, 20
MARGIN = {"pure": 1e-4, "last": 1e-4, "rho": 1e-3, "mixed": inf}
"""By how much the epsilon recomputed may be above dp-accounting's."""
LAPLACE, GAUSSIAN = ("Laplace", "discrete Laplace"), ("Gaussian", "discrete Gaussian")


@dataclass(frozen=True)
class Compared:
    """Both figures of a limit."""

    kind: str
    ours: float
    theirs: float
    releases: int
    spent: bool
    """Whether the releases cost all that the limit admits, so that both should agree."""

    @property
    def differs(self) -> bool:
        """Whether the figures are not as expected."""
        below = ROUNDED if self.kind in ("last", "rho") else self.releases / STEPS + ROUNDED
        above = MARGIN[self.kind] if self.spent else inf
        return not self.theirs * (1 - below) <= self.ours <= self.theirs * (1 + above)


def compared(guarantee: Guarantee) -> Iterator[Compared]:
    """Yield the figures of each limit whose noise dp-accounting has the distribution of."""
    for part in [guarantee] if guarantee.learned is None else [guarantee.of_fit, guarantee.learned]:
        for limit in part.limits if part.runs is None else ():
            lines = [line for line in part.releases if line.sensitivity and line.slice == limit.slice]
            kind = _kind(limit, lines)
            if kind is None or limit.epsilon:
                continue
            ours = recomputed(replace(part, limits=(limit,))).epsilon
            spent = isclose(sum(line.loss for line in lines), limit.loss, rel_tol=1e-7)
            if kind == "pure":
                spent &= len(lines) <= FEW
            theirs = _theirs(kind, limit, lines, part.delta - limit.delta, ours)
            yield Compared(kind, ours, theirs, len(lines), spent)


def _kind(limit: Limit, lines: list[ReleaseRecord]) -> str | None:
    named = {line.mechanism for line in lines}
    if not lines or not named <= {*LAPLACE, *GAUSSIAN}:
        return None
    if limit.composition == "pure":
        return "pure" if named <= {*LAPLACE} else None
    if not named <= {*GAUSSIAN}:
        return "mixed"
    return {0.0: "rho", limit.loss: "last"}.get(limit.gaussian, "mixed")


def _theirs(kind: str, limit: Limit, lines: list[ReleaseRecord], delta: float, ours: float) -> float:
    if kind == "pure":
        return _numeric(lines, ALMOST_NO_DELTA, ours)
    if kind == "mixed":
        return _numeric(lines, delta, ours)
    exact = _exact(lines, delta)
    if kind == "last":
        return exact
    # Around the order that is best for this rho and delta, as far apart as a thousandth of it.
    best = 1 + sqrt(np.log(1 / delta) / limit.loss)
    accountant = RdpAccountant(1 + (best - 1) * np.geomspace(0.5, 2.0, 1400))
    for line in lines:
        accountant.compose(_event(line))
    theirs = float(accountant.get_epsilon(delta))
    return theirs if theirs >= exact * (1 - ROUNDED) else inf


def _exact(lines: list[ReleaseRecord], delta: float) -> float:
    """Return the exact epsilon of Gaussian noise: of many it is that of one."""
    one = privacy_loss_mechanism.GaussianPrivacyLoss(1 / sqrt(sum(_multiplier(line) ** -2 for line in lines)))
    excess = lambda epsilon: one.get_delta_for_epsilon(epsilon) - delta  # noqa: E731
    return 0.0 if excess(0.0) <= 0 else float(brentq(excess, 0.0, 1e4, xtol=1e-12, rtol=1e-12))


def _numeric(lines: list[ReleaseRecord], delta: float, ours: float) -> float:
    accountant = PLDAccountant(NeighboringRelation.REPLACE_SPECIAL, ours / STEPS)
    for (mechanism, multiplier), count in Counter((line.mechanism, _multiplier(line)) for line in lines).items():
        accountant.compose(SelfComposedDpEvent(_event_of(mechanism, multiplier), count))
    return float(accountant.get_epsilon(delta))


def _event(line: ReleaseRecord) -> DpEvent:
    return _event_of(line.mechanism, _multiplier(line))


def _event_of(mechanism: str, multiplier: float) -> DpEvent:
    # The largest loss of Laplace noise is the same, discrete or not.
    return LaplaceDpEvent(multiplier) if mechanism in LAPLACE else GaussianDpEvent(multiplier)


def _multiplier(line: ReleaseRecord) -> float:
    """Return noise by sensitivity; of discrete Gaussian noise that of the continuous one that it is rounded from."""
    rounded = line.mechanism == "discrete Gaussian" and line.counted == "gaussian"
    return sqrt(line.noise_scale**2 - 4 * rounded) / line.sensitivity


def main() -> int:
    """Fit until the time is over."""
    options = options_of(__doc__)
    refused: Counter[str] = Counter()
    found: dict[tuple[str, bool], list[Compared]] = defaultdict(list)
    n_models = n_compared = 0
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for learner, case, model in models(options.minutes, options.seed, Path(folder), refused):
            figures: list[Any] = list(compared(model.guarantee)) if model.guarantee.status == "private" else []
            n_models, n_compared = n_models + 1, n_compared + bool(figures)
            for each in figures:
                found[each.kind, each.spent].append(each)
                if each.differs:
                    print(f"{learner}, {case}: {each}", flush=True)
    for (kind, spent), each in sorted(found.items()):
        ratios = [one.ours / one.theirs for one in each]
        print(
            f"{len(each):5d}  {kind}{', spent' if spent else ''}: {min(ratios):.7f} to {max(ratios):.7f} times theirs"
        )
    differ = sum(one.differs for each in found.values() for one in each)
    print(f"{n_models} models, {n_compared} compared, {differ} figures differ.")
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())

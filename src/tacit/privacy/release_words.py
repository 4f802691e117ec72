"""Releases in words: those that are alike as one line, their noise as a multiple of what one person can change."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tacit.privacy.release import ReleaseRecord

_QUANTILES = re.compile(r"(?:medians|quantile) of (?P<column>.+?)(?P<slice> \(slice .*\))?\Z", re.DOTALL)
"""One private quantile of a column, or a level of several."""

_PLAIN = {
    "curvatures by leaf": "Hessian sums per leaf",
    "residuals by leaf": "gradient sums per leaf",
    "residuals and curvatures of log-odds": "gradients and Hessians of the calibration",
    "oblivious trees": "split selections",
    "rows that a column alone tells the class of": "accuracy of each column alone",
    "lead of the second class at each leaf": "class differences per leaf",
}
"""What a textbook calls some of the queries; all others are written as the record has them."""


@dataclass
class ReleaseGroup:
    """Releases that one line is about: alike in all but column, units and cost.

    Parameters
    ----------
    said : str
        The query, in a textbook's words where there are some.
    mechanism : str
    noise : str
        The noise scale over the sensitivity.
    currency : str
        Of the costs: epsilon or rho.
    sampler : str
        Empty where it is one of the exact ones.
    rows : str
        Of which slice of the rows; empty if of all.
    """

    said: str
    mechanism: str
    noise: str
    currency: str
    sampler: str
    rows: str
    count: int = 0
    loss: float = 0.0
    delta: float = 0.0
    columns: Counter[str] = field(default_factory=Counter)

    def add(self, record: ReleaseRecord, count: int, column: str) -> None:
        """Count so many equal releases, of which column if of one alone."""
        self.count += count
        self.loss += count * record.loss
        self.delta += count * record.delta
        self.columns[column] += count

    @property
    def asked(self) -> str:
        """What was asked, of how many columns, how often."""
        named = [name for name in self.columns if name]
        if not named:
            return f"{self.count:,} x {self.said}" if self.count > 1 else self.said
        of = named[0] if len(named) == 1 else f"{len(named)} columns"
        what = self.said.replace("private quantiles", f"private quantiles of {of}", 1)
        levels = set(self.columns.values())
        if len(levels) > 1:
            return f"{what}, {self.count} in all"
        [level] = levels
        return f"{what}, {level} level{'s' * (level > 1)}{' each' * (len(named) > 1)}"

    @property
    def cost(self) -> str:
        """What all of them cost together."""
        return f"{self.currency} {self.loss:.3g}" + (f" and delta {self.delta:.3g}" if self.delta else "")


def release_lines(records: Iterable[ReleaseRecord]) -> list[str]:
    """Return a line for all releases that differ in column, units or cost alone, in the order of the first of each.

    The noise scale is divided by the sensitivity, so that no line is in the steps of a grid. What a line costs is the
    sum of its releases. Private quantiles of several columns are one line. A sampler is named where it is not one of
    the exact ones, which the certificate names above.

    Examples
    --------
    >>> from tacit.privacy import ReleaseRecord
    >>> record = ReleaseRecord("rows by bin", "discrete Laplace", 2.0, "l1", 8.0, 0.25, "epsilon", "exact, OpenDP")
    >>> release_lines([record, record])
    ['2 x rows by bin: discrete Laplace, noise 4, epsilon 0.5 in all']
    """
    return [_line(group) for group in release_groups(records)]


def release_groups(records: Iterable[ReleaseRecord]) -> list[ReleaseGroup]:
    """Return the releases in groups of those that are alike, in the order of the first of each."""
    groups: dict[tuple[str, ...], ReleaseGroup] = {}
    for record, count in Counter(records).items():
        said, column = _asked(record.asked)
        key = said, record.mechanism, _noise(record), record.currency, _sampler(record), record.rows
        groups.setdefault(key, ReleaseGroup(*key)).add(record, count, column)
    return list(groups.values())


def record_lines(records: Iterable[ReleaseRecord]) -> list[str]:
    """Return a line for each release as its record has it; equal ones together."""
    return [f"{count} x {_record(record)}" for record, count in Counter(records).items()]


def _asked(query: str) -> tuple[str, str]:
    """Return what was asked, and of which column alone, if of one."""
    if found := _QUANTILES.match(query):
        return f"private quantiles{found['slice'] or ''}", found["column"]
    stem, bracket, rest = query.partition(" (slice ")
    return _PLAIN.get(stem, stem) + bracket + rest, ""


def _noise(record: ReleaseRecord) -> str:
    return f"{record.noise_scale / record.sensitivity:.3g}" if record.sensitivity else f"{record.noise_scale:.3g}"


def _sampler(record: ReleaseRecord) -> str:
    # "exact draw, floating-point rounding masked" is none of the exact samplers: an assumption is about those it names.
    return "" if record.sampler.startswith("exact, ") or record.sampler == "simulated" else record.sampler


def _line(group: ReleaseGroup) -> str:
    together = " in all" if group.count > 1 else ""
    drawn = f" ({group.sampler})" if group.sampler else ""
    return f"{group.asked}: {group.mechanism}, noise {group.noise}, {group.cost}{together}{drawn}"


def _record(line: ReleaseRecord) -> str:
    failure = f" and delta {line.delta:g}" if line.delta else ""
    return (
        f"{line.asked}: {line.mechanism}, noise scale {line.noise_scale:.4g} for {line.sensitivity_kind} "
        f"sensitivity {line.sensitivity:.4g}, {line.currency} {line.loss:.4g}{failure} ({line.sampler})"
    )

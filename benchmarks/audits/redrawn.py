"""Which release of each mechanism is drawn many times: that of the largest share."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial

from benchmarks.audits.every_case import CASES, Replayable, every_case
from tacit.audit import Auditor, Finding
from tacit.audit.neighbors import random_pairs
from tacit.audit.recording import record
from tacit.audit.replay import Key, key_of

EPSILON = 1.0
"""Of the learners."""

LONGER = 16
"""Than a replay, in its minutes, at most: some hundred to some thousand draws end it sooner."""

_CASE = "everything private"


def by_mechanism(learners: set[str] | None = None) -> Iterator[tuple[Key, Replayable]]:
    """Yield of each mechanism the release of the largest share, and the learner and settings that make it."""
    best: dict[str, tuple[float, Key, Replayable]] = {}
    for one in every_case(epsilon=EPSILON):
        if one.case != _CASE or (learners is not None and one.learner not in learners):
            continue
        given, _ = next(random_pairs(CASES[_CASE])).inputs()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lines = [pending.line for pending in record(one.make, given, 0, None).pending]
        for line in lines:
            if line.mechanism not in best or line.loss > best[line.mechanism][0]:
                best[line.mechanism] = line.loss, key_of(line), one
    yield from ((key, one) for _, (_, key, one) in sorted(best.items()))


def subject(release: Key, one: Replayable) -> str:
    """Return the name of the finding."""
    return f"{one.name}, drawn by {release[1]}"


def redrawn(release: Key, one: Replayable, minutes: float, seed: int) -> Finding:
    """Return what draws of this release show."""
    auditor = Auditor(one.claim, CASES[one.case], seed=seed, minutes=LONGER * minutes)
    return auditor.redraw(partial(one.make), subject=subject(release, one), releases=[release])

"""What is audited: every learner and its settings, in each case of private columns and label, replayed in parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from benchmarks.audits.every_case import CASES, Replayable, every_case
from tacit.audit import Auditor, Finding

Keep = Callable[[Sequence[Finding]], None]


def cases(learners: set[str] | None = None) -> Iterator[Replayable]:
    """Yield all cases, learner by learner."""
    for one in every_case():
        if learners is None or one.learner in learners:
            yield one


def audited(one: Replayable, minutes: float, seed: int, done: Sequence[Finding], keep: Keep) -> Finding:
    """Return what a replay finds, going on from the parts that are done."""
    auditor = Auditor(one.claim, CASES[one.case], seed=seed, minutes=minutes)
    return auditor.replay(partial(one.make), subject=one.name, done=done, keep=keep)

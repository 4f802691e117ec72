"""One fit with drawn or forced answers, and whatever can be seen of it from outside."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from copy import deepcopy
from dataclasses import dataclass, field, replace
from io import StringIO
from typing import Any, Protocol, cast

import numpy as np

from tacit.audit.mutants import Mutant
from tacit.errors import ParameterError, TableError, TacitError
from tacit.mechanisms import SimulatedNoise, public_generator
from tacit.models.document import canonical
from tacit.models.writing import publishable
from tacit.privacy import PendingRelease, ProgressEvent, Replayable, interposing, progress


class Fits(Protocol):
    """What can be replayed: an unfitted object that releases through an accountant."""

    def fit(self, X: Any, y: Any) -> Any:
        """Train on rows X and labels y, and return what may be published."""
        ...


@dataclass
class FitRecord:
    """One fit: what it released, and all that it left behind."""

    pending: list[PendingRelease] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    impossible: bool = False
    """Whether a forced answer was none that the release could have: another shape, or no candidate."""
    refused: bool = False
    total: bool = False


def record(
    make: Callable[[], Fits],
    given: tuple[Any, Any],
    seed: int,
    mutant: Mutant | None,
    answers: Sequence[Any] | None = None,
) -> FitRecord:
    """Fit with drawn answers, or with those given, keeping whatever can be seen from outside."""
    fit = FitRecord()
    # Not the fit's own noise: secret draws that are no releases (a number of runs, an order of rows) come from that,
    # and must be the same whether answers are drawn or given.
    noise = SimulatedNoise(public_generator(seed).spawn(1)[0])

    def answer(pending: PendingRelease) -> Any:
        at = len(fit.pending)
        pending = mutant(pending) if mutant else pending
        fit.pending.append(pending)
        if answers is not None and at < len(answers) and _is_possible(pending, answers[at]):
            fit.answers.append(answers[at])
        else:
            fit.impossible |= answers is not None
            fit.answers.append(replace(pending, noise=noise).draw())
        # A copy, as learners may change what they got.
        return deepcopy(fit.answers[-1])

    subject = _seeded(make(), seed)
    fit.total = getattr(subject, "on_invalid", "raise") == "coerce"
    with _watching(fit.left), interposing(answer):
        try:
            fitted = subject.fit(*given)
        except ParameterError:
            raise  # of the settings, not of the rows: there would be nothing to compare
        except TacitError as error:
            fit.left["error"] = f"{type(error).__name__}: {error}"
            fit.refused = isinstance(error, TableError)
            return fit
    fit.left["model"] = _published(fitted)
    return fit


def _is_possible(pending: PendingRelease, answer: Any) -> bool:
    """Return whether a release may have this answer; a density of another shape or candidate fails or says no."""
    try:
        return cast(Replayable[Any, Any], pending.mechanism).log_density(pending.statistic, answer) > -np.inf
    except (IndexError, TypeError, ValueError):
        return False


def _seeded(subject: Fits, seed: int) -> Fits:
    """Return it with the seed, where it has a random state to set."""
    for part in (subject, getattr(subject, "private", None)):
        if hasattr(part, "random_state"):
            part.random_state = seed  # type: ignore[union-attr]
    return subject


def _published(fitted: Any) -> str:
    """Return all that a fitted object shows, as text."""
    model = getattr(fitted, "model_", None)
    shown = [] if model is None else [canonical(publishable(model, allow=model.guarantee.status))]
    return "\n".join([*shown, str(getattr(fitted, "privacy_", "")), repr(fitted), *sorted(map(str, vars(fitted)))])


@contextmanager
def _watching(left: dict[str, str]) -> Iterator[None]:
    """Keep what is warned, printed, logged and told of the progress."""
    printed, logged = StringIO(), StringIO()
    handler, root = logging.StreamHandler(logged), logging.getLogger()
    level, events = root.level, list[ProgressEvent]()
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        with warnings.catch_warnings(record=True) as warned, redirect_stdout(printed), redirect_stderr(printed):
            warnings.simplefilter("always")
            with progress(events.append):
                yield
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    left["warnings"] = "\n".join(f"{each.category.__name__}: {each.message}" for each in warned)
    left["printed text"], left["log"] = printed.getvalue(), logged.getvalue()
    left["progress"] = "\n".join(map(str, events))


def differences(one: FitRecord, other: FitRecord) -> tuple[str, ...]:
    """Name what differs, without values."""
    found = ["what a release may answer"] if other.impossible else []
    if len(one.pending) != len(other.pending):
        found.append("the number of releases")
    for mine, its in zip(one.pending, other.pending, strict=False):
        if mine.line != its.line or mine.mechanism != its.mechanism:
            found.append(f"the sensitivity, scale or name of {mine.line.query!r}")
            break
    kinds = sorted({*one.left, *other.left})
    return (*found, *(f"the {kind}" for kind in kinds if one.left.get(kind) != other.left.get(kind)))

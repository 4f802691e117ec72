"""One draw through a mechanism, and the ledger line that describes it."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from tacit.errors import PrivacyError, TacitError
from tacit.privacy.ledger import LedgerLine
from tacit.privacy.loss import ApproximateDP
from tacit.privacy.mechanism import Mechanism
from tacit.privacy.noise_source import NoiseSource
from tacit.privacy.pots import Pots
from tacit.privacy.statistic import NumericStatistic, Statistic

StatisticT = TypeVar("StatisticT", bound=Statistic)
AnswerT = TypeVar("AnswerT")


def describe(
    mechanism: Mechanism[StatisticT, AnswerT], statistic: StatisticT, pots: Pots, noise: NoiseSource
) -> LedgerLine:
    """Return the ledger line of a release, from its public parts only."""
    loss = mechanism.loss(statistic)
    sensitivity, kind = mechanism.sensitivity(statistic)
    rho = pots.composition == "zcdp" and not isinstance(loss, ApproximateDP)
    return LedgerLine(
        query=_asked(statistic),
        mechanism=_law(mechanism.name, statistic),
        sensitivity=float(sensitivity),
        sensitivity_kind=kind,
        noise_scale=float(mechanism.noise_scale(statistic)),
        loss=pots.amount(loss),
        currency="rho" if rho else "epsilon",
        sampler=str(getattr(mechanism, "sampler", noise.sampler)),
        delta=loss.delta if isinstance(loss, ApproximateDP) else 0.0,
    )


def sample(mechanism: Mechanism[StatisticT, AnswerT], statistic: StatisticT, noise: NoiseSource) -> AnswerT:
    """Return the answer; a foreign exception is replaced, as it may hold the unreleased value.

    Raises
    ------
    PrivacyError
        If the sampler fails.
    """
    try:
        return mechanism.sample(statistic, noise)
    except TacitError:
        raise
    except Exception as error:  # noqa: BLE001 - replaced outside the handler, so that no context is kept
        failure = type(error).__name__
    raise PrivacyError(
        f"Expected the sampler of {mechanism.name!r} to answer, got failure={failure!r}. "
        "The budget stays spent; report this as a defect."
    )


def _asked(statistic: Statistic) -> str:
    """Return what was asked, and of which rows if not of all."""
    return statistic.query if statistic.unit.slice is None else f"{statistic.query} ({statistic.unit.slice})"


def _law(name: str, statistic: Statistic) -> str:
    """Return the mechanism's name, marked where integers get a discrete law, whose exact loss differs."""
    integers = isinstance(statistic, NumericStatistic) and statistic.unreleased_value.dtype == np.int64
    return f"discrete {name}" if integers else name

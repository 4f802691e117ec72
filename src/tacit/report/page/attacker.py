"""What an attacker gains from a model: in sentences, and drawn as false alarms against people found."""

from __future__ import annotations

from math import ceil, exp, floor

from tacit.privacy import Guarantee
from tacit.report.odds import certainty, detections, exception, odds_factor, right_guesses
from tacit.report.page.document import escaped, filled

_MAX_EPSILON = 700.0
"""Beyond, an odds factor is no float."""

_FALSE_ALARMS = 0.05

_ROUNDING = 1e-9

_SIDE = 160
"""Of the square in which the curve is drawn, in units of the picture."""


def gain_sentences(guarantee: Guarantee, prior: float | None = None) -> tuple[str, ...]:
    """Return what epsilon and delta let an attacker gain who knows everything else; none where nothing is promised.

    Bounds are rounded outward, so that "at most" is true of what is shown.

    Parameters
    ----------
    guarantee : Guarantee
    prior : float, optional
        How probable the attacker finds a guess before, between 0 and 1.
    """
    if not _promises(guarantee):
        return ()
    epsilon, delta = guarantee.epsilon, guarantee.delta
    unless = f", except with a probability of {exception(delta):.2g}" if delta else ""
    factor = odds_factor(epsilon, delta)
    wider = ", 1.1 times exp(epsilon) for the delta" if delta else ""
    found = [f"Any guess: its odds change by a factor of at most {factor:,.3g}{wider}, up or down{unless}."]
    if prior is not None:
        low, high = prior / (prior + (1 - prior) * factor), certainty(prior, epsilon, delta)
        found.append(
            f"Stated prior: a guess that seemed {100 * prior:g}\N{NO-BREAK SPACE}% probable seems at least {_low(low)} "
            f"and at most {_high(high)} probable afterwards{unless}."
        )
    found += [
        f"Even odds: the best attacker who finds two answers equally probable is right with a probability of at most "
        f"{_high(right_guesses(epsilon, delta))}, in place of 50 %.",
        f"A small chance: what seemed 1 % probable seems at most {_high(certainty(0.01, epsilon, delta))} "
        f"probable, and what seemed 10 %, at most {_high(certainty(0.1, epsilon, delta))}{unless}.",
        f"A test that raises a false alarm for 5 % of people finds at most {_high(_found(guarantee))} of those it "
        "looks for.",
    ]
    return tuple(found)


def attacker_picture(guarantee: Guarantee, *, alone: bool = False) -> str:
    """Return the largest share of people that a test finds, by its share of false alarms, as SVG.

    The bound of any (epsilon, delta)-private release has the corners below (Kairouz, Oh, Viswanath 2015).

    Parameters
    ----------
    guarantee : Guarantee
        Empty where it promises nothing.
    alone : bool
        Whether it is a file of its own, whose page may be dark or light, and not a part of one of our pages.
    """
    if not _promises(guarantee):
        return ""
    corners = trade_off_corners(guarantee.epsilon, guarantee.delta)
    x, y = _place(_FALSE_ALARMS, _found(guarantee))
    said = (
        f"Hypothesis test: at 5 % false alarms at most {_high(_found(guarantee))} of people are found. "
        "The diagonal is guessing."
    )
    return filled(
        "attacker.svg",
        attributes='xmlns="http://www.w3.org/2000/svg" ' if alone else "",
        ground='<rect width="230" height="210" fill="#ffffff"/>' if alone else "",
        said=escaped(said),
        bound=" ".join(",".join(_place(*corner)) for corner in corners),
        x=x,
        y=y,
    )


def trade_off_corners(epsilon: float, delta: float) -> tuple[tuple[float, float], ...]:
    """Return shares of false alarms and largest shares found, between which the bound of tests is straight.

    Examples
    --------
    >>> trade_off_corners(0.0, 0.0)
    ((0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (1.0, 1.0))
    """
    equal = (1.0 - delta) * exp(-epsilon) / (1.0 + exp(-epsilon))
    return (0.0, delta), (equal, 1.0 - equal), (1.0 - delta, 1.0), (1.0, 1.0)


def _promises(guarantee: Guarantee) -> bool:
    return guarantee.status in ("private", "simulated") and guarantee.epsilon <= _MAX_EPSILON


def _found(guarantee: Guarantee) -> float:
    return detections(guarantee.epsilon, guarantee.delta, _FALSE_ALARMS)


def _place(false_alarms: float, found: float) -> tuple[str, str]:
    return f"{50 + _SIDE * false_alarms:.2f}", f"{10 + _SIDE * (1 - found):.2f}"


def _high(share: float) -> str:
    # No break before the sign, which a narrow cell would put on a line of its own; and no step up for rounding alone.
    return f"{min(ceil(1000 * share - _ROUNDING) / 10, 100.0):.1f}\N{NO-BREAK SPACE}%"


def _low(share: float) -> str:
    return f"{max(floor(1000 * share + _ROUNDING) / 10, 0.0):.1f}\N{NO-BREAK SPACE}%"

"""Advice in words."""

from __future__ import annotations

from tacit.study.advice.advice import Advice, Forecast, Precedent

_SIZES = ((0.01, "hardly anything"), (0.03, "little"), (0.08, "a good deal"))
_MOST = "much"

_SEVEN_OF_TEN, _THREE_OF_TEN = 0.7, 0.3

_PRIVACY = {
    "all-private": "everything private",
    "public-label": "label public",
    "partly-private": "label and some columns public",
}

NO_ROW_WAS_READ = """\
No row was read: this costs no privacy. A choice made by it is covered by the certificate of a later fit, as long as the
schema, the number of rows and epsilon were not chosen by looking at the rows."""


def points(loss: float) -> str:
    """Return a part of the accuracy in points.

    Examples
    --------
    >>> points(0.0312), points(-0.004), points(0.00003)
    ('3.1', '-0.4', '0.0')
    """
    return f"{round(100 * loss, 1) + 0.0:.1f}"


def expected_loss(forecast: Forecast) -> str:
    """Return what accuracy the fit is expected to lose, and what that means."""
    size = next((word for most, word in _SIZES if forecast.loss < most), _MOST)
    return (
        f"Expected loss: {points(forecast.loss)} points of accuracy against the best without privacy, "
        f"{interval(forecast)} in 4 of 5 cases: {size}."
    )


def interval(forecast: Forecast) -> str:
    """Return the interval in points."""
    if forecast.high <= 0.0005:
        return "none"
    low = points(forecast.low) if forecast.low > 0.0005 else "0"
    return f"{low} to {points(forecast.high)}"


def usefulness(forecast: Forecast) -> str:
    """Return whether the model will tell anything."""
    tenths = round(10 * forecast.useful)
    seen = f"better than always answering the commonest class in {tenths} of 10 like settings"
    if forecast.useful >= _SEVEN_OF_TEN:
        return f"It was {seen}."
    if forecast.useful >= _THREE_OF_TEN:
        return f"It may not learn anything: it was {seen}."
    return f"Do not expect it to learn anything: it was {seen}. More rows or a larger epsilon are needed."


def confidence(advice: Advice) -> list[str]:
    """Return how sure the advice is: on how many tables it rests, and where it is beyond what was tried."""
    tables = max(round(advice.sources), 1)
    basis = f"This rests on about {tables} public tables. The most like yours, and what happened there:"
    if advice.inside:
        return [basis]
    listed = "; ".join(map(str, advice.outside)) or f"nothing was tried with a like {advice.unlike}"
    return [f"OUTSIDE WHAT WAS TRIED: {listed}. Take the numbers as a guess.", basis]


def privacy(precedent: Precedent) -> str:
    """Return what was protected there."""
    return _PRIVACY.get(precedent.privacy, precedent.privacy)

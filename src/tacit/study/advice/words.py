"""Advice in words."""

from __future__ import annotations

from tacit.study.advice.advice import Advice, Forecast, Precedent

_SIZES = ((0.01, "hardly anything"), (0.03, "little"), (0.08, "a good deal"))
_MOST = "a lot"

_MOSTLY, _SOMETIMES = 8, 4

_PROTECTED = {"all-private": "all", "public-label": "all but label", "partly-private": "part"}

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
        f"{interval(forecast)} in 4 of 5 cases. That is {size}."
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
    seen = f"was better than always answering the commonest class in {tenths} of 10 like settings"
    if tenths >= _MOSTLY:
        return f"It {seen}, where there was anything to learn."
    if tenths >= _SOMETIMES:
        return f"It may learn nothing: where there was anything to learn, it {seen}."
    return f"Do not expect it to learn anything: it {seen}. It takes more rows or a larger epsilon."


def warning(advice: Advice) -> str | None:
    """Return what is beyond what was tried, if anything is."""
    if advice.inside:
        return None
    listed = "; ".join(map(str, advice.outside)) or f"nothing was tried with a like {advice.unlike}"
    return f"OUTSIDE WHAT WAS TRIED: {listed}. Take the numbers below as a guess."


def basis(advice: Advice) -> str:
    """Return on how many tables the advice rests."""
    number = max(round(advice.sources), 1)
    tables = "one public table" if number == 1 else f"about {number} public tables"
    lost = f"what {advice.advised.learner} lost there"
    return f"This rests on {tables}. Those most like yours, how much each counts, and {lost}:"


def protected(precedent: Precedent) -> str:
    """Return what was protected there."""
    return _PROTECTED.get(precedent.privacy, precedent.privacy)

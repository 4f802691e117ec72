"""Certificate: a guarantee as text, in words for data owners."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import exp
from textwrap import fill
from typing import TYPE_CHECKING

from tacit.privacy.release import ReleaseRecord

if TYPE_CHECKING:
    from tacit.privacy.guarantee import Guarantee

_WIDTH = 100


def certificate(guarantee: Guarantee) -> str:
    """Return the certificate as text, one point a paragraph."""
    parts = _HEADS[guarantee.status](guarantee)
    parts += [
        _point("Rows", f"{guarantee.n_rows:,}; this number is public."),
        _point("Noise", guarantee.noise + "."),
        _releases(guarantee.releases),
        _list("Computed exactly, from public cells", guarantee.exact),
        _list("Taken for granted", guarantee.assumptions),
    ]
    return "\n".join(part for part in parts if part)


def _private(guarantee: Guarantee) -> list[str]:
    return ["CERTIFICATE OF DIFFERENTIAL PRIVACY", *_promise(guarantee)]


def _simulated(guarantee: Guarantee) -> list[str]:
    return [
        "NOT PRIVATE: SIMULATED NOISE",
        _point("Why", "anyone who knows the seed can subtract the noise. Fit with random_state=None to publish."),
        "The same fit with secure noise would promise:",
        *_promise(guarantee),
    ]


def _void(guarantee: Guarantee) -> list[str]:
    protected = ", ".join(guarantee.protects) or "nothing"
    return [
        "NO PRIVACY GUARANTEE",
        _list("Why", guarantee.reasons),
        _point("Meant to be protected", f"{protected}. Nothing is promised about it."),
    ]


def _public(guarantee: Guarantee) -> list[str]:
    return [
        "NOTHING TO PROTECT",
        _point("Why", "the schema declares every column and the label public, so nothing was paid and no noise added."),
    ]


def _promise(guarantee: Guarantee) -> list[str]:
    return [
        _point("Who is protected", "every person whose data are in one row of the table."),
        _point("What is protected", ", ".join(guarantee.protects) + ". All other cells count as public."),
        _point("Against whom", "anyone who sees the model, even if they know all other rows and all public cells."),
        _point("What an attacker gains", _gain(guarantee)),
        _point("Privacy budget", _budget(guarantee)),
    ]


def _gain(guarantee: Guarantee) -> str:
    factor = f"exp({guarantee.epsilon:g}) = {_factor(guarantee.epsilon)}"
    if guarantee.delta == 0:
        return (
            "between any two guesses at a person's protected cells, what was released moves the odds by a "
            f"factor of at most {factor}."
        )
    return (
        f"anything that was released is at most {factor} times as likely, plus a probability of "
        f"{guarantee.delta:g}, as if the person's protected cells had been any others."
    )


def _factor(epsilon: float) -> str:
    if epsilon > 20:
        return "a number so large that it means little"
    # Shown to three digits, but never below the truth.
    factor, step = exp(epsilon), 10.0 ** (len(str(int(exp(epsilon)))) - 3)
    shown = -(-factor // step) * step
    return f"{shown:.2f}" if step < 1 else f"{shown:,.0f}"


def _budget(guarantee: Guarantee) -> str:
    figure = f"epsilon {guarantee.epsilon:g}, delta {guarantee.delta:g}, replacing one row"
    if guarantee.composition == "pure":
        return figure + "; losses of the releases add up."
    return figure + f"; composed as rho {guarantee.rho:.6g} of zero-concentrated differential privacy."


def _releases(lines: tuple[ReleaseRecord, ...]) -> str:
    words = [f"{count} x {text}" for text, count in Counter(map(_line, lines)).items()]
    return _list("Released with noise", words)


def _line(line: ReleaseRecord) -> str:
    failure = f" and delta {line.delta:g}" if line.delta else ""
    return (
        f"{line.query}: {line.mechanism}, noise scale {line.noise_scale:.4g} for {line.sensitivity_kind} "
        f"sensitivity {line.sensitivity:.4g}, {line.currency} {line.loss:.4g}{failure} ({line.sampler})"
    )


def _list(title: str, points: Iterable[str]) -> str:
    text = [
        fill(point, _WIDTH, initial_indent="  - ", subsequent_indent="    ", break_on_hyphens=False) for point in points
    ]
    return "\n".join([f"{title}:", *text]) if text else ""


def _point(title: str, text: str) -> str:
    return fill(f"{title}: {text}", _WIDTH, subsequent_indent="  ", break_on_hyphens=False)


_HEADS = {"private": _private, "simulated": _simulated, "void": _void, "public": _public}

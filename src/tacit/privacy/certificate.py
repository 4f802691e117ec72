"""Certificate: a guarantee in plain words, one point a paragraph."""

from __future__ import annotations

from collections.abc import Iterable
from math import exp
from textwrap import fill
from typing import TYPE_CHECKING

from tacit.privacy.assumptions import protects_weight, said_exactly, said_plainly
from tacit.privacy.limit import Limit, slice_words
from tacit.privacy.release_words import release_lines

if TYPE_CHECKING:
    from tacit.privacy.guarantee import Guarantee
    from tacit.privacy.release import ReleaseRecord
    from tacit.privacy.unit import Persons

_WIDTH = 80
"""Columns of the narrowest terminals."""


def certificate(guarantee: Guarantee, *, releases: bool = True) -> str:
    """Return the certificate as text, one point a paragraph; without the list of releases, their number."""
    parts = _HEADS[guarantee.status](guarantee)
    parts += [
        _point(guarantee.counted.capitalize(), _counted(guarantee)),
        _point("Noise", guarantee.noise + "."),
        *([_point("Charged", f"{guarantee.charge}.")] if guarantee.charge else []),
        _releases("Released, with noise", guarantee.releases, listed=releases),
        *([_learned(guarantee.learned, listed=releases)] if guarantee.learned else []),
        _list("Merged, by the beginning of each part's digest", guarantee.part_lines),
        _exact(guarantee.exact),
        _list("Assumptions", said_plainly(guarantee.assumptions)),
    ]
    return "\n".join(part for part in parts if part)


def _counted(guarantee: Guarantee) -> str:
    labeled = " with labeled rows" if guarantee.counted == "persons" else " with a label"
    return f"{guarantee.n_rows:,}{labeled if guarantee.labeled_public else ''}; this number is public."


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
        _point("Who is protected", _who(guarantee.persons)),
        _point("What is protected", f"{_cells(guarantee)}. {_rest(guarantee)}"),
        _point("Against whom", f"anyone who sees the model, even if they know all {_others(guarantee)}."),
        _point("What an attacker gains", _gain(guarantee)),
        _point("Privacy budget", _budget(guarantee)),
    ]


def _cells(guarantee: Guarantee) -> str:
    names = guarantee.columns
    columns = [f"the column{'s' * (len(names) > 1)} {', '.join(names)}"] if names else []
    weighed = protects_weight(guarantee.assumptions)
    return "; and ".join([*columns, *["the label"] * guarantee.label, *["the row's weight"] * weighed])


def _who(persons: Persons | None) -> str:
    if persons is None:
        return "every person whose data are in one row of the table."
    return f"every person with all rows of that person: {persons}."


def _rest(guarantee: Guarantee) -> str:
    rest, persons = "All other cells are public, and not protected", guarantee.persons
    if not guarantee.labeled_public:
        return f"{rest}."
    rest = "All other cells are public"
    by_person = persons is not None and persons.identifier is not None and not persons.same_rows
    return f"{rest}, and so is {'which persons have rows with' if by_person else 'which rows have'} a label."


def _others(guarantee: Guarantee) -> str:
    return (
        "other rows and all public cells" if guarantee.persons is None else "other persons' rows and all public cells"
    )


def _gain(guarantee: Guarantee) -> str:
    factor = f"exp({guarantee.epsilon:g}) = {_factor(guarantee.epsilon)}"
    if guarantee.delta == 0:
        return (
            "between any two guesses at a person's protected cells, what was released moves the odds by a "
            f"factor of at most {factor}."
        )
    return (
        f"other values of a person's protected cells would make any result at most {factor} times as likely, plus a "
        f"probability of {guarantee.delta:g}. For comparison, one over the number of "
        f"{guarantee.counted} is {1 / guarantee.n_rows:.3g}."
    )


def _factor(epsilon: float) -> str:
    if epsilon > 20:
        return "a number so large that it means little"
    # Shown to three digits, but never below the truth.
    factor, step = exp(epsilon), 10.0 ** (len(str(int(exp(epsilon)))) - 3)
    shown = -(-factor // step) * step
    return f"{shown:.2f}" if step < 1 else f"{shown:,.0f}"


def _budget(guarantee: Guarantee) -> str:
    replaced = "one row" if guarantee.persons is None else "all rows of one person"
    figure = f"epsilon {guarantee.epsilon:g}, delta {guarantee.delta:g}, replacing {replaced}"
    if guarantee.how_combined:
        return f"{figure}. {guarantee.how_combined}"
    if guarantee.runs is not None:
        one = "losses add up to half of it" if guarantee.rho is None else f"within rho {guarantee.rho:.6g}"
        return f"{figure}. It covers the best of {guarantee.runs.mean:.3g} runs on average, each {one}."
    if guarantee.learned is not None:
        own = guarantee.of_fit
        figure += f", of which epsilon {own.epsilon:g}, delta {own.delta:g} are this fit's"
    if len(guarantee.limits) > 1:
        of_each = "; ".join(f"in {slice_words(limit.slice)}, to at most {_loss(limit)}" for limit in guarantee.limits)
        return f"{figure}. Losses add up within each slice of the rows: {of_each}."
    if guarantee.composition == "pure":
        return f"{figure}. The losses of the releases add up."
    figure += f". Composition: rho {guarantee.rho:.6g} of zero-concentrated differential privacy."
    if guarantee.gaussian is None:
        return figure
    return f"{figure} Of it, {guarantee.gaussian:.6g} is for Gaussian noise that comes last, by its exact distribution."


def _loss(limit: Limit) -> str:
    if limit.composition == "pure":
        return f"epsilon {limit.loss:.6g}"
    return f"rho {limit.loss:.6g} of zero-concentrated differential privacy"


def _releases(title: str, records: tuple[ReleaseRecord, ...], *, listed: bool) -> str:
    lines = release_lines(records)
    if listed or not lines:
        return _list(f"{title}, as a multiple of what one person can change at most", lines)
    kinds = f"{len(lines)} kind{'s' * (len(lines) > 1)}"
    return _point(title, f"{len(records):,} answer{'s' * (len(records) > 1)} of {kinds}; --releases lists them.")


def _learned(learned: Guarantee, *, listed: bool) -> str:
    """Return what the schema cost, which the budget above includes."""
    cost = f"learned from {learned.n_rows:,} {learned.counted}; the budget above includes its cost"
    return "\n".join(
        [
            _point("Schema", f"{cost}. That is {_budget(learned)}"),
            *([_point("Charged for the schema", f"{learned.charge}.")] if learned.charge else []),
            _releases("Released for the schema, with noise", learned.releases, listed=listed),
        ]
    )


def _exact(exact: tuple[str, ...]) -> str:
    title = "Computed exactly, from public cells"
    said = said_exactly(exact)
    return _point(title, f"{said[0][:1].lower()}{said[0][1:]}") if len(said) == 1 else _list(title, said)


def _list(title: str, points: Iterable[str]) -> str:
    text = _points(points)
    return "\n".join([f"{title}:", *text]) if text else ""


def _points(points: Iterable[str]) -> list[str]:
    return [_filled(point, "  - ", "    ") for point in points]


def _point(title: str, text: str) -> str:
    return _filled(f"{title}: {text}", "", "  ")


def _filled(text: str, first: str, following: str) -> str:
    # Words are kept whole: breaking one takes time that is quadratic in its length, which a file may choose.
    return fill(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=following,
        break_long_words=False,
        break_on_hyphens=False,
    )


_HEADS = {"private": _private, "simulated": _simulated, "void": _void, "public": _public}

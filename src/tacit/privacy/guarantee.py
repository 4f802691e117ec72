"""Guarantee: what one fit protects, at what cost and under which assumptions, and its certificate in plain words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import exp
from textwrap import fill
from typing import ClassVar, Literal, get_args

from tacit.errors import ParameterError
from tacit.notebook import as_lines
from tacit.privacy.assumptions import after_fits
from tacit.privacy.charge import Charge
from tacit.privacy.conversions import basic_composition
from tacit.privacy.loss import Share
from tacit.privacy.parameters import counting, failure_probability, nonnegative
from tacit.privacy.plan import Composition
from tacit.privacy.random_runs import RandomRuns
from tacit.privacy.release import ReleaseRecord
from tacit.privacy.unit import Persons

Status = Literal["private", "public", "simulated", "void"]


@dataclass(frozen=True)
class Guarantee:
    """A frozen record of what one fit protects; ``str`` of it is a certificate in plain words.

    Parameters
    ----------
    status : {"private", "public", "simulated", "void"}
        Whether it holds; nothing to protect; noise that can be repeated; or why not, in ``reasons``.
    columns : tuple of str
        Protected columns.
    label : bool
        Whether the label is protected.
    n_rows : int
        Public; of a table whose identifier names persons, their number and not that of rows.
    epsilon, delta : float
        What all releases cost together, replace-one.
    composition : {"pure", "zcdp"}
    rho : float or None
        What releases with a share cost together under zcdp composition.
    releases : tuple of ReleaseRecord
    noise : str
        Where the noise came from.
    assumptions, exact, reasons : tuple of str
        What is taken for granted; what was computed without noise from public cells; why it is void.
    persons : Persons, optional
        What of several rows is one person's, who is protected with all of them.
    charge : Charge, optional
        Where a ledger has the charge of this fit.
    runs : RandomRuns, optional
        The law of the secret number of runs of which this is the best, where there are several: releases are those of
        the best, and together within what one run may cost; epsilon and delta cover all runs.
    learned : Guarantee, optional
        Of the schema, where it was learned from rows: its cost is part of epsilon and delta.
    gaussian : float, optional
        Of rho, what Gaussian releases cost after which no others come, where epsilon follows from their exact law.
    labeled_public : bool
        Whether rows without a label were left out, as which rows have one is public.

    Raises
    ------
    ParameterError
        If it contradicts itself: a private one with reasons against it, a void one without.

    Notes
    -----
    Privacy: holds public values only. ``pydantic.TypeAdapter(Guarantee)`` writes it as JSON and reads it.

    Examples
    --------
    >>> Guarantee("public", (), False, 100, 0.0, 0.0, "pure", None, (), "none", (), (), ()).status
    'public'
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    status: Status
    columns: tuple[str, ...]
    label: bool
    n_rows: int
    epsilon: float
    delta: float
    composition: Composition
    rho: float | None
    releases: tuple[ReleaseRecord, ...]
    noise: str
    assumptions: tuple[str, ...]
    exact: tuple[str, ...]
    reasons: tuple[str, ...]
    persons: Persons | None = None
    charge: Charge | None = None
    runs: RandomRuns | None = None
    learned: Guarantee | None = None
    gaussian: float | None = None
    labeled_public: bool = False
    # Neither an argument nor with a default, so that pydantic leaves it out of files.
    announced: tuple[tuple[Share, ...], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "announced", ())
        nonnegative("epsilon", self.epsilon)
        failure_probability("delta", self.delta)
        counting("n_rows", self.n_rows)
        # A record that was edited by hand, or read from a file, must not say two things at once.
        if self.status not in get_args(Status) or (self.status == "void") != bool(self.reasons):
            raise ParameterError(
                f"Expected reasons for a void status and for no other, got status={self.status!r}. "
                "Take it from an accountant."
            )
        if (self.status == "public" and self.protects) or (self.status == "private" and not self.protects):
            raise ParameterError(
                f"Expected a public status for a unit that protects nothing, got status={self.status!r}. "
                "Take it from an accountant."
            )

    @property
    def protects(self) -> tuple[str, ...]:
        """What is protected, in words."""
        columns = tuple(f"column {name!r}" for name in self.columns)
        return (*columns, "the label") if self.label else columns

    @property
    def counted(self) -> str:
        """What ``n_rows`` counts: "rows", or "persons" where an identifier names them."""
        return "persons" if self.persons is not None and self.persons.identifier is not None else "rows"

    @property
    def of_fit(self) -> Guarantee:
        """The part without what learning the schema cost; itself where nothing was learned."""
        if self.learned is None:
            return self
        epsilon, delta = (
            float(Fraction(whole) - Fraction(part))
            for whole, part in ((self.epsilon, self.learned.epsilon), (self.delta, self.learned.delta))
        )
        return replace(self, epsilon=epsilon, delta=delta, learned=None).announcing(self.announced)

    def announcing(self, shares: tuple[tuple[Share, ...], ...]) -> Guarantee:
        """Return it with what all releases that the fit announced may cost, for each slice of the rows."""
        found = replace(self)
        object.__setattr__(found, "announced", shares)
        return found

    def with_learned(self, learned: Guarantee) -> Guarantee:
        """Return the certificate of this fit under a schema that was learned at the cost of another.

        Privacy: both releases together are within the sums of both epsilons and deltas, be the rows the same or not:
        basic composition. Where the schema's noise can be repeated, or hides fewer rows of a person than the fit must,
        or other persons, the certificate is void.
        """
        if self.status == "public":
            return self
        reasons = self.reasons
        if learned.status != "private" and self.status == "private":
            reasons = (*reasons, "The schema was learned without a private certificate.")
        if not _covers(learned.persons, self.persons):
            reasons = (*reasons, "The schema was learned for other persons, or for such with fewer rows.")
        epsilon, delta = basic_composition([(self.epsilon, self.delta), (learned.epsilon, learned.delta)])
        status: Status = "void" if reasons else self.status
        both = replace(self, status=status, epsilon=epsilon, delta=delta, reasons=reasons, learned=learned)
        return both.announcing(self.announced)

    def after_fits(self, count: int) -> Guarantee:
        """Return it for a model that is saved after so many other fits of its columns, which may have chosen it."""
        found = replace(self, assumptions=after_fits(self.assumptions, count))
        return found.announcing(self.announced)

    def tightened(self) -> Guarantee:
        """Return it with a lower epsilon at the same delta where numeric composition finds one, or itself.

        Needs the extra ``tight``. Finds one where a fit with a delta announced several releases, all of pure losses or
        all of Gaussian noise on numbers that are no integers. A certificate from a file does not know what was
        announced.

        Raises
        ------
        MissingExtra
            If the extra is not installed.

        Notes
        -----
        Privacy: follows from what was announced before rows were read, made or not, so that no answer moves it. Proof:
        ``proofs/privacy/composition.md``.
        """
        from tacit.privacy.tight import tightened

        own = tightened(self.of_fit)
        return own if self.learned is None else own.with_learned(self.learned)

    def __str__(self) -> str:
        return certificate(self)

    def _repr_html_(self) -> str:
        return as_lines(certificate(self))


def _covers(mine: Persons | None, its: Persons | None) -> bool:
    """Return whether tables that differ in a person of another unit are neighbors of this one."""
    if mine is not None and mine.identifier is not None:
        # A row that changes its identifier is of two persons.
        return its is not None and its.identifier == mine.identifier
    if its is None:
        return True
    return its.identifier is None and its.most_rows <= (1 if mine is None else mine.most_rows)


_WIDTH = 100


def certificate(guarantee: Guarantee) -> str:
    """Return the certificate as text, one point a paragraph."""
    parts = _HEADS[guarantee.status](guarantee)
    parts += [
        _point(guarantee.counted.capitalize(), _counted(guarantee)),
        _point("Noise", guarantee.noise + "."),
        *([_point("Charged", f"{guarantee.charge}.")] if guarantee.charge else []),
        _releases("Released with noise", guarantee.releases),
        *([_learned(guarantee.learned)] if guarantee.learned else []),
        _list("Computed exactly, from public cells", guarantee.exact),
        _list("Taken for granted", guarantee.assumptions),
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
        _point("What is protected", ", ".join(guarantee.protects) + f". {_rest(guarantee)}"),
        _point("Against whom", f"anyone who sees the model, even if they know all {_others(guarantee)}."),
        _point("What an attacker gains", _gain(guarantee)),
        _point("Privacy budget", _budget(guarantee)),
    ]


def _who(persons: Persons | None) -> str:
    if persons is None:
        return "every person whose data are in one row of the table."
    return f"every person with all rows of that person: {persons}."


def _rest(guarantee: Guarantee) -> str:
    rest, persons = "All other cells count as public", guarantee.persons
    if not guarantee.labeled_public:
        return f"{rest}."
    by_person = persons is not None and persons.identifier is not None and not persons.same_rows
    return f"{rest}, and so does {'which persons have rows with' if by_person else 'which rows have'} a label."


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
        f"anything that was released is at most {factor} times as likely, plus a probability of {guarantee.delta:g} "
        f"(one over the number of {guarantee.counted} is {1 / guarantee.n_rows:.3g}), as if the person's protected "
        "cells had been any others."
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
    if guarantee.runs is not None:
        one = "losses add up to half of it" if guarantee.rho is None else f"within rho {guarantee.rho:.6g}"
        return f"{figure}; for the best of {guarantee.runs.mean:.3g} runs on average, each {one}."
    if guarantee.learned is not None:
        own = guarantee.of_fit
        figure += f", of which epsilon {own.epsilon:g}, delta {own.delta:g} are this fit's"
    if guarantee.composition == "pure":
        return figure + "; losses of the releases add up."
    figure += f"; composed as rho {guarantee.rho:.6g} of zero-concentrated differential privacy"
    if guarantee.gaussian is None:
        return figure + "."
    return figure + f", of which {guarantee.gaussian:.6g} are for Gaussian noise that comes last, by its exact law."


def _releases(title: str, lines: tuple[ReleaseRecord, ...]) -> str:
    words = [f"{count} x {text}" for text, count in Counter(map(_line, lines)).items()]
    return _list(title, words)


def _learned(learned: Guarantee) -> str:
    """Return what the schema cost, which the budget above includes."""
    cost = f"learned from {learned.n_rows:,} {learned.counted} at {_budget(learned)}"
    return "\n".join(
        [
            _point("Schema", f"{cost[:-1]}, which the budget above includes."),
            *([_point("Charged for the schema", f"{learned.charge}.")] if learned.charge else []),
            _releases("Released with noise for the schema", learned.releases),
        ]
    )


def _line(line: ReleaseRecord) -> str:
    failure = f" and delta {line.delta:g}" if line.delta else ""
    return (
        f"{line.query}: {line.mechanism}, noise scale {line.noise_scale:.4g} for {line.sensitivity_kind} "
        f"sensitivity {line.sensitivity:.4g}, {line.currency} {line.loss:.4g}{failure} ({line.sampler})"
    )


def _list(title: str, points: Iterable[str]) -> str:
    text = [_filled(point, "  - ", "    ") for point in points]
    return "\n".join([f"{title}:", *text]) if text else ""


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

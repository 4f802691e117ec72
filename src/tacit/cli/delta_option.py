"""The option --delta of fits, and what their delta means, in words."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tacit.errors import ParameterError, shown

DeltaOrAuto = Annotated[
    str | None,
    typer.Option(
        "--delta",
        metavar="NUMBER|auto",
        help="Failure probability: 0, well below 1/n_rows, or auto (by the number of rows; default of learner auto).",
        show_default=False,
    ),
]


def read_delta(text: str | None, default: Any) -> Any:
    """Return the number that --delta says, or ``"auto"``; where it is left out the default."""
    from tacit.estimators.requirements import COMMON

    if text is None:
        return default
    try:
        given = text if text == "auto" else float(text)
    except ValueError:
        raise ParameterError(
            f"Expected a number or auto, got delta={shown(text)}. Give 0, auto, or one far below 1/rows such as 1e-6."
        ) from None
    return COMMON["delta"].check("delta", given)


def delta_line(guarantee: Any, schema: Any) -> str:
    """Return what a delta that a rule chose is, and what past studies say that pure epsilon would lose."""
    of_fit, counted = guarantee.of_fit, guarantee.counted
    if not of_fit.delta:
        return "Delta is 0, as the schema or the ledger's account has it: pure epsilon."
    smaller = f"{1 / (of_fit.delta * guarantee.n_rows):.3g}"
    line = f"Delta {of_fit.delta:g} is {smaller} times smaller than one over the number of {counted}, by a rule."
    more = _lost_without(schema, guarantee.n_rows, of_fit)
    if more is None:
        return line
    score, unit = ("R2", f"{more:.2f}") if schema.target else ("accuracy", f"{100 * more:.1f} percentage points")
    lost = f"about {unit} lower" if float(unit.split()[0]) > 0 else "no lower"
    return f"{line} In past studies on other tables, {score} with --delta 0 was {lost}."


def _lost_without(schema: Any, n_rows: int, of_fit: Any) -> float | None:
    """Return how much more accuracy or R2 is lost without a delta; None where no past study is like it."""
    from tacit.study.advice import Query, advise

    losses = []
    for delta in (of_fit.delta, 0.0):
        advice = advise(Query.of(schema, rows=n_rows, epsilon=of_fit.epsilon, delta=delta), measures=())
        if not advice.covered:
            return None
        losses.append(advice.advised.loss)
    return losses[1] - losses[0]

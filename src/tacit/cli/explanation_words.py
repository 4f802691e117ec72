"""What a model says beyond its noise, as lines of a terminal: importances of columns, and findings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.models.cells import signed, size

if TYPE_CHECKING:
    import polars as pl

_BAR = 12
"""Characters of the most important: beside a name, lines still fit a terminal."""

UNKNOWN_NOISE = "The noise in these effects is unknown; do not interpret single effects."
NO_EFFECT = "No effect is distinguishable from the noise."


def explanation_lines(model: Any, top: int | None) -> Iterator[str]:
    """Yield what the model says of each class: at most so many columns and findings, or all.

    Parameters
    ----------
    model : tacit.models.Model
    top : int or None
    """
    importances, of_rows = model.importances(), model.explanation.of == "probability"
    frames = model.explain(), model.explanation.listed(), importances
    for towards in importances["class"].unique(maintain_order=True).sort():
        effects, listed, columns = (frame.filter(frame["class"] == towards) for frame in frames)
        yield ""
        if columns["low"].is_null().all():
            yield f"{towards}: {UNKNOWN_NOISE}" if importances["class"].n_unique() > 1 else UNKNOWN_NOISE
            continue
        if not len(listed) and top is not None:
            yield f"{towards}: {NO_EFFECT}" if importances["class"].n_unique() > 1 else NO_EFFECT
            continue
        what = f"predicted probability of {towards}" if of_rows else f"{score_words(model)} of {towards}"
        yield f"Feature importance for the {what}: {_spread(model.explanation)}"
        yield from first([*_importance_lines(columns)], top)
        means = (
            "mean probability of {} in the cell, less that of all rows"
            if of_rows
            else f"added to the {score_words(model)} of {{}}"
        )
        yield from _finding_lines(effects, listed, means.format(towards), top)
        if of_rows and len(listed):
            yield "  The rows' own classes differ the same way. Correlated columns show the same difference."
        elif of_rows:
            yield "  A finding needs a difference both in the predictions and in the rows' own classes."
    if model.caution:
        yield model.caution


def score_words(model: Any) -> str:
    """Return what the model's scores are: log-odds of two classes where its learner has them."""
    from tacit.models.rescaled import has_log_odds

    if model.schema.target:
        return "prediction"
    return "log-odds" if len(model.classes) == 2 and all(map(has_log_odds, model.scorers)) else "score"


def _spread(explanation: Any) -> str:
    """Return what the importances are, and what their intervals cover."""
    return (
        f"standard deviation of a column's effects over {explanation.averaged_over}, "
        "with a 95 % interval for the noise; sorted by its lower end"
    )


def _importance_lines(columns: pl.DataFrame) -> Iterator[str]:
    largest = max(float(columns["importance"].max() or 0.0), 1e-300)  # type: ignore[arg-type]
    for row in columns.filter("has_findings").iter_rows(named=True):
        bar = "#" * max(1, round(_BAR * row["importance"] / largest))
        yield f"  {bar:<{_BAR}}  {row['column']}: {size(row['importance'])} ({size(row['low'])} to {size(row['high'])})"
    rest = int((~columns["has_findings"]).sum())
    if rest:
        yield f"  {'':<{_BAR}}  {rest} column{'s' * (rest > 1)}: indistinguishable from the noise"


def _finding_lines(effects: pl.DataFrame, listed: pl.DataFrame, means: str, top: int | None) -> Iterator[str]:
    if len(listed):
        order = "by size beyond it and by rows"
        yield f"Effects distinguishable from the noise, {order}: {means}, ± the noise's standard deviation"
        yield from first([_finding(row) for row in listed.iter_rows(named=True)], top)
    rest = int((effects["verdict"] != "finding").sum())
    if rest:
        yield f"  {rest} of {len(effects)} effects are indistinguishable from the noise, and not listed."


def _finding(row: dict[str, Any]) -> str:
    share = f", {100 * row['share']:.2g} % of rows" if row["share_released"] else ""
    known = f" ± {size(row['deviation'])}" if row["deviation"] else ""
    return f"  {signed(row['effect'])}{known}  {row['column']}: {row['cell']}{share}"


def first(lines: list[str], top: int | None) -> Iterator[str]:
    """Yield the first lines, and how many others --all shows; all of them where ``top`` is None."""
    yield from lines[:top]
    if top is not None and len(lines) > top:
        yield f"  and {len(lines) - top} more; --all shows them."

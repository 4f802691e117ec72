"""What a model says beyond its noise, as lines of a terminal: importances of columns, and findings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

_BAR = 12
"""Characters of the most important: beside a name, lines still fit a terminal."""


def explanation_lines(model: Any, top: int) -> Iterator[str]:
    """Yield what the model says of each class: at most so many columns, and so many findings.

    Parameters
    ----------
    model : tacit.models.Model
    top : int
    """
    importances, of_rows = model.importances(), model.explanation.of == "probability"
    over = model.explanation.averaged_over
    frames = model.explain(), model.explanation.listed(), importances
    for towards in importances["class"].unique(maintain_order=True).sort():
        effects, listed, columns = (frame.filter(frame["class"] == towards) for frame in frames)
        if columns["low"].is_null().all():
            yield from (
                "",
                "How large the noise in what it says is, is not known: do not take single lines for findings.",
            )
            continue
        what = (
            f"How the predicted probability of {towards} differs" if of_rows else f"What moves the score of {towards}"
        )
        yield from ("", f"{what}: standard deviation over {over}, and 95 % for its noise")
        yield from _first([*_importance_lines(columns)], top)
        adds = "mean probability of {} for these rows less that of all" if of_rows else "added to the score of {}"
        yield from _finding_lines(effects, listed, adds.format(towards), top)
        if of_rows and columns["has_findings"].any():
            yield "  The rows' own classes differ the same way; columns that go together show the same difference."
        elif of_rows:
            yield "  To be listed, what is predicted and the rows' own classes must both differ, the same way."
    if model.caution:
        yield model.caution


def _importance_lines(columns: pl.DataFrame) -> Iterator[str]:
    largest = max(float(columns["importance"].max() or 0.0), 1e-300)  # type: ignore[arg-type]
    for row in columns.filter("has_findings").iter_rows(named=True):
        bar = "#" * max(1, round(_BAR * row["importance"] / largest))
        yield f"  {bar:<{_BAR}}  {row['column']}: {row['importance']:.2g} ({row['low']:.2g} to {row['high']:.2g})"
    rest = int((~columns["has_findings"]).sum())
    if rest:
        yield f"  {'':<{_BAR}}  {rest} column{'s' * (rest > 1)}: indistinguishable from noise"


def _finding_lines(effects: pl.DataFrame, listed: pl.DataFrame, adds: str, top: int) -> Iterator[str]:
    if len(listed):
        yield f"What is beyond the noise: {adds}, ± standard deviation of the noise"
        yield from _first([_finding(row) for row in listed.iter_rows(named=True)], top)
    rest = int((effects["verdict"] != "finding").sum())
    if rest:
        yield f"  {rest} of {len(effects)} effects are indistinguishable from noise, and not listed."


def _finding(row: dict[str, Any]) -> str:
    share = f", {100 * row['share']:.2g} % of rows" if row["share_released"] else ""
    known = f" ± {row['deviation']:.2g}" if row["deviation"] else ""
    return f"  {row['effect']:+.2f}{known}  {row['column']}: {row['cell']}{share}"


def _first(lines: list[str], top: int) -> Iterator[str]:
    yield from lines[:top]
    if len(lines) > top:
        yield f"  and {len(lines) - top} more; --top shows them."

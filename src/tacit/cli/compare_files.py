"""What `tacit compare` leaves in its folder."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import polars as pl

from tacit.cli.console import Terminal
from tacit.errors import MissingExtra
from tacit.models import write_atomically

if TYPE_CHECKING:
    from tacit.cli.compare_folder import StudyFolder
    from tacit.cli.compare_source import Source
    from tacit.study.study import Study

_INCHES = (7.6, 4.6)


def write_results(
    frame: pl.DataFrame, study: Study, source: Source, folder: StudyFolder, terminal: Terminal
) -> list[str]:
    """Return the names of the files, the page first; without the extra `report` there is no picture."""
    write_atomically(folder.file("results.csv"), frame.write_csv())
    parquet = BytesIO()
    frame.write_parquet(parquet)
    write_atomically(folder.file("results.parquet"), parquet.getvalue())
    _write_page(frame, study, source, folder)
    pictures: list[str] = []
    try:
        pictures = _write_pictures(frame, folder)
    except MissingExtra as error:
        terminal.note(f"Without a picture: {error}")
    return ["report.html", *pictures, "results.csv", "results.parquet", "store.sqlite", "spec.toml", *source.files]


def _write_page(frame: pl.DataFrame, study: Study, source: Source, folder: StudyFolder) -> None:
    from tacit.report.page import write_page

    names = ", ".join(frame["data"].unique(maintain_order=True))
    write_page(
        frame, folder.file("report.html"), title=f"Accuracy and privacy: {names}", spec=study, source=source.told
    )


def _write_pictures(frame: pl.DataFrame, folder: StudyFolder) -> list[str]:
    """Write one picture for each table and what is protected of it."""
    from tacit.report import PrivacyCurveDisplay
    from tacit.report.extra import drawing

    written = []
    for place, (data, privacy) in enumerate(frame.select("data", "privacy").unique(maintain_order=True).iter_rows()):
        name = "accuracy.png" if place == 0 else f"accuracy-{place + 1}.png"
        content = BytesIO()
        # Without pyplot, which keeps figures and may open windows.
        figure = drawing("matplotlib.figure").Figure(figsize=_INCHES, layout="constrained")
        PrivacyCurveDisplay.from_study(frame, data=data, privacy=privacy, ax=figure.add_subplot())
        figure.savefig(content, format="png", dpi=160, bbox_inches="tight", metadata={"Software": None})
        write_atomically(folder.file(name), content.getvalue())
        written.append(name)
    return written

"""The page of one picture: one file."""

from __future__ import annotations

import os
from pathlib import Path

from tacit.models import write_atomically
from tacit.report.layout import Figure
from tacit.report.page.document import CHARTS, document, escaped, filled, made, resource
from tacit.report.palette import ON_DARK


def write_picture(figure: Figure, path: str | os.PathLike[str], *, title: str, caption: str = "") -> None:
    """Write a page with one picture: one file that opens without a network and requests nothing; needs no extra.

    Parameters
    ----------
    figure : dict
        As `tacit.report.figures` describes it, or the ``description`` of a display.
    path : str or path
        A page that is there is replaced, at once and whole.
    title, caption : str
        What it shows, and how it was measured.
    """
    write_atomically(Path(path), picture_page(figure, title=title, caption=caption))


def picture_page(figure: Figure, *, title: str, caption: str = "") -> str:
    """Return the page of one picture, as HTML; see `write_picture`."""
    body = filled("picture.html", title=escaped(title), caption=escaped(caption), made=escaped(made()))
    scripts = [resource(CHARTS), "\n".join(resource(name) for name in ("drawing.js", "picture.js"))]
    return document(title=title, body=body, scripts=scripts, data={"figure": figure, "dark": ON_DARK})

"""Pictures of the gallery: what its scripts write with `write_picture`, on their pages and as thumbnails."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from tacit.report.layout import GRID, INK, ON_DARK, PAPER

matplotlib.use("Agg")

SCRIPTS = ("plotly-cartesian.min.js", "drawing.js", "gallery.js")
"""Of a gallery page, in this order: the first two are those of all our pages."""

_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
_MARKERS = {"circle": "o", "square": "s", "triangle-up": "^", "diamond": "D", "triangle-down": "v", "cross": "P"}
_SIZE = (4.0, 2.8)  # inches, the shape of sphinx-gallery's thumbnails


def scraped(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Return the pictures that a block of a script wrote, as reStructuredText, and remove their files."""
    folder = Path(block_vars["src_file"]).parent
    places = block_vars["image_path_iterator"]
    found = []
    for page in sorted(folder.glob("*.html"), key=lambda path: path.stat().st_mtime_ns):
        html = page.read_text(encoding="utf-8")
        page.unlink()
        figure = json.loads(_DATA.search(html)[1])["figure"]
        title = re.search(r"<title>(.*?)</title>", html)[1]
        place = Path(next(places))
        _thumbnail(figure, place)
        # The scripts of all our pages look for the colors on dark ground in an element of this name.
        first = place.stem.endswith("_001")
        colors = f'<script type="application/json" id="data">{_embedded({"dark": ON_DARK})}</script>' if first else ""
        drawn = f'<script type="application/json">{_embedded(figure)}</script>'
        found.append(f'{colors}<div class="picture" role="img" aria-label="{title}">{drawn}</div>')
    return "".join(f"\n.. raw:: html\n\n    {each}\n" for each in found)


def add_scripts(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Load what draws pictures on the pages that have any."""
    if "generated/gallery/plot_" in pagename:
        for name in SCRIPTS:
            app.add_js_file(name, loading_method="defer")


def _embedded(data: Any) -> str:
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _thumbnail(figure: dict[str, Any], path: Path) -> None:
    """Draw a description small, without words: lines, bands and bars are all that these pictures have."""
    picture = Figure(figsize=_SIZE, dpi=100, facecolor=PAPER, layout="constrained")
    axes = picture.subplots()
    for trace in figure["data"]:
        (_bars if trace["type"] == "bar" else _line)(axes, trace)
    for name, known in (("x", axes.xaxis), ("y", axes.yaxis)):
        asked = figure["layout"][f"{name}axis"]
        if asked.get("type") == "log":
            getattr(axes, f"set_{name}scale")("log")
        if asked.get("autorange") == "reversed" or asked.get("range", [0, 1])[0] > asked.get("range", [0, 1])[1]:
            getattr(axes, f"invert_{name}axis")()
        known.set_tick_params(labelbottom=False, labelleft=False, length=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["bottom", "left"]].set_color(INK)
    axes.grid(color=GRID)
    axes.set_axisbelow(True)
    picture.savefig(path)


def _line(axes: Any, trace: dict[str, Any]) -> None:
    if trace["mode"] == "text":
        return
    x, y = trace["x"], trace["y"]
    if trace.get("fill"):
        axes.fill(x, y, color=trace["fillcolor"], alpha=trace["opacity"], linewidth=0)
        return
    marker = _MARKERS.get(trace.get("marker", {}).get("symbol"), "o") if "markers" in trace["mode"] else ""
    axes.plot(x, y, color=trace["line"]["color"], marker=marker, linewidth=2.5)


def _bars(axes: Any, trace: dict[str, Any]) -> None:
    across = trace.get("orientation") == "h"
    names, sizes = (trace["y"], trace["x"]) if across else (trace["x"], trace["y"])
    shared = len([each for each in axes.containers if type(each).__name__ == "BarContainer"])
    places = [at + 0.4 * shared for at in range(len(names))]
    (axes.barh if across else axes.bar)(places, sizes, 0.4, color=trace["marker"]["color"])

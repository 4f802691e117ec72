"""Pictures of papers' figures."""

from __future__ import annotations

from itertools import combinations

from matplotlib.figure import Figure
from matplotlib.text import Text

from reproductions.framework import Artefact, Axis, Paper, compared
from reproductions.framework.draw import draw

LONG = "people of a census with a name as long as a line, simulated, of thirteen columns, in ten folds"


def box_of_title(ax):
    (title,) = (
        each for each in ax.get_children() if isinstance(each, Text) and each.get_text() == ax.get_title("left")
    )
    return title.get_window_extent()


def test_titles_of_figures_leave_room_for_the_key(monkeypatch):
    drawn, save = [], Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda figure, *to, **how: (drawn.append(figure), save(figure, *to, **how)))
    rows = [
        {"panel": panel, "series": series + LONG, "x": x, "ours": 0.8, "published": 0.7}
        for panel in (LONG, "bank", "credit")
        for series, xs in (("curve, ", (0.1, 1.0)), ("level, ", (None,)))
        for x in xs
    ]
    for panels in (1, 3):
        own = [row for row in rows if row["panel"] in (LONG, "bank", "credit")[:panels]]
        draw(ARTEFACT, compared(own))
        figure = drawn.pop()
        (legend,) = figure.legends
        boxes = [each.get_window_extent() for each in (*figure.texts, legend)] + [*map(box_of_title, figure.axes)]
        assert len(boxes) == 2 + panels
        assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
        assert all(figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1 for box in boxes)


ARTEFACT = Artefact(
    name="someone2020-figure1",
    title="Figure 1: " + LONG,
    paper=Paper("someone2020", "Someone: A paper. 2020."),
    setting="",
    differences=(),
    hours=0.1,
    quick="",
    axis=Axis("epsilon", "accuracy", "curve", log=True),
    tasks=lambda quick: [],
    compare=lambda rows: rows,
)

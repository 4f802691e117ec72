"""The page of a paper's figure in a headless Chromium."""

from __future__ import annotations

import pytest

from report.browser import browser
from report.test_report_page import HOSTILE
from reproductions.framework import Artefact, Axis, Paper, compared
from reproductions.framework.draw import draw
from reproductions.framework.html_page import artefact_page

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def running():
    with browser() as found:
        yield found


def test_an_artefact_has_a_page_of_the_same_look(running, tmp_path):
    rows = [{"panel": "adult", "series": HOSTILE, "x": x, "ours": x, "published": 0.5} for x in (0.1, 1.0)]
    artefact = Artefact(
        name="someone2020-figure1",
        title=HOSTILE,
        paper=Paper("someone2020", "Someone: A paper. 2020."),
        setting="All of it.",
        differences=("The noise is less.",),
        hours=0.1,
        quick="1 of 10 runs",
        axis=Axis("epsilon", "accuracy", "curve", log=True),
        tasks=lambda quick: [],
        compare=lambda rows: rows,
    )
    path = tmp_path / "artefact.html"
    shown, picture = compared(rows), draw(artefact, compared(rows))
    page = artefact_page(artefact, shown, extent=artefact.quick, picture=picture)
    path.write_text(page, encoding="utf-8", newline="\n")
    with running.new_context(**PHONE) as context:
        page = context.new_page()
        complaints, requests = [], []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate("document.querySelector('img').naturalWidth") > 500
        assert "1 of 10 runs" in page.inner_text("main")
        assert "-0.4" in page.inner_text("table")
        assert complaints == []
        assert [each for each in requests if not each.startswith("data:")] == [path.as_uri()]

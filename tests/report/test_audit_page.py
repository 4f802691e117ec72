"""The page of an audit: what it says, in HTML that runs nothing of what it quotes; and in a browser."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from math import inf

import pytest

from report.browser import browser, opened
from tacit.audit import AuditReport, Claim, Control, Finding, ReleaseLoss
from tacit.report import audit_figures
from tacit.report.page.audit_page import audit_page, write_audit_page

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&$x$"
RELEASES = tuple(
    ReleaseLoss(name, "Laplace", share=0.25, currency="epsilon", largest=0.25 * reached, pairs=90, reason=reason)
    for name, reached, reason in (
        ("counts", 1.0, ""),
        (HOSTILE, 0.95, ""),
        ("quantile of age", 0.72, "weights move by less than their bound"),
        ("counts", 0.25, ""),
    )
)
CONTROLS = (Control("half the noise", 1.9, True, True), Control("exact mechanism", 0.99, False, False))
HELD = Finding(
    "naive-bayes, all private", Claim(1.0), "replay", 0.98, 1.0, 5000, 7, 1.9, RELEASES, (), CONTROLS,
    ("running time", HOSTILE), {"tacit": "0.2", "python": "3.11"}, "2026-01-02T03:04:05+00:00", 12.5, "ab" * 32,
)  # fmt: skip
REFUTED = replace(
    HELD,
    subject=HOSTILE,
    bound=inf,
    differences=("the model",),
    releases=(*RELEASES, replace(RELEASES[0], largest=0.5)),
)
WEAK = replace(HELD, subject="svm", half_noise=None, releases=(), controls=(), not_seen=())


class Texts(HTMLParser):
    """Visible texts by element, and every tag."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.shown, self._inside = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._inside.append(tag)

    def handle_endtag(self, tag):
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data):
        if not self._inside:
            self.shown.append(data)


@pytest.fixture(scope="module")
def page():
    return audit_page(AuditReport((HELD, REFUTED, WEAK)), title=f"Audit of {HOSTILE}")


def test_it_says_what_was_found_and_never_that_it_passed(page):
    said = " ".join(Texts(page).shown)
    for words in (
        "Not refuted, this audit would have seen half the noise (epsilon 1.9).", "Refuted: the model.",
        "Too weak to say: half the noise was not tried.", "No audit shows that a guarantee holds",
        "epsilon 0.98, exact, from 5,000 pairs of neighbors replayed", "would have shown epsilon 1.9", "seed 7",
        "weights move by less than their bound", "no reason proved", "more than its share", "ab" * 32, "tacit 0.2",
        "2026-01-02T03:04:05+00:00", "running time", "1 refuted · 1 not refuted · 1 too weak to say",
    ):  # fmt: skip
        assert words in said, words
    assert not re.search(r"\bpass(ed|es)?\b", said, re.IGNORECASE)


def test_what_it_quotes_runs_nothing(page):
    tags = Texts(page).tags
    assert [tag for tag, _ in tags].count("script") == 3  # the data, plotly.js, and our own
    assert not any(tag == "img" or any(name.startswith("on") for name in attributes) for tag, attributes in tags)
    assert "default-src 'none'" in page
    assert " ".join(Texts(page).shown).count(HOSTILE) >= 5
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_pictures_have_a_place_and_numbers(page):
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1])
    assert set(data["figures"]) == {"bounds-0", "shares-0", "bounds-1", "shares-1", "bounds-2"}
    for name in data["figures"]:
        assert f'id="{name}"' in page


def test_bars_are_losses_over_shares():
    figure = audit_figures.shares(REFUTED.releases)
    [trace] = figure["data"]
    assert trace["x"] == pytest.approx([2.0, 0.25, 0.72, 0.95, 1.0])  # above its share first, then the lowest
    assert [shape["x0"] for shape in figure["layout"]["shapes"]] == [1.0, 0.9]
    assert "<script>" not in "".join(trace["text"]) and "&lt;script" in "".join(trace["text"])
    many = audit_figures.shares(RELEASES * 30)
    assert len(many["data"][0]["x"]) == audit_figures.MAX_BARS


def test_bounds_stand_beside_the_claim():
    figure = audit_figures.bounds(HELD)
    assert figure["data"][0]["x"] == [0.98, 1.9, 0.99]
    assert figure["layout"]["shapes"][0]["x0"] == 1.0
    assert figure["layout"]["xaxis"]["range"][1] > 1.9
    assert audit_figures.bounds(REFUTED)["data"][0]["x"] == [1.9, 0.99]  # infinity has no bar


@pytest.mark.browser
def test_in_a_browser(tmp_path):
    path = tmp_path / "audit.html"
    write_audit_page(AuditReport((HELD, REFUTED, WEAK)), path, title="Three audits")
    with browser() as running:
        for width in (1280, 390):
            with opened(running, path, viewport={"width": width, "height": 800}) as watched:
                assert watched.complaints == []
                assert watched.requests == [path.as_uri()]
                for name, bars in (("bounds-0", 3), ("shares-0", 4), ("shares-1", 5), ("bounds-2", 1)):
                    assert watched.page.locator(f"#{name} .bars .point").count() == bars
                # Wide tables scroll by themselves: the page does not.
                assert watched.page.evaluate("document.documentElement.scrollWidth") == width

"""A review's page in a headless Chromium: opened, steered by keys alone, and saved."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager

from report.browser import opened
from tacit.report.page.review_page import write_schema_review
from tacit.schema import Schema
from tacit.schema.drafted import entries_of


@contextmanager
def opened_reviews(running, folder):
    """Give a function that opens the page of a schema; pages are closed with the block."""
    with ExitStack() as pages:
        places = iter(range(100))

        def open_page(schema, reasons=None, **context):
            path = folder / f"review{next(places)}.html"
            write_schema_review(entries_of(schema, reasons), path, schema=schema)
            watched = pages.enter_context(opened(running, path, **context))
            watched.path = path
            return watched

        yield open_page


def is_quiet(watched):
    return watched.complaints == [] and watched.requests == [watched.path.as_uri()]


def press(watched, *keys):
    for key in keys:
        watched.page.keyboard.press(key)


def focused(watched):
    return watched.page.evaluate("document.activeElement.closest('.entry')?.querySelector('h3').textContent")


def go_to(watched, name):
    """Move the focus to a column's entry, or that of several which it is the first of, by keys alone."""
    if watched.page.evaluate("document.activeElement.matches('input, textarea, select, button')"):
        watched.page.focus("article")  # keys would be typed, or press it
    if focused(watched) is None:
        watched.page.evaluate("document.activeElement.blur()")
        press(watched, "Tab", "Enter", "Tab")  # the link that skips to the entries, and the first thing in them
    shown = watched.page.evaluate("[...document.querySelectorAll('.entry h3')].map((each) => each.textContent)")
    place = next(at for at, heading in enumerate(shown) if heading == name or heading.startswith(f"{name}, "))
    steps = place - shown.index(focused(watched))
    press(watched, *(["j"] * steps or ["k"] * -steps))
    assert focused(watched) == shown[place]


def saved(watched):
    with watched.page.expect_download() as download:
        press(watched, "d")
    assert download.value.suggested_filename == "schema.toml"
    return Schema.from_toml(download.value.path())


def fill(watched, **values):
    """Type into the boxes of the form that is open, reached by Tab."""
    for name, text in values.items():
        for _ in range(60):
            if watched.page.evaluate("document.activeElement.name") == name:
                break
            press(watched, "Shift+Tab" if name == "kind" else "Tab")
        press(watched, "Control+a", "Delete")
        watched.page.keyboard.type(text)

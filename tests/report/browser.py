"""A headless Chromium that is on the machine, driven by playwright; nothing is downloaded."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
# As root and without a screen; and no requests of the browser's own.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def executable():
    """Return the path of a Chromium, or skip the test."""
    named = os.environ.get("TACIT_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(f"needs a browser: none of {', '.join(NAMES)} is on the path, and TACIT_CHROMIUM names none")
    return found


@contextmanager
def browser():
    """Run a Chromium for as long as the block lasts."""
    from playwright.sync_api import sync_playwright

    path = executable()
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield running
        finally:
            running.close()


def wait_until_complete(page):
    """Wait for the last chart; asked from outside, as the page's policy forbids to evaluate texts."""
    for _ in range(1200):
        if page.evaluate("performance.getEntriesByName('complete').length") > 0:
            return
        page.wait_for_timeout(50)
    raise AssertionError("the page did not finish drawing within a minute")


@dataclass
class Watched:
    """A page, and everything that it asked for or complained of."""

    page: object
    requests: list = field(default_factory=list)
    complaints: list = field(default_factory=list)
    busy: float = 0.0

    def text(self, selector):
        return self.page.inner_text(selector)


@contextmanager
def opened(running, path, **context):
    """Open a file, let no other request through, and wait until it is drawn."""
    with running.new_context(**context) as made:
        watched = Watched(made.new_page())
        page = watched.page

        def decide(route):
            watched.requests.append(route.request.url)
            route.continue_() if route.request.url == path.as_uri() else route.abort()

        made.route("**/*", decide)
        page.on("console", lambda message: watched.complaints.append(message.text))
        page.on("pageerror", lambda error: watched.complaints.append(str(error)))
        page.on("dialog", lambda dialog: (watched.complaints.append("a script ran"), dialog.dismiss()))
        session = made.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        page.goto(path.as_uri())
        wait_until_complete(page)
        measured = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
        watched.busy = measured["TaskDuration"]
        yield watched

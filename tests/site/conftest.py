"""Tests of the built site: make docs-test."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build/site"


class Page(HTMLParser):
    """The places of a page that links lead to, and its links."""

    def __init__(self, path: Path):
        super().__init__()
        self.path, self.places, self.links = path, set(), set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.places.add(value)
            if name in ("href", "src") and value:
                self.links.add(value)

    def targets(self):
        """Yield each link within the site as a path and a place on it."""
        for link in self.links:
            parts = urlsplit(link)
            if not parts.scheme and not parts.netloc:
                path = (self.path.parent / unquote(parts.path)).resolve() if parts.path else self.path
                yield link, path, unquote(parts.fragment)


@pytest.fixture(scope="session")
def site() -> dict[Path, Page]:
    """Return the built pages by path, or skip."""
    if not (SITE / "index.html").is_file():
        pytest.skip("needs the site in build/site: make docs")
    return {path: Page(path) for path in sorted(SITE.rglob("*.html")) if "_static" not in path.parts}

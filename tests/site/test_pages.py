"""Links within the built site lead to a page and to a place on it, and every public name has a page."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import pytest

import tacit

from .conftest import ROOT, SITE

pytestmark = pytest.mark.site


def test_links_within_the_site_lead_to_a_place(site):
    lost = [
        f"{path.relative_to(SITE)}: {link}"
        for path, page in site.items()
        for link, target, place in page.targets()
        if not target.exists() or (place and target in site and place not in site[target].places)
    ]
    assert lost == []


def test_nothing_is_loaded_from_elsewhere(site):
    for path in site:
        text = path.read_text(encoding="utf-8")
        assert 'src="http' not in text, path
        assert 'rel="stylesheet" href="http' not in text, path
    assert len(site) > 300


@pytest.mark.parametrize("room", ["tacit", *(f"tacit.{each.name}" for each in pkgutil.iter_modules(tacit.__path__))])
def test_every_public_name_has_a_page(site, room):
    for name in getattr(import_module(room), "__all__", []):
        where = "tacit" if name in tacit.__all__ else room
        page = SITE / f"docs/generated/reference/{where}.{name}.html"
        assert page in site
        assert f"{where}.{name}" in site[page].places


@pytest.mark.parametrize("script", sorted((ROOT / "docs/gallery").glob("*.py")), ids=lambda path: path.stem)
def test_every_script_of_the_gallery_shows_its_pictures(site, script):
    page = SITE / f"docs/generated/gallery/{script.stem}.html"
    assert page in site
    text = page.read_text(encoding="utf-8")
    assert text.count('class="picture"') == script.read_text(encoding="utf-8").count("write_picture(")
    assert all((SITE / "_static" / name).is_file() and name in text for name in ("drawing.js", "gallery.js"))

"""How the site is built (`make docs`): its pages are the Markdown files of the repository, where they are."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "docs")]

import pictures

import tacit


def public_names(module):
    """Return what a module lists as its own, or, without such a list, what it defines."""
    defined = [name for name, thing in vars(module).items() if getattr(thing, "__module__", None) == module.__name__]
    return [name for name in getattr(module, "__all__", defined) if not name.startswith("_")]


project = "Tacit"
author = "the authors of Tacit"
version = release = tacit.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
# The source directory is the repository, so that links from docs/ to proofs/ lead there on a code host and here.
root_doc = "docs/index"
include_patterns = [
    "*.md",
    "docs/**",
    "proofs/**",
    "reproductions/README.md",
    "reproductions/salamatian2021/README.md",
    "src/tacit/datasets/tables/README.md",
]
exclude_patterns = ["build", "**/.*", "docs/templates", "docs/gallery", "docs/generated/gallery/*.py"]
templates_path = [str(ROOT / "docs/templates")]
html_additional_pages = {"index": "to_start.html"}

myst_heading_anchors = 4  # as code hosts give them
myst_enable_extensions = ["colon_fence", "deflist"]

autosummary_generate = True
ROOMS = re.findall(r"^   (tacit[\w.]*)$", (ROOT / "docs/reference/index.md").read_text(encoding="utf-8"), re.MULTILINE)
autosummary_context = {"public": {room: public_names(import_module(room)) for room in ROOMS}}
autodoc_typehints = "none"  # numpydoc's parameters have them in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "docs/gallery"),
    "gallery_dirs": str(ROOT / "docs/generated/gallery"),
    "image_scrapers": ("pictures.scraped",),
    "capture_repr": (),
    "abort_on_example_error": True,
    "within_subsection_order": "FileNameSortKey",
    "notebook_extensions": set(),
    "download_all_examples": False,
    "write_computation_times": False,
    "show_signature": False,
    "min_reported_time": 1_000_000,  # a page says nothing of the machine that made it
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
html_title = f"Tacit {release}"
PAGES = ROOT / "src/tacit/report/page"
html_static_path = ["static", str(PAGES / "plotly/plotly-cartesian.min.js"), str(PAGES / "drawing.js")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "use_edit_page_button": False,
}
html_sidebars = {"docs/index": [], "docs/start": []}
copyright = "the authors of Tacit, Apache-2.0"
nitpicky = False


def setup(app):
    """Connect what this project needs of Sphinx beyond its options."""
    for listener in list(app.events.listeners["autodoc-process-signature"]):
        app.disconnect(
            listener.id
        )  # numpydoc looks for signatures in docstrings, fails on type aliases, and ours have none
    app.connect("autodoc-skip-member", foreign)
    app.connect("autodoc-process-docstring", escape_bars)
    app.connect("html-page-context", pictures.add_scripts)


def foreign(app, what, name, thing, skip, options):
    """Leave out what classes inherit from other libraries, such as scikit-learn's routing of metadata."""
    home = getattr(thing, "__module__", None) or getattr(getattr(thing, "fget", None), "__module__", None)
    return True if home and not home.startswith("tacit") else None


def escape_bars(app, what, name, thing, options, lines):
    """Let |x| in a docstring be a norm: reStructuredText would look for a substitution of that name."""
    for number, line in enumerate(lines):
        if "``" not in line and not line.lstrip().startswith((">>>", "...")):
            lines[number] = line.replace("|", r"\|")

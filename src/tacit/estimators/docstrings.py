"""What the docstring of an estimator takes from those of its base classes, so that ``help`` shows every parameter."""

from __future__ import annotations

import re
from collections.abc import Iterable
from inspect import cleandoc

INHERITED = ("Parameters", "Attributes")
"""Sections whose entries subclasses share, in numpydoc's order."""

EXAMPLE = """\
>>> import numpy as np
>>> from tacit import {name}, Label, Numeric, Schema
>>> schema = Schema([Numeric(name, -1, 1) for name in "abc"], label=Label("y", [0, 1]))
>>> X = np.random.default_rng(0).uniform(-1, 1, (5000, 3))
>>> y = (X.sum(axis=1) > 0).astype(int)
>>> model = {name}(schema, epsilon=1.0).fit(X, y)
>>> model.privacy_.status, bool(model.score(X, y) > 0.8)
('private', True)"""
"""Of a classifier whose own docstring has none."""


def with_inherited_entries(doc: str, bases: Iterable[str], example: str = "") -> str:
    """Return a numpydoc docstring whose parameters and attributes begin with those of its bases.

    An entry of the docstring's own replaces an inherited one of that name, and its own example this one. Sections have
    no empty line inside.
    """
    summary, own = _sections(doc)
    if example:
        own.setdefault("Examples", example)
    sections = [_sections(base)[1] for base in bases]
    merged: dict[str, str] = {}
    for heading in INHERITED:
        entries: dict[str, str] = {}
        for section in (*sections, own):
            entries |= _entries(section.get(heading, ""))
        if entries:
            merged[heading] = "\n".join(entries.values())
    others = {heading: text for heading, text in own.items() if heading not in INHERITED}
    parts = [f"{heading}\n{'-' * len(heading)}\n{text}" for heading, text in {**merged, **others}.items()]
    return "\n\n".join([summary, *parts]) + "\n"


def _sections(doc: str) -> tuple[str, dict[str, str]]:
    """Return what comes before the first section, and the text of each section by its heading."""
    summary, *rest = re.split(r"\n\n(?=[A-Z]\w+\n---)", cleandoc(doc))
    return summary, {heading: text for heading, _, text in (section.split("\n", 2) for section in rest)}


def _entries(section: str) -> dict[str, str]:
    """Return entries by their names: a line at the margin, and what is indented below it."""
    # Several names may share one description: "epsilon, delta : float".
    found = re.findall(r"^(\w[\w, ]*)( :.*(?:\n +.*)*)", section, re.MULTILINE)
    return {name: name + rest for name, rest in found}

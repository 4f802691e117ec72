"""Altered model files with right digests: what a file of ours could be turned into by somebody who knows its format."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

from tacit.errors import ModelFileError
from tacit.models.document import MAX_CONTAINERS, MAX_VALUES, canonical, digest

Path = tuple[Any, ...]

NUMBERS = (
    *(0, 1, -1, 2, 3, 255, 256, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 2**64, 10**19, 10**30, 10**400),
    *(0.0, -0.0, 0.5, 1e-300, 5e-324, -5e-324, 1e16, 1e100, 1e150, 1e299, 1e300, -1e300, 1e308, -1e308),
)
NAMES = (
    *("age", "gain", "sky", "yes", "private", "public", "simulated", "void", "log", "binned", "one-hot", "coerce"),
    *("marginal", "vote", "opaque", "tree", "literal-tree", "constant", "bins", "normal", "0.1.0", "1999-12-31"),
)
ODD_TEXTS = ("", " ", "1", "nan", "9999-99-99", "\0", "\n", "\x1b[2J", "\u202e", "年齢", "\ud800", "é" * 50, "a,b", '"')
TEXTS = (*NAMES, *ODD_TEXTS)
OTHERS: tuple[Any, ...] = (
    *(None, True, False, [], {}, [[]], [{}], [None], [1], ["x"], [1.0, 2.0], {"kind": "vote"}, {"": 0}),
)


def paths(value: Any, above: Path = ()) -> Iterator[Path]:
    """Yield where everything in a document is; of long lists a few elements stand for all."""
    yield above
    if isinstance(value, dict):
        for name in value:
            yield from paths(value[name], (*above, name))
    elif isinstance(value, list):
        for at in range(len(value)) if len(value) <= 6 else (0, 1, 2, len(value) // 2, len(value) - 1):
            yield from paths(value[at], (*above, at))


def at(value: Any, path: Path) -> Any:
    """Return what is at a path."""
    for step in path:
        value = value[step]
    return value


def altered(body: dict[str, Any], donor: dict[str, Any], draw: random.Random, *, largest: int) -> dict[str, Any]:
    """Return a model's content after one to three alterations, with parts of another model among them.

    Parameters
    ----------
    body, donor : dict
    draw : random.Random
    largest : int
        Elements that a list may be blown up to.
    """
    changed = copy.deepcopy(body)
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        try:
            places = list(paths(changed))[1:]
        except RecursionError:
            break
        if not places:
            break
        path = draw.choice(places)
        try:
            _alter(at(changed, path[:-1]), path[-1], donor, draw, largest)
        except RecursionError:  # what was nested before is too deep to be copied: it is deep enough
            break
    return changed


def signed(content: Any, draw: random.Random) -> str:
    """Return the file's text with a right digest; now and then with text that no writer of JSON makes."""
    try:
        mark = digest(canonical(content))
        text = json.dumps({"format": "tacit-model", "version": 2, "digest": mark, "model": content})
    except (ModelFileError, RecursionError):  # too deep for a digest
        return '{"format": "tacit-model", "version": 2, "digest": "sha256:0", "model": ' + "[" * draw.randint(10, 10**6)
    if draw.random() < 0.02:
        old = draw.choice((": 1", ": 0", ": true", ": null", '"name"', '"low"', "}, {", "]"))
        new = draw.choice(("NaN", "-Infinity", "1e999", "9" * 6000, "", ",", '"name": 1, "name"', "\\ud800", "\x00"))
        text = text.replace(old, new if old[0] != ":" else f": {new}", 1)
    return text


def _alter(parent: Any, key: Any, donor: Any, draw: random.Random, largest: int) -> None:
    """Change one entry of a list or an object in place."""
    value = parent[key]
    kind = draw.random()
    if kind < 0.30:
        parent[key] = _number(value, draw)
    elif kind < 0.42:
        parent[key] = draw.choice((*TEXTS, *OTHERS))
    elif kind < 0.52:
        parent[key] = copy.deepcopy(at(donor, draw.choice(list(paths(donor)))))
    elif kind < 0.62:
        del parent[key]
    elif kind < 0.72:
        _double(parent, key, draw)
    elif kind < 0.80 and isinstance(value, list):
        draw.shuffle(value)
        del value[draw.randint(0, len(value)) :]
    elif kind < 0.94:
        parent[key] = _blown_up(value, draw, largest)
    else:
        for _ in range(draw.choice((1, 2, 5, 50, 250, 400))):
            value = [value] if draw.random() < 0.5 else {str(key): value}
        parent[key] = value


def _number(value: Any, draw: random.Random) -> Any:
    if isinstance(value, list) and value and all(isinstance(each, int | float) for each in value):
        return [draw.choice(NUMBERS) if draw.random() < 0.5 else each for each in value]
    if isinstance(value, int | float) and not isinstance(value, bool) and draw.random() < 0.3:
        return value * draw.choice((-1, 0.5, 2, 1 + 2**-52, 1e10)) + draw.choice((0, 1, -1))
    return draw.choice(NUMBERS)


def _double(parent: Any, key: Any, draw: random.Random) -> None:
    if isinstance(parent, list):
        parent.insert(draw.randint(0, len(parent)), copy.deepcopy(parent[key]))
    else:
        parent[draw.choice((key + "2", *TEXTS))] = copy.deepcopy(parent[key])


def _blown_up(value: Any, draw: random.Random, largest: int) -> Any:
    """Return a long list or text, or an object of many names; rarely of the largest size that is read."""
    size = largest if draw.random() < 0.1 else draw.choice((10, 100, 1000))
    if isinstance(value, str) or draw.random() < 0.1:
        return "x" * (30 * size)
    element = draw.choice((1, 0.1, "a", None, [], {}, value[0] if isinstance(value, list) and value else value))
    nested = isinstance(element, list | dict)
    weight = max(1, len(json.dumps(element)) // 8)
    size = min(size, (MAX_CONTAINERS if nested else MAX_VALUES) // weight - 3000)
    if draw.random() < 0.15:
        return {f"{place}": element for place in range(max(size, 1))}
    if draw.random() < 0.3:
        return [f"{place}" if isinstance(element, str) else place for place in range(max(size, 1))]
    return [element] * max(size, 1)

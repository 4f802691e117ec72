"""How a room offers its names without importing its modules: each is imported when a name of it is first asked for.

The one mechanism of the package for that (PEP 562). A room's ``__init__`` has its names twice: in imports that only
type checkers follow, and in the table that it gives here; a test holds that both are what ``__all__`` lists. A room one
of whose modules is called as one of its names cannot use it: the module would take the name's place once it is
imported. Libraries that few functions need are imported in these functions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def on_demand(room: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a room.

    Parameters
    ----------
    room : str
        The package's ``__name__``.
    homes : mapping of str to str
        The names that each module below the package has, with spaces between; ``name=other`` for a name that the
        module has as ``other``.
    """
    places: dict[str, tuple[str, str]] = {}
    for module, held in homes.items():
        for name in held.split():
            public, _, own = name.partition("=")
            places[public] = (f"{room}.{module}", own or public)

    def load(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        module, own = places[name]
        value = getattr(import_module(module), own)
        setattr(sys.modules[room], name, value)  # so that it is asked for once
        return value

    def listed() -> list[str]:
        held = vars(sys.modules[room])
        # What a room is made with is none of its names.
        return sorted({name for name in held if name.startswith("__")} | {*places, *held.get("__all__", ())})

    return load, listed

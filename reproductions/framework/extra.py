"""The optional part that pictures need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tacit.errors import MissingExtra


def drawing(module: str) -> Any:
    """Return a module of matplotlib.

    Raises
    ------
    MissingExtra
        If it is not installed; the message names the extra.

    Examples
    --------
    >>> drawing("matplotlib.figure").Figure.__name__
    'Figure'
    """
    try:
        return import_module(module)
    except ImportError:
        message = "Expected matplotlib for a picture, got none. Install it: pip install matplotlib."
    raise MissingExtra(message)

"""A page as one file: a template, its style and its scripts, and a policy that lets nothing else in or out."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

CHARTS = "plotly/plotly-cartesian.min.js"


def document(*, title: str, body: str, scripts: Sequence[str] = (), data: Any = None) -> str:
    """Return a whole page.

    Parameters
    ----------
    title : str
        As text.
    body : str
        As HTML.
    scripts : sequence of str
        They run in this order; no other script on the page does, whatever stands in its texts.
    data : JSON value, optional
        For the scripts, in the element ``data``.

    Notes
    -----
    The policy names each script by its hash and forbids every request.
    """
    return filled(
        "document.html",
        title=escape(title),
        policy=_policy(scripts),
        style=resource("page.css"),
        body=body,
        data="" if data is None else f'<script type="application/json" id="data">{embedded(data)}</script>',
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    )


def filled(template: str, **parts: str) -> str:
    """Return a template with its parts, which are HTML."""
    return Template(resource(template)).substitute(parts)


def embedded(data: Any) -> str:
    r"""Return JSON that no parser of HTML takes for the end of its element.

    Examples
    --------
    >>> embedded({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def made() -> str:
    """Return what a page with charts says of its making."""
    from tacit import __version__

    return f"Made by tacit {__version__}. Charts: plotly.js (MIT license), part of this file. It makes no request."


@cache
def resource(name: str) -> str:
    """Return the content of a file of this package."""
    return files("tacit.report.page").joinpath(name).read_text(encoding="utf-8")


def _policy(scripts: Sequence[str]) -> str:
    hashes = " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts)
    allowed = hashes or "'none'"
    # plotly styles its charts at run time; without a source to load from, a style can do no harm.
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )

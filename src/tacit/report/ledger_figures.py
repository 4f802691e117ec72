"""The picture of a ledger, described once in plotly's terms: what each account has spent of its limit, day by day."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.ledger import UNIT, Balance, Line
from tacit.report.layout import INK, QUIET, Figure, Look, axis, layout, looks, plain

_ABOVE_LIMIT = 1.08
"""Of the height: room for the limit's name."""

_WORDS = {
    "account": "opened",
    "reserve": "charged",
    "give-back": "given back",
    "commit": "certificate",
    "uncovered": "results that no charge covers",
}


def timeline(balances: Sequence[Balance], lines: Sequence[Line]) -> Figure:
    """Describe the share of its limit that each account has spent, as steps over days; a marker for each line.

    Parameters
    ----------
    balances : sequence of Balance
    lines : sequence of Line
        Of their ledger.
    """
    drawn = looks([each.account.name for each in balances])
    traces = [_steps(each, lines, drawn[each.account.name]) for each in balances]
    days = sorted({line.day for line in lines})
    # A single day would have no width: a day of room at both ends.
    x = axis("day", type="date", tickformat="%Y-%m-%d", nticks=6, **({} if len(days) > 1 else _around(days)))
    y = axis("share of the limit that is spent", tickformat=".0%", range=[0, _ABOVE_LIMIT])
    figure: Figure = {"data": traces, "layout": layout(x, y, "", showlegend=len(traces) > 1)}
    line = {"color": INK, "width": 1.6, "dash": "solid"}
    figure["layout"]["shapes"] = [{"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 1, "y1": 1, "line": line}]
    name = {"xref": "paper", "x": 0, "y": 1, "text": "limit", "showarrow": False, "yanchor": "bottom"}
    figure["layout"]["annotations"] = [name | {"xanchor": "left", "font": {"size": 11, "color": QUIET}}]
    return figure


def _steps(balance: Balance, lines: Sequence[Line], look: Look) -> Figure:
    account = balance.account
    own = [line for line in lines if line.account == account.name and line.kind != "commit"]
    return {
        "type": "scatter",
        "name": plain(account.name),
        "meta": account.name,
        "mode": "lines+markers",
        "hoverinfo": "text",
        "x": [line.day for line in own],
        "y": [line.spent / account.limit for line in own],
        "text": [_said(line, balance) for line in own],
        "line": {"color": look.color, "width": 2, "dash": look.stroke, "shape": "hv"},
        "marker": {"color": look.color, "symbol": look.symbol, "size": 7, "line": {"color": INK, "width": 0.7}},
    }


def _said(line: Line, balance: Balance) -> str:
    currency = balance.account.currency
    amount = f" {currency} {abs(line.amount) / UNIT:.4g}" if line.amount else ""
    fitted = f", {plain(line.detail)}" if line.kind == "reserve" and line.detail else ""
    left = (balance.account.limit - line.spent) / UNIT
    head = f"<b>{plain(line.account)}</b><br>{line.day}, line {line.number}"
    return f"{head}: {_WORDS.get(line.kind, line.kind)}{amount}{fitted}<br>left {currency} {left:.4g}"


def _around(days: Sequence[str]) -> Figure:
    from datetime import date, timedelta

    if not days:
        return {}
    day = date.fromisoformat(days[0])
    return {"range": [(day - timedelta(days=1)).isoformat(), (day + timedelta(days=1)).isoformat()]}

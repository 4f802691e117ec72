"""The picture of a ledger: steps of each account's share, with every name as text."""

from __future__ import annotations

from tacit.ledger import Account, AccountUnit, Ledger, writer
from tacit.privacy import Budget
from tacit.report.ledger_figures import timeline


def test_each_account_has_its_steps(tmp_path, monkeypatch):
    ledger, days = Ledger(tmp_path / "x.ledger"), iter(range(10, 20))
    monkeypatch.setattr(writer, "today", lambda: f"2026-01-{next(days)}")
    ledger.open(Account.of("<b>people", Budget(2.0)))
    first = ledger.reserve(Budget(0.5), AccountUnit(), fitted="tree")
    ledger.commit(first.charge, "ab" * 32)
    ledger.give_back(ledger.reserve(Budget(1.0), AccountUnit()).charge)
    figure = timeline(ledger.balances(), ledger.lines())
    [trace] = figure["data"]
    assert trace["x"] == ["2026-01-11", "2026-01-12", "2026-01-14", "2026-01-15"]  # without the certificate's line
    assert trace["y"] == [0.0, 0.25, 0.75, 0.25]
    said = "<b>&lt;b&gt;people</b><br>2026-01-12, line 2: charged epsilon 0.5, tree<br>left epsilon 1.5"
    assert trace["text"][1] == said
    assert "given back epsilon 1<br>left epsilon 1.5" in trace["text"][3]
    assert figure["layout"]["shapes"][0]["y0"] == 1


def test_a_single_day_has_room(tmp_path):
    ledger = Ledger(tmp_path / "x.ledger")
    ledger.open(Account.of("people", Budget(2.0)))
    low, high = timeline(ledger.balances(), ledger.lines())["layout"]["xaxis"]["range"]
    assert low < ledger.lines()[0].day < high

"""The long audit's command: it writes the tables, and goes on where it stopped."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.audits import __main__ as command
from benchmarks.audits.every_case import CASES, Replayable
from benchmarks.audits.redrawn import subject
from benchmarks.audits.table import BEGIN, END, rewritten
from tacit.audit import AuditReport, Claim, Control, Finding, ReleaseLoss

LOW = ReleaseLoss("cuts", "Laplace", 1.0, "epsilon", 0.4, 9)
FOUND = Finding("", Claim(1.0), "replay", 0.75, 1.0, 9, 0, half_noise=1.5, releases=(LOW,), made="2026-01-02T03:04:05")


def test_tables_take_the_place_of_those_between_the_marks():
    ones = [Replayable("tree", case, {}, Claim(1.0)) for case in CASES]
    better = replace(LOW, query="leaves", largest=0.95)
    found = [(one, replace(FOUND, tried=at, releases=(LOW, better))) for at, one in enumerate(ones)]
    found[1] = (ones[1], replace(found[1][1], bound=0.8, releases=(replace(LOW, largest=0.5),)))
    missed = Control("half the sensitivity: cuts, Laplace", 0.9, broken=True, caught=False)
    caught = replace(missed, caught=True)
    found[2:4] = [
        (one, replace(each, controls=(control,)))
        for (one, each), control in zip(found[2:4], (missed, caught), strict=True)
    ]
    drawn = replace(FOUND, subject="tree, everything private, drawn by Laplace", controls=(missed,))
    page = rewritten(f"before\n{BEGIN}\nold\n{END}\nafter\n", found, [drawn])
    assert page.startswith("before\n") and page.endswith("after\n") and "old" not in page
    assert "| tree | 1.00 | 0.80 | 1.50 | 28 | 0 | 7 | 1 |" in page  # 0 + 1 + ... + 7 pairs in eight cases
    assert "| tree | cuts | Laplace | 0.50 | no reason proved: noise or search is weak here |" in page
    assert "leaves" not in page
    assert "| cuts, Laplace | 0 of 0 | 1 of 2 |" in page
    assert "| Laplace | cuts | tree | epsilon 1 | 9 | 0.40 | too weak to say (0.90) |" in page
    with pytest.raises(ValueError, match="Expected the marks"):
        rewritten("nothing", [], [])


def test_the_command_audits_what_was_chosen(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(command, "PAGE", tmp_path / "none.md")  # written for all learners alone
    calls = []

    def audited(one, minutes, seed, done, keep):
        calls.append((one.name, len(done)))
        keep([replace(FOUND, subject=one.name)])
        return replace(FOUND, subject=one.name, claim=one.claim)

    monkeypatch.setattr(command, "audited", audited)
    monkeypatch.setattr(command, "redrawn", lambda release, one, *_: replace(FOUND, subject=subject(release, one)))
    for earlier in (0, 1):
        calls.clear()
        assert command.main(["--learners", "svm", "--out", str(tmp_path / "out")]) == 0
        assert len(calls) >= 4 and {done for _, done in calls} == {earlier}
    assert not (tmp_path / "none.md").exists()
    assert len(AuditReport.from_json((tmp_path / "out" / "audit.json").read_bytes()).findings) > len(calls)
    assert "svm, everything private: not refuted" in capsys.readouterr().err

"""A report says refuted, not refuted with what it would have seen, or too weak; and survives a round trip."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tacit.audit import AuditReport, Claim, Control, Finding, ReleaseLoss
from tacit.errors import ModelFileError

FULL = ReleaseLoss("counts", "Laplace", share=0.5, currency="epsilon", largest=0.49, pairs=10)
FOUND = Finding("tree", Claim(1.0), "replay", bound=0.98, confidence=1.0, tried=10, seed=0, half_noise=1.96)


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({}, "not refuted"),
        ({"releases": (FULL,)}, "not refuted"),
        ({"bound": 1.01}, "refuted"),
        ({"bound": 1.0 + 1e-12}, "not refuted"),
        ({"releases": (replace(FULL, largest=0.51),)}, "refuted"),
        ({"differences": ("a warning",)}, "refuted"),
        ({"half_noise": None}, "too weak to say"),
        ({"half_noise": 0.99}, "too weak to say"),
        ({"controls": (Control("half the range", 0.9, broken=True, caught=False),)}, "too weak to say"),
        ({"controls": (Control("exact", 0.9, broken=False, caught=False),)}, "not refuted"),
    ],
)
def test_a_verdict_follows_from_what_was_found(changed, verdict):
    found = replace(FOUND, **changed)
    assert found.verdict == verdict
    assert AuditReport((FOUND, found)).refuted == (verdict == "refuted")


def test_a_report_is_read_back():
    report = AuditReport((replace(FOUND, releases=(FULL,), bound=float("inf"), versions={"tacit": "0.2"}),))
    assert AuditReport.from_json(report.to_json()) == report


@pytest.mark.parametrize("text", ["", "[]", '{"findings": [{"subject": 1}]}', '{"findings": [], "more": 1}'])
def test_what_is_no_report_is_refused(text):
    with pytest.raises(ModelFileError, match="Expected an audit's report"):
        AuditReport.from_json(text)

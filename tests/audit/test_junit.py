"""JUnit's XML of a report, parsed back; and a verdict in words, which never says that something passed."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from xml.etree import ElementTree as Xml

import pytest

from tacit.audit import AuditReport, Claim, Control, Finding, ReleaseLoss
from tacit.audit.verdict import junit, reasons, release_words, verdict_words

HELD = Finding("tree", Claim(1.0), "replay", bound=0.98, confidence=1.0, tried=10, seed=0, half_noise=1.96)
MISSED = (Control("half the noise", 1.96, True, True), Control("half the range", 0.9, True, False))
FULL = ReleaseLoss("counts", "Laplace", share=0.5, currency="epsilon", largest=0.5, pairs=10)
REFUTED = replace(HELD, differences=("the warning",), releases=(replace(FULL, largest=0.6),), bound=inf)


@pytest.mark.parametrize(
    ("finding", "words"),
    [
        (HELD, "not refuted, this audit would have seen half the noise (epsilon 1.96)"),
        (replace(HELD, controls=MISSED[:1]), "not refuted, this audit would have seen half the noise (epsilon 1.96)"),
        (
            replace(HELD, controls=(*MISSED[:1], Control("half the noise: counts, Laplace", 1.5, True, True))),
            "not refuted, this audit would have seen half the noise (epsilon 1.96), 1 release broken alone",
        ),
        (replace(HELD, half_noise=None), "too weak to say: half the noise was not tried"),
        (replace(HELD, half_noise=0.9), "too weak to say: half the noise reached no more than epsilon 0.9"),
        (replace(HELD, controls=MISSED), "too weak to say: it missed half the range"),
        (REFUTED, "refuted: the warning"),
        (replace(HELD, bound=1.25), "refuted: epsilon is at least 1.25"),
        (replace(HELD, releases=(replace(FULL, largest=0.6),)), "refuted: counts lost 1.2 of its share"),
    ],
)
def test_verdicts_in_words(finding, words):
    assert verdict_words(finding) == words
    assert bool(reasons(finding)) == (finding.verdict == "refuted")


def test_a_low_release_says_its_reason_or_that_there_is_none():
    low = replace(FULL, largest=0.2)
    assert release_words(FULL) == ""
    assert release_words(replace(low, reason="one row cannot move both")) == "one row cannot move both"
    assert "no reason proved" in release_words(low)
    assert release_words(replace(FULL, largest=0.7)) == "more than its share"


def test_each_finding_is_a_test_case():
    weak = replace(HELD, subject="a <b> & \x00\ud800 column", half_noise=None, seconds=2.0)
    root = Xml.fromstring(junit(AuditReport((HELD, REFUTED, weak))).encode("utf-8"))
    assert root.attrib == {"tests": "3", "failures": "1", "skipped": "1", "time": "2.0"}
    held, failed, skipped = root.iter("testcase")
    assert [child.tag for child in held] == ["system-out"]
    assert held.attrib["name"] == "tree: epsilon 1, one row replaced"
    assert failed.find("failure").text.splitlines() == list(reasons(REFUTED))
    assert skipped.find("skipped").attrib["message"] == "too weak to say: half the noise was not tried"
    assert skipped.attrib["name"].startswith("a <b> & \N{REPLACEMENT CHARACTER}")

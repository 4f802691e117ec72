"""A report as JUnit's XML, which CI systems show: a test case for each finding."""

from __future__ import annotations

import re
from xml.etree import ElementTree as Xml

from tacit.audit.findings import AuditReport, Finding
from tacit.audit.verdict import claim_words, reached_words, reasons, verdict_words

# XML 1.0 has no place for these, however they are escaped; subjects quote names of columns.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: AuditReport) -> str:
    """Return the XML: a refuted claim is a failure, and one that the audit is too weak for is skipped.

    Examples
    --------
    >>> from tacit.audit import Claim
    >>> print(junit(AuditReport((Finding("tree", Claim(1.0), "replay", 1.5, 1.0, 10, 0),)))[39:97])
    <testsuites tests="1" failures="1" skipped="0" time="0.0">
    """
    verdicts = [finding.verdict for finding in report.findings]
    counts = {
        "tests": str(len(verdicts)),
        "failures": str(verdicts.count("refuted")),
        "skipped": str(verdicts.count("too weak to say")),
        "time": str(sum(finding.seconds for finding in report.findings)),
    }
    root = Xml.Element("testsuites", counts)
    suite = Xml.SubElement(root, "testsuite", {"name": "tacit audit", "errors": "0", **counts})
    for finding in report.findings:
        suite.append(_case(finding))
    Xml.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _case(finding: Finding) -> Xml.Element:
    name = f"{finding.subject}: {claim_words(finding)}"
    attributes = {"classname": f"audit.{finding.method}", "name": _plain(name), "time": str(finding.seconds)}
    case = Xml.Element("testcase", attributes)
    words = _plain(verdict_words(finding))
    if finding.verdict == "refuted":
        Xml.SubElement(case, "failure", {"message": words}).text = _plain("\n".join(reasons(finding)))
    elif finding.verdict == "too weak to say":
        Xml.SubElement(case, "skipped", {"message": words})
    Xml.SubElement(case, "system-out").text = _plain(f"Reached {reached_words(finding)}; {words}.")
    return case


def _plain(text: str) -> str:
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)

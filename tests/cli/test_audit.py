"""`tacit audit`: a model file's certificate, what it writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from tacit.audit import AuditReport
from tacit.models.document import canonical, digest

GOLDEN = Path(__file__).parent.parent / "golden" / "format-1"


def tampered(path, field, factor, at):
    document = json.loads(path.read_text())
    document["model"]["guarantee"]["releases"][0][field] *= factor
    document["digest"] = digest(canonical(document["model"]))
    at.write_text(json.dumps(document))
    return at


def test_a_model_that_was_fitted_adds_up(model, run, tmp_path):
    out = tmp_path / "audit"
    said = run("audit", model, "--out", out).stdout
    assert "Not refuted, this audit would have seen half the noise (epsilon 2)" in said
    assert "No audit shows that a guarantee holds" in said
    assert "passed" not in said
    assert sorted(path.name for path in out.iterdir()) == ["audit.html", "audit.json", "junit.xml", "parts.json"]
    report = AuditReport.from_json((out / "audit.json").read_bytes())
    assert not report.refuted
    assert report.findings[0].claim.epsilon == 1
    [case] = Xml.parse(out / "junit.xml").getroot().iter("testcase")
    assert case.find("failure") is None and case.find("skipped") is None
    page = (out / "audit.html").read_text()
    assert report.findings[0].certificate in page and "passed" not in page.partition("<script>")[0]


@pytest.mark.parametrize(("field", "factor"), [("noise_scale", 0.5), ("loss", 0.9), ("sensitivity", 2)])
def test_a_tampered_model_is_refuted(model, run, tmp_path, field, factor):
    wrong, out = tampered(model, field, factor, tmp_path / "wrong.json"), tmp_path / "audit"
    result = run("audit", wrong, "--out", out, code=1)
    assert "refuted: wrong.json (brc, private certificate)" in result.stderr
    assert "Refuted: release 'weighted error'" in result.stdout
    assert "sensitivity and noise scale give" in result.stdout
    root = Xml.parse(out / "junit.xml").getroot()
    assert root.attrib["failures"] == "1"
    assert root.find(".//failure") is not None
    assert AuditReport.from_json((out / "audit.json").read_text()).refuted


def test_json_is_the_report(model, run):
    report = AuditReport.from_json(run("audit", model, "--json").stdout)
    assert report.findings[0].method == "certificate"
    assert len(report.findings[0].certificate) == 64


@pytest.mark.parametrize(
    ("name", "words"),
    [("logistic-void.model.json", "void"), ("tree-public.model.json", "nothing is protected"), ("rados.parquet", ""),
     ("brc.model.json", "nothing is private")],
)  # fmt: skip
def test_statuses_and_rados(run, name, words):
    said = run("audit", GOLDEN / name).stdout
    if name == "rados.parquet":
        assert "rados.parquet (rados, private certificate): Not refuted" in said
    else:
        assert words in said


@pytest.mark.parametrize(
    "content", [b"", b"PAR1", b"{}", b"\x00" * 99, b'{"format": "tacit-model", "version": 9}', b"[" * 100_000]
)
def test_hostile_files_are_one_line(run, tmp_path, content):
    path = tmp_path / "model.json"
    path.write_bytes(content)
    assert "Expected" in run("audit", path, code=1).stderr


def test_what_is_not_there(run, tmp_path):
    assert "model.json" in run("audit", tmp_path / "model.json", code=1).stderr
    assert "Expected" in run("audit", tmp_path, code=1).stderr
    assert "Expected a model, --learner or --object" in run("audit", code=1).stderr


def test_a_folder_of_something_else_is_left_alone(model, run, tmp_path):
    file = tmp_path / "file"
    file.write_text("mine")
    assert "Expected a folder for --out" in run("audit", model, "--out", file, code=1).stderr
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "junit.xml").write_text("mine")
    assert "holds something else" in run("audit", model, "--out", foreign, code=1).stderr
    assert (foreign / "junit.xml").read_text() == "mine"
    out = tmp_path / "audit"
    run("audit", model, "--out", out)
    run("audit", model, "--out", out)
    assert "other arguments" in run("audit", GOLDEN / "tree.model.json", "--out", out, code=1).stderr
    (out / "notes.txt").write_text("mine")
    assert "holds something else" in run("audit", model, "--out", out, code=1).stderr


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "tacit-audit", "arguments": {}}', "[" * 100_000])
def test_damaged_parts_are_refused(model, run, tmp_path, text):
    out = tmp_path / "audit"
    run("audit", model, "--out", out)
    (out / "parts.json").write_text(text)
    assert "Expected a new folder for --out" in run("audit", model, "--out", out, code=1).stderr

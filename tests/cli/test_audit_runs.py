"""`tacit audit --learner` and `--object`: what they find, refuse, and go on with after an interruption."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from tacit.audit import AuditReport, Claim, Finding, auditor
from tacit.cli.app import app
from tacit.cli.audit_folder import AuditFolder

OBJECTS = """
import numpy as np

class Noisy:
    def __init__(self, scale, seed):
        self.scale, self.random = scale, np.random.default_rng(seed)

    def fit(self, X, y):
        self.sum_ = float(X[:, 0].sum() + self.random.laplace(0, self.scale))
        return self

    def predict(self, X):
        return np.zeros(len(X))

def noisy(epsilon, seed):
    return Noisy(1 / epsilon, seed)

def exact():
    return Noisy(0.0, 0)

def nothing():
    return object()

def wrong():
    raise RuntimeError("no such thing")

number = 3
"""


@pytest.fixture
def learner(schema):
    return ("audit", "--learner", "naive-bayes", "--epsilon", 1, "--schema", schema)


@pytest.fixture
def objects(tmp_path, monkeypatch):
    (tmp_path / "audited_objects.py").write_text(OBJECTS)
    (tmp_path / "broken_module.py").write_text("def make(:")
    (tmp_path / "leaving_module.py").write_text("raise SystemExit(0)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    for name in ("audited_objects", "broken_module", "leaving_module"):
        sys.modules.pop(name, None)


def test_a_learner_is_replayed(learner, run, tmp_path):
    out = tmp_path / "audit"
    said = run(*learner, "--minutes", 0.01, "--out", out).stdout
    assert "naive-bayes: Not refuted, this audit would have seen half the noise (epsilon" in said
    assert "pairs of neighbors replayed" in said
    found, drawn = AuditReport.from_json((out / "audit.json").read_bytes()).findings
    assert (found.method, found.seed, len(found.controls) >= 2) == ("replay", 0, True)
    assert (drawn.method, len(drawn.controls) >= 1) == ("sampling", True)
    assert "not refuted" in (out / "junit.xml").read_text()
    for name in ("audit.html", "junit.xml"):
        assert "naive-bayes, its samplers" in (out / name).read_text()


def test_it_goes_on_after_an_interruption(learner, run, tmp_path, monkeypatch):
    out, replay, seeds = tmp_path / "audit", auditor.replay, []

    def interrupted(*arguments, **settings):
        if len(seeds) == 2:
            raise KeyboardInterrupt
        return counted(*arguments, **settings)

    def counted(make, pairs, **settings):
        seeds.append(settings["seed"])
        return replay(make, list(pairs)[:1], **settings | {"search": 0})

    def redrawn(make, pairs, *, claim, subject, releases, effort):
        draws.append(effort.minutes)
        return Finding(subject, claim, "sampling", 0.7, 0.95, 100, effort.seed, half_noise=1.4)

    draws = []
    monkeypatch.setattr(auditor, "redraw", redrawn)
    monkeypatch.setattr(auditor, "MIN_PAIRS", 4)
    monkeypatch.setattr(auditor, "replay", interrupted)
    result = CliRunner().invoke(app, [*map(str, learner), "--minutes", "5", "--out", str(out)])
    assert (result.exit_code, result.stdout) == (130, "")
    assert "the same command goes on from there" in result.stderr
    assert sorted(path.name for path in out.iterdir()) == ["parts.json"]
    monkeypatch.setattr(auditor, "replay", counted)
    run(*learner, "--minutes", 5, "--out", out)
    assert len(seeds) == len(set(seeds)) == 4
    assert AuditReport.from_json((out / "audit.json").read_bytes()).findings[0].tried == 4
    run(*learner, "--minutes", 5, "--out", out)
    assert (len(seeds), len(draws)) == (4, 1)  # nothing is left to do
    for other in (("--seed", 1), ("--delta", 1e-6), ("--set", "n_bins=4")):
        assert "other arguments" in run(*learner, *other, "--out", out, code=1).stderr


@pytest.mark.audit  # as the interruption above, but of a process of its own
def test_a_signal_keeps_what_is_done(learner, tmp_path):
    out = tmp_path / "audit"
    command = [sys.executable, "-m", "tacit", *map(str, learner), "--minutes", "20", "--out", str(out)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        # A part is a quarter of the least number of pairs: after the first one most of the work is left.
        for _ in range(3000):
            if (out / "parts.json").exists():
                break
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, complained
    assert said == ""
    assert "the same command goes on from there" in complained and "Traceback" not in complained
    arguments = AuditFolder(out, out, {})
    with pytest.raises(Exception, match="other arguments"):
        arguments.parts()  # readable, and of this audit


def test_sampling_a_learner_gets_the_options(learner, run, schema, tmp_path, monkeypatch):
    def sampled(name, *, schema, epsilon, delta, settings, effort, store, progress):
        assert (name, epsilon, delta, settings, effort.minutes) == (
            "naive-bayes",
            1,
            0,
            {"n_bins": 4, "on_invalid": "coerce"},
            0.02,
        )
        assert schema.names == ("age", "code", "since") and store is not None
        return Finding(name, Claim(epsilon, delta), "sampling", 0.7, 0.95, 100, effort.seed, half_noise=1.4)

    monkeypatch.setattr("tacit.audit.audit_learner", sampled)
    out = tmp_path / "audit"
    said = run(*learner, "--sampling", "--set", "n_bins=4", "--minutes", 0.02, "--out", out).stdout
    assert "epsilon 0.7, at confidence 0.95, from 100 runs" in said
    assert (out / "runs.sqlite").exists()


@pytest.mark.audit
def test_a_learner_is_sampled(learner, run, tmp_path):
    out = tmp_path / "audit"
    said = run(*learner, "--sampling", "--minutes", 0.02, "--out", out).stdout
    assert "at confidence 0.95" in said
    assert (out / "runs.sqlite").exists()
    assert AuditReport.from_json((out / "audit.json").read_bytes()).findings[0].method == "sampling"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--learner", "forest"), "Expected a learner, got learner='forest'"),
        (("--epsilon", "nan"), "epsilon"),
        (("--epsilon", "0"), "epsilon"),
        (("--delta", "1"), "delta"),
        (("--minutes", "0"), "minutes"),
        (("--minutes", "-1"), "minutes"),
        (("--minutes", "nan"), "minutes"),
        (("--schema", "nowhere.toml"), "nowhere.toml"),
        (("--set", "rounds=3"), "rounds"),
        (("--claim", "epsilon=1"), "Expected no --claim with --learner"),
        (("--relation", "replace-one"), "Expected no --relation with --learner"),
        (("--object", "a:b"), "got --learner and --object"),
        (("model.json",), "got a model and --learner"),
    ],
)
def test_wrong_options_of_a_learner(learner, run, tmp_path, options, words):
    out = tmp_path / "audit"
    usual = [each for pair in zip(learner[1::2], learner[2::2], strict=True) if pair[0] not in options for each in pair]
    assert words in run("audit", *usual, *options, "--out", out, code=1).stderr
    assert not out.exists()


def test_what_a_learner_needs(schema, run):
    assert "Expected --epsilon with --learner" in run("audit", "--learner", "tree", "--schema", schema, code=1).stderr
    assert "Expected --schema with --learner" in run("audit", "--learner", "tree", "--epsilon", 1, code=1).stderr
    assert "Expected --claim with --object" in run("audit", "--object", "a:b", code=1).stderr
    assert "Expected no --epsilon with a model" in run("audit", "model.json", "--epsilon", 1, code=1).stderr


def test_an_object_that_is_exact_is_refuted(objects, run, tmp_path):
    out = tmp_path / "audit"
    result = run(
        "audit", "--object", "audited_objects:exact", "--claim", "epsilon=1", "--minutes", 0.5, "--out", out, code=1
    )
    assert "refuted: audited_objects:exact" in result.stderr
    [found] = AuditReport.from_json((out / "audit.json").read_bytes()).findings
    assert found.verdict == "refuted"


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_an_object_that_keeps_its_promise_is_not(objects, run, relation):
    said = run(
        "audit", "--object", "audited_objects:noisy", "--claim", "epsilon=1,delta=1e-6", "--relation", relation,
        "--minutes", 0.02,
    ).stdout  # fmt: skip
    assert "audited_objects:noisy: " in said and "Refuted" not in said
    assert "delta 1e-06" in said


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("audited_objects", "module:function"),
        ("no_such_module:make", "No module named"),
        ("broken_module:make", "SyntaxError"),
        ("leaving_module:make", "SystemExit"),
        ("audited_objects:missing", "a function of audited_objects"),
        ("audited_objects:number", "a function of audited_objects"),
        ("audited_objects:nothing", "raised AttributeError"),
        ("audited_objects:wrong", "raised RuntimeError"),
    ],
)
def test_wrong_objects(objects, run, name, words):
    assert words in run("audit", "--object", name, "--claim", "epsilon=1", code=1).stderr


@pytest.mark.parametrize(
    "claim", ["", "1", "epsilon", "epsilon=x", "epsilon=-1", "epsilon=nan", "delta=1e-6", "epsilon=1,rho=2"]
)
def test_wrong_claims(objects, run, claim):
    assert "Expected" in run("audit", "--object", "audited_objects:exact", "--claim", claim, code=1).stderr

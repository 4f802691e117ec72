"""An auditor goes on where it stopped, and stops when it has seen enough; parts of an audit make one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tacit import Categorical, Label, NaiveBayesClassifier, Numeric, Schema
from tacit.audit import Auditor, Claim, Control, Finding, ReleaseLoss, audit
from tacit.audit import auditor as module
from tacit.audit.parts import is_strong, merged
from tacit.errors import ParameterError

SCHEMA = Schema([Numeric("age", 0, 90), Categorical("sky", ["clear", "rain"], private=False)], label=Label("w", [0, 1]))
PART = Finding(
    "tree", Claim(1.0), "replay", 0.9, 1.0, 10, 3, half_noise=1.8, seconds=1.0,
    releases=(ReleaseLoss("counts", "Laplace", 0.5, "epsilon", 0.4, 10),),
    controls=(Control("half the noise", 1.8, True, False), Control("exact", 1.0, False, False)),
)  # fmt: skip
LATER = replace(
    PART, bound=0.95, tried=5, seed=9, half_noise=None, seconds=2.0, differences=("the model",),
    releases=(
        ReleaseLoss("counts", "Laplace", 0.5, "epsilon", 0.49, 5, "close"),
        ReleaseLoss("leaves", "Laplace", 0.5, "epsilon", 0.1, 5),
    ),
    controls=(Control("half the noise", 1.7, True, True),),
)  # fmt: skip


class Exact:
    """Publishes a sum without noise."""

    def fit(self, X, y):
        self.sum_ = float(X[:, 0].sum())
        return self

    def predict(self, X):
        return np.zeros(len(X))


def make():
    return NaiveBayesClassifier(SCHEMA, epsilon=1.0, calibration=0)


def test_parts_make_one_audit():
    found = merged([PART, LATER])
    assert (found.bound, found.tried, found.seed, found.half_noise, found.seconds) == (0.95, 15, 3, 1.8, 3.0)
    assert found.differences == ("the model",)
    assert found.releases == (
        ReleaseLoss("counts", "Laplace", 0.5, "epsilon", 0.49, 15, "close"),
        ReleaseLoss("leaves", "Laplace", 0.5, "epsilon", 0.1, 5),
    )
    assert found.controls == (Control("half the noise", 1.8, True, True), Control("exact", 1.0, False, False))
    assert merged([PART]) == replace(PART, releases=PART.releases)
    for wrong in ([], [PART, replace(PART, subject="svm")], [PART, replace(PART, claim=Claim(2.0))]):
        with pytest.raises(ValueError, match="Expected parts of one audit"):
            merged(wrong)


def test_an_audit_is_strong_if_every_release_is_close_or_explained():
    close = replace(LATER.releases[0], largest=0.46)
    strong = replace(PART, controls=(), releases=(close, replace(LATER.releases[1], reason="proved")))
    assert is_strong(strong)
    assert not is_strong(replace(strong, releases=LATER.releases))
    assert not is_strong(replace(strong, half_noise=None))
    assert not is_strong(replace(strong, differences=("the model",)))


@pytest.fixture
def replays(monkeypatch):
    """Count calls of replay, which take twenty seconds each by its own account."""
    calls = []

    def counted(make, pairs, **settings):
        calls.append(settings["seed"])
        assert len(list(pairs)) == module.PAIRS_OF_A_PART
        return replace(PART, tried=module.PAIRS_OF_A_PART, seconds=20.0, subject=settings["subject"], controls=())

    monkeypatch.setattr(module, "replay", counted)
    return calls


def test_it_stops_when_the_minutes_are_over(replays):
    found = Auditor(Claim(1.0), SCHEMA, minutes=1.0).replay(make)
    assert (len(replays), found.tried) == (3, 150)
    assert len(set(replays)) == 3


def test_it_goes_on_where_it_stopped(replays):
    kept = []
    auditor = Auditor(Claim(1.0), SCHEMA, minutes=1.0, seed=5)
    auditor.replay(make, keep=lambda parts: kept.append(list(parts)))
    assert [len(parts) for parts in kept] == [1, 2, 3]
    first = list(replays)
    found = auditor.replay(make, done=kept[1])
    assert replays == [*first, first[2]]
    assert (found.tried, found.seed) == (150, 5)
    assert len(auditor.report.findings) == 2


@pytest.fixture
def draws(monkeypatch):
    """Count calls of redraw, the first of which is too weak."""
    calls = []

    def counted(make, pairs, **settings):
        calls.append(settings["effort"].minutes)
        strong = len(calls) > 1
        return replace(
            PART,
            method="sampling",
            seconds=6.0,
            subject=settings["subject"],
            controls=(),
            half_noise=1.5 if strong else 0.9,
        )

    monkeypatch.setattr(module, "redraw", counted)
    return calls


def test_draws_come_after_replays_and_only_again_where_they_were_too_weak(replays, draws):
    kept = []
    Auditor(Claim(1.0), SCHEMA, minutes=1.0).refute(make, subject="nb", keep=lambda parts: kept.append(list(parts)))
    # Three quarters of the minute are replayed, in parts of twenty seconds.
    assert (len(replays), draws) == (3, [0.25])
    assert [part.method for part in kept[-1]] == ["replay"] * 3 + ["sampling"]
    auditor = Auditor(Claim(1.0), SCHEMA, minutes=1.0)
    auditor.refute(make, subject="nb", done=kept[-1])
    assert (len(replays), len(draws)) == (3, 2) and [each.method for each in auditor.findings] == ["replay", "sampling"]
    for verdict, again in (("too weak to say", 3), ("not refuted", 3)):
        drawn = auditor.findings[1] if verdict == "not refuted" else replace(kept[-1][-1], seconds=1.0)
        Auditor(Claim(1.0), SCHEMA, minutes=1.0).refute(make, subject="nb", done=[*kept[-1][:-1], drawn])
        assert drawn.verdict == verdict and len(draws) == again
    refuted = [replace(part, differences=("the model",)) for part in kept[-1][:1]]
    auditor = Auditor(Claim(1.0), SCHEMA, minutes=1.0)
    auditor.refute(make, subject="nb", done=refuted)
    assert len(auditor.findings) == 1 and len(draws) == 3


def test_a_strong_audit_ends_after_the_least_number_of_pairs(replays, monkeypatch):
    monkeypatch.setattr(module, "is_strong", lambda finding: True)
    assert Auditor(Claim(1.0), SCHEMA, minutes=60).replay(make).tried == module.MIN_PAIRS


def test_a_refuted_claim_ends_it():
    found = Auditor(Claim(0.5), SCHEMA, minutes=10).replay(make)
    assert found.verdict == "refuted"
    assert found.tried == module.PAIRS_OF_A_PART


def test_the_method_follows_from_what_is_audited():
    found, drawn = audit(make(), minutes=0.01).findings
    assert (drawn.method, drawn.subject) == ("sampling", "naive-bayes, its samplers")
    assert (found.method, found.subject, found.claim, found.verdict) == (
        "replay",
        "naive-bayes",
        Claim(1.0),
        "not refuted",
    )
    assert {"tacit", "python", "numpy"} <= set(found.versions) and found.made
    [found] = audit(Exact, Claim(1.0), minutes=0.5).findings  # ends as soon as it is refuted
    assert (found.method, found.verdict) == ("sampling", "refuted")


@pytest.mark.parametrize("minutes", [0, -1, float("nan"), float("inf"), "1", True, None])
def test_minutes_out_of_range(minutes):
    with pytest.raises(ParameterError, match="minutes"):
        Auditor(Claim(1.0), SCHEMA, minutes=minutes)


def test_what_is_missing_is_named():
    with pytest.raises(ParameterError, match="a schema"):
        Auditor(Claim(1.0)).replay(make)
    with pytest.raises(ParameterError, match="a claim"):
        audit(Exact)
    with pytest.raises(ParameterError, match="a schema and an epsilon"):
        audit(NaiveBayesClassifier())
    public = Schema([Numeric("age", 0, 90, private=False)], label=Label("w", [0, 1], private=False))
    with pytest.raises(ParameterError, match="a protected column or label"):
        Auditor(Claim(1.0), public).replay(make)

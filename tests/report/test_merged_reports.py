"""Cards, evidence and audits of merged models: everything of each part, and the claim of all of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tacit import Label, NaiveBayesClassifier, Numeric, Schema, TreeClassifier, merge
from tacit.audit.certificate import audit_certificate, read_certificate
from tacit.report.evidence.subject import read_subject
from tacit.report.evidence.words import composition, mechanisms, tuning
from tacit.report.page.about import About
from tacit.report.page.card import model_card

SCHEMA = Schema([Numeric("age", 0, 90, cuts=[30, 60])], label=Label("ill", ["no", "yes"]))
pytestmark = pytest.mark.filterwarnings("ignore")


def site(seed, epsilon, learner=NaiveBayesClassifier, **settings):
    ages = np.random.default_rng(seed).uniform(0, 90, (1000, 1))
    return learner(SCHEMA, epsilon=epsilon, **settings).fit(ages, np.where(ages[:, 0] > 60, "yes", "no")).model_


@pytest.fixture(scope="module")
def sites():
    return [site(0, 0.5), site(1, 0.25)]


@pytest.fixture
def file(sites, tmp_path):
    merge(sites).save(tmp_path / "all.json")
    return tmp_path / "all.json"


def test_a_card_lists_the_releases_of_each_part_and_the_effects_of_all(sites):
    said = model_card(merge(sites))
    for part in merge(sites).guarantee.part_lines:
        assert part in said
    assert said.count('aria-label="Table of releases"') == 2
    assert "age: above 60" in said and "each less its mean in its own part" in said
    assert "Not measured privately as a whole" in said and "no charge is named" in said


def test_a_card_says_where_there_are_no_effects(sites):
    said = model_card(merge([*sites, site(2, 0.5, TreeClassifier)]))
    assert "No effects: log-odds of part" in said and "age: above 60" not in said


def test_evidence_counts_all_releases(sites, file):
    subject = read_subject(file, About())
    assert subject.n_releases == sum(len(each.guarantee.releases) for each in sites)
    assert sum(each["times"] for each in subject.releases) == subject.n_releases
    assert "epsilon 0.5, delta 0 follows from" in subject.verified[0]
    assert "each person is in one of them" in composition(subject.guarantee)[0]
    assert "Losses in epsilon add up (basic composition)." in composition(subject.guarantee)
    assert mechanisms(subject.guarantee)[0].startswith(f"{subject.n_releases} x")
    assert "Each site chose its own learner: naive-bayes" in tuning(subject)[1]
    assert subject.trained == "each site that trained a part saw its own rows"


def test_an_audit_goes_by_parts(sites, file):
    found = audit_certificate(read_certificate(file))
    assert found.verdict == "not refuted" and found.differences == ()
    assert found.bound == pytest.approx(0.5) and found.half_noise == pytest.approx(1.0)
    assert found.tried == sum(len(each.guarantee.releases) for each in sites)
    named = {each.name.partition(":")[0] for each in found.controls}
    assert named == {f"of part {part.name}" for part in merge(sites).guarantee.parts}


def test_an_audit_adds_up_what_the_same_people_spent(sites, tmp_path):
    merge(sites, people="at several sites").save(tmp_path / "sum.json")
    found = audit_certificate(read_certificate(tmp_path / "sum.json"))
    assert found.bound == pytest.approx(0.75) and found.verdict == "not refuted"


@pytest.mark.parametrize("changed", [{"epsilon": 0.3}, {"n_rows": 1999}, {"noise": "none"}, {"people": "the same"}])
def test_an_audit_finds_what_contradicts_the_parts(file, changed):
    certified = read_certificate(file)
    wrong = replace(certified, guarantee=replace(certified.guarantee, **changed))
    assert audit_certificate(wrong).differences and audit_certificate(wrong).verdict == "refuted"

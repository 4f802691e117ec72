"""A certificate says its releases in few lines, in sentences and within a narrow terminal; its JSON keeps them all."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tacit.mechanisms import SecureNoise
from tacit.privacy import Accountant, Budget, Persons, PrivacyUnit, ReleaseRecord
from tacit.privacy.assumptions import IDEAL_DRAWS, PARALLEL, SEARCHED, assumptions_for
from tacit.privacy.certificate import certificate
from tacit.privacy.limit import Limit
from tacit.privacy.random_runs import UNSEEN_RUNS, RandomRuns
from tacit.privacy.release_words import record_lines, release_lines

RECORD = ReleaseRecord("medians of age", "exponential mechanism", 4.0, "range", 100.0, 0.001, "rho", "exact, OpenDP")


def of(*columns: str, **changes) -> list[ReleaseRecord]:
    return [replace(RECORD, query=f"medians of {name}", **changes) for name in columns]


def test_quantiles_of_several_columns_are_one_line_whose_costs_add_up():
    assert release_lines(of("age", "pay") * 5) == [
        "private quantiles of 2 columns, 5 levels each: exponential mechanism, noise 25, rho 0.01 in all"
    ]
    assert release_lines(of("age")) == ["private quantiles of age, 1 level: exponential mechanism, noise 25, rho 0.001"]
    assert release_lines(of("age", "age", "pay"))[0].startswith("private quantiles of 2 columns, 3 in all: ")


def test_what_differs_in_noise_mechanism_slice_or_sampler_has_lines_of_its_own():
    others = [
        {"noise_scale": 200.0}, {"mechanism": "permute-and-flip"}, {"currency": "epsilon"},
        {"query": "medians of age (slice 2 of 3)"},
        {"slice": ((2, 3),), "counted": "zcdp"}, {"sampler": "floating-point"},
    ]  # fmt: skip
    for change in others:
        lines = release_lines([RECORD, replace(RECORD, **change)])
        assert len(lines) == 2, change
    assert lines[1].endswith("(floating-point)")
    # Grid steps of another size are the same noise.
    assert len(release_lines([RECORD, replace(RECORD, noise_scale=2.0**20 * 100, sensitivity=2.0**20 * 4)])) == 1


def test_a_delta_is_added_up_and_records_are_kept_whole():
    lines = release_lines(of("age", "age", delta=1e-7))
    assert lines == [
        "private quantiles of age, 2 levels: exponential mechanism, noise 25, rho 0.002 and delta 2e-07 in all"
    ]
    [line] = record_lines([RECORD, RECORD])
    assert line.startswith("2 x medians of age: ") and "noise scale 100 for range sensitivity 4" in line


def test_the_budget_of_slices_is_said_by_slice():
    limits = (Limit(((1, 2),), "zcdp", 0.02, 0, 0, 0, 0, 9), Limit(((2, 2),), "pure", 0.7, 0, 0, 0, 0, 9))
    found = next(each for each in certificates() if each.status == "private")
    said = " ".join(certificate(replace(found, limits=limits, version=2)).split())
    assert "add up within each slice of the rows: in slice 1 of 2, to at most rho 0.02 of zero-" in said
    assert "; in slice 2 of 2, to at most epsilon 0.7. " in said and "The losses of the releases add up" not in said


def certificates():
    """Yield certificates of each status, unit and composition, with every assumption that takes sentences."""
    protected = PrivacyUnit(("age", "pay"), label=True)
    units = [
        protected,
        replace(protected, label=False),
        replace(protected, persons=Persons(None, 3)),
        replace(protected, persons=Persons("id", "mean")),
        replace(protected, persons=Persons(("home", "number"), 2, same_rows=True), labeled_public=True),
        replace(protected, persons=Persons("id", 2), labeled_public=True),
        PrivacyUnit((), label=False),
    ]
    for unit in units:
        for delta in (0.0, 1e-6):
            accountant = Accountant(Budget(1.0, delta), unit, SecureNoise(), n_rows=12_345)
            if not unit.protects_nothing:
                accountant.split(1)
            found = accountant.guarantee(exact=["class counts"])
            yield found
            if found.status == "private":
                yield replace(found, assumptions=(*assumptions_for(unit.persons, searched=True), IDEAL_DRAWS, PARALLEL))
                yield replace(found, status="simulated", runs=RandomRuns(20), assumptions=(SEARCHED, UNSEEN_RUNS))
                yield found.after_fits(12).with_learned(found)
                yield replace(found, gaussian=0.01) if delta else replace(found, status="void", reasons=("Why not.",))


@pytest.mark.parametrize("found", [pytest.param(each, id=str(at)) for at, each in enumerate(certificates())])
def test_no_sentence_is_longer_than_25_words_and_no_line_than_80_columns(found):
    text = certificate(replace(found, releases=tuple(of("age", "pay") * 5)))
    assert max(map(len, text.splitlines())) <= 80
    parts = re.split(r"\n(?! {2,}[^ -])", text)
    for part in parts:
        said = " ".join(part.split())
        for sentence in re.split(r"(?<=[.:;]) ", said):
            assert len(sentence.split()) <= 25, sentence


def test_releases_may_be_counted_alone():
    [unit] = {PrivacyUnit(("age",), label=True)}
    accountant = Accountant(Budget(1.0), unit, SecureNoise(), n_rows=10)
    accountant.split(1)
    found = replace(accountant.guarantee(), releases=tuple(of("age", "pay")))
    assert "Released, with noise: 2 answers of 1 kind; --releases lists them." in certificate(found, releases=False)
    assert "private quantiles of 2 columns" in certificate(found)

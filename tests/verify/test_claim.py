"""A certificate's claim follows from its JSON alone, and an altered certificate does not pass."""

from __future__ import annotations

import json
from dataclasses import replace
from math import exp, inf, log1p, sqrt
from pathlib import Path

import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from tacit.errors import ModelFileError
from tacit.models import to_json
from tacit.models.document import as_plain, canonical, certificate_digest
from tacit.privacy import Guarantee
from tacit.privacy.limit import Limit, disjoint
from tacit.verify import certificate_of, recomputed

KINDS = [
    "pure", "delta", "gaussians last, after others", "selections in rho", "holdout", "classes", "approximate",
    "ledger in rho", "search in rows, delta 0", "search in rows, delta 1e-06", "search in epsilon, delta 0",
    "search in epsilon, delta 1e-06", "learned schema", "persons",
]  # fmt: skip


def test_every_kind_is_here(certificates):
    assert sorted(certificates) == sorted(KINDS)
    assert any(line.counted == "gaussian" for line in certificates["gaussians last, after others"].releases)
    assert any(line.counted == "zcdp" for line in certificates["gaussians last, after others"].releases)
    assert any(line.counted == "approximate" for line in certificates["approximate"].releases)
    assert {limit.composition for limit in certificates["holdout"].limits} == {"pure", "zcdp"}
    assert certificates["ledger in rho"].charge and certificates["persons"].persons
    assert any(line.delta for line in certificates["learned schema"].learned.releases)


@pytest.mark.parametrize("kind", KINDS)
def test_the_claim_follows_from_the_json_alone(models, kind):
    model = models[kind]
    certificate = certificate_of(to_json(model, allow=model.guarantee.status))
    found = recomputed(certificate)
    assert (found.faults, found.unknown) == ((), ())
    assert found.epsilon == pytest.approx(certificate.epsilon, rel=1e-9)
    assert found.delta in (0.0, certificate.delta)


def altered(certificate, **changed):
    return recomputed(replace(certificate, **changed))


def with_release(certificate, at, **changed):
    lines = list(certificate.releases)
    lines[at] = replace(lines[at], **changed)
    return altered(certificate, releases=tuple(lines))


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_in_which_one_thing_was_altered_is_refused(certificates, kind):
    one = certificates[kind]
    lines, first = one.releases, one.releases[0]
    for at in range(len(lines)):
        assert altered(one, releases=lines[:at] + lines[at + 1 :]).faults, f"release {at} dropped"
    assert altered(one, releases=(*lines, lines[-1])).faults
    assert with_release(one, 0, loss=first.loss / 2).faults
    assert with_release(one, 0, noise_scale=first.noise_scale / 2).faults
    assert with_release(one, 0, sensitivity=first.sensitivity / 2).faults
    assert with_release(one, 0, counted=None).faults
    assert with_release(one, 0, counted="zcdp" if first.counted != "zcdp" else "pure").faults
    assert with_release(one, 0, slice=((1, 7),)).faults
    assert altered(one, epsilon=one.epsilon * 0.999).faults
    assert altered(one, limits=()).faults
    for at, limit in enumerate(one.limits):
        less = replace(limit, loss=limit.loss / 2)
        assert altered(one, limits=(*one.limits[:at], less, *one.limits[at + 1 :])).faults
        twice = replace(limit, loss=limit.loss * 2)
        assert altered(one, limits=(*one.limits[:at], twice, *one.limits[at + 1 :])).faults
    if recomputed(one).delta:
        assert altered(one, delta=one.delta / 2).faults


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("classes",)])
def test_releases_that_changed_places_are_refused(certificates, kind):
    one = certificates[kind]
    lines = list(one.releases)
    lines[0], lines[1] = lines[1], lines[0]
    if one.releases[0].slice == one.releases[1].slice:
        assert altered(one, releases=tuple(lines)).faults


def test_gaussian_noise_that_is_not_last_is_refused(certificates):
    one = certificates["gaussians last, after others"]
    lines = [*one.releases[1:], one.releases[0]]  # what was first comes after all Gaussian noise
    numbered = tuple(replace(line, order=at + 1) for at, line in enumerate(lines))
    assert "A release follows Gaussian noise that is counted as the last." in altered(one, releases=numbered).faults


@pytest.mark.parametrize("kind", ["holdout", "search in rows, delta 1e-06", "search in epsilon, delta 0"])
def test_slices_that_overlap_are_refused(certificates, kind):
    one = certificates[kind]
    first, *others = one.limits
    for other in ((), (*others[0].slice, (1, 2)), first.slice, ((1, 5),)):
        moved = tuple(replace(line, slice=other) if line.slice == first.slice else line for line in one.releases)
        limits = (replace(first, slice=other), *others)
        if other != first.slice:
            assert any("overlap" in fault for fault in altered(one, releases=moved, limits=limits).faults), other


def test_a_learned_schema_that_is_left_out_or_costs_more_is_refused(certificates):
    one = certificates["learned schema"]
    own = one.of_fit
    assert recomputed(own).holds and own.epsilon == pytest.approx(0.7)
    assert altered(one, epsilon=0.7).faults
    assert altered(one, epsilon=0.1).epsilon == inf
    dropped = replace(one.learned, releases=one.learned.releases[1:])
    assert altered(one, learned=dropped).faults
    for epsilon in (0.1, 0.3):  # what is left for the fit is then more, or less, than follows from its limits
        assert altered(one, learned=replace(one.learned, epsilon=epsilon)).faults, epsilon


def test_more_runs_than_were_paid_for_are_refused(certificates):
    one = certificates["search in epsilon, delta 1e-06"]
    assert altered(one, runs=None).epsilon < one.epsilon  # a smaller loss than is claimed is no lie
    more = replace(one.runs, one_in=10 * one.runs.one_in)
    assert altered(one, runs=more).faults


def test_void_and_old_certificates_say_what_they_cannot_tell(certificates):
    one = certificates["pure"]
    void = recomputed(replace(one, status="void", reasons=("Because.",)))
    assert not void.holds and void.unknown
    old = recomputed(replace(one, version=1, limits=()))
    assert not old.holds and "version 1" in old.unknown[0] and not old.faults


def test_nothing_that_was_protected_costs_nothing():
    free = Guarantee("public", (), False, 100, 0.0, 0.0, "pure", None, (), "none", (), (), ())
    assert recomputed(free).holds
    assert recomputed(replace(free, epsilon=1.0)).faults


def test_the_conversion_of_rho_is_that_of_the_specification():
    """By another minimizer than the package's: the least over a > 1 of the formula in the specification."""

    def delta(rho, epsilon):
        def log_delta(b):
            return b * ((1 + b) * rho - epsilon) - log1p(b) - b * log1p(1 / b)

        found = minimize_scalar(
            lambda x: log_delta(exp(x)), bounds=(-10, 20), method="bounded", options={"xatol": 1e-9}
        )
        return exp(found.fun)

    limit = Limit((), "zcdp", 0.02, 0.0, 0.0, 0.0, 0, 100)
    line = Guarantee(
        "private", ("age",), True, 100, 5.0, 1e-6, "zcdp", 0.02, (), "exact", (), (), (), limits=(limit,), version=2
    )
    assert delta(0.02, recomputed(line).epsilon) == pytest.approx(1e-6, rel=1e-8)


def test_disjoint_slices():
    halves, thirds = [((1, 2),), ((2, 2),)], [((2, 2), (at, 3)) for at in (1, 2, 3)]
    assert disjoint(halves) and disjoint([halves[0], *thirds])
    assert not disjoint([*halves, thirds[0]])
    assert not disjoint([((1, 2),), ((1, 3),)])
    assert not disjoint([(), ()])


def test_a_certificate_alone_is_read_and_an_altered_model_is_not(models):
    model = models["pure"]
    assert certificate_of(canonical(as_plain(model.guarantee))) == model.guarantee
    document = json.loads(to_json(model))
    document["model"]["guarantee"]["epsilon"] = 0.1
    for text in (json.dumps(document), "[]", "{}", '{"model": 1}', "{"):
        with pytest.raises(ModelFileError):
            certificate_of(text)


def test_the_delta_of_gaussians_last_is_that_of_the_specification(certificates):
    """By a minimizer over x in place of the root, and by the normal distribution of another library."""
    [limit] = certificates["gaussians last, after others"].limits
    before, last, claimed = limit.loss - limit.gaussian, limit.gaussian, certificates["delta"].epsilon
    m = sqrt(2 * last)

    def delta(x):
        e = claimed - x
        u, v = norm.cdf(m / 2 - e / m), exp(e) * norm.cdf(-m / 2 - e / m)
        b = v / (u - v)
        return (u - v) * exp(b * ((b + 1) * before - x)) * (1 + 2**-16)

    assert before > 0
    found = minimize_scalar(delta, bounds=(0, claimed / 2), method="bounded", options={"xatol": 1e-10})
    assert found.fun == pytest.approx(1e-6, rel=1e-7)


def test_certificates_of_version_1_keep_the_digests_that_ledgers_have():
    golden = Path(__file__).parents[1] / "golden" / "format-1" / "brc.model.json"
    certificate = certificate_of(golden.read_text(encoding="utf-8"))
    assert certificate.version == 1
    assert certificate_digest(certificate) == "7fd97b2a5ceab3827a4256d7cbbe5ee42d530b03c9ef208b6a1a7ccc07bb1221"


def test_discrete_noise_that_is_counted_as_continuous_has_that_much_more(certificates):
    one = certificates["delta"]
    at, line = next((at, each) for at, each in enumerate(one.releases) if each.query.startswith("counts"))
    assert line.loss == pytest.approx(line.sensitivity**2 / (line.noise_scale**2 - 4) / 2, rel=1e-9)
    as_zcdp = line.sensitivity**2 / line.noise_scale**2 / 2
    assert any("continuous" in fault for fault in with_release(one, at, loss=as_zcdp).faults)


def test_a_choice_is_not_counted_as_gaussian_noise(certificates):
    one = certificates["gaussians last, after others"]
    choice = {"mechanism": "exponential mechanism", "sensitivity_kind": "range", "sensitivity": 1.0}
    scale = 1 / sqrt(8 * one.releases[-1].loss)
    faults = with_release(one, len(one.releases) - 1, noise_scale=scale, **choice).faults
    assert len(faults) == 2 and "is none" in faults[0] and "basis gives 0" in faults[1]


def test_an_approximate_release_is_not_counted_as_a_pure_one(certificates):
    one = certificates["approximate"]
    [limit] = one.limits
    [line] = [each for each in one.releases if each.counted == "approximate"]
    more = replace(limit, loss=limit.loss + limit.epsilon, epsilon=0.0, composition="pure")
    lines = tuple(replace(each, counted="pure") if each == line else each for each in one.releases)
    found = altered(one, releases=lines, limits=(more,), composition="pure", rho=None)
    assert [fault for fault in found.faults if "has a delta of its own" in fault]


def test_a_column_that_is_named_twice_is_a_fault_and_no_error(certificates):
    one = certificates["pure"]
    assert altered(one, columns=(*one.columns, one.columns[0])).faults == ("It names a protected column twice.",)

"""Certificates of merged models: the largest of different people, the sum of others, the worst status."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import exp, inf, log

import pytest

from tacit.errors import ParameterError
from tacit.privacy import ASSUMPTIONS, Charge, Guarantee, MergedGuarantee, PartCertificate
from tacit.privacy.merged import AT_ONE_SITE, AT_SEVERAL_SITES, combined, merged_guarantee

ONE = Guarantee("private", ("age",), True, 300, 0.5, 1e-6, "zcdp", 0.01, (), "a drum", ASSUMPTIONS, (), ())
OTHER = replace(ONE, n_rows=100, epsilon=0.75, delta=0.0)


def parts(*certificates):
    return [PartCertificate("sha256:" + 64 * digit, each) for digit, each in zip("abc", certificates, strict=False)]


@pytest.mark.parametrize(
    ("people", "epsilon", "delta", "n_rows"),
    [("at one site", 0.75, 1e-6, 400), ("at several sites", 1.25, 1e-6, 400)],
)
def test_the_largest_holds_of_different_people_and_the_sum_of_others(people, epsilon, delta, n_rows):
    found = merged_guarantee(parts(ONE, OTHER), people)
    assert (found.epsilon, found.delta, found.n_rows, found.status) == (epsilon, delta, n_rows, "private")
    assert found == merged_guarantee(parts(ONE, OTHER)[::-1], people)


def test_the_same_people_are_counted_once():
    assert merged_guarantee(parts(ONE, replace(ONE, epsilon=0.25)), "the same").n_rows == 300


def test_sums_are_rounded_up():
    epsilon, _ = combined([(0.1, 0.0)] * 3, "the same")
    assert epsilon >= 0.1 + 0.1 + 0.1 and combined([(inf, 0.0)] * 2, "the same")[0] == inf


def test_whose_data_they_are_of_is_an_assumption():
    sentences = {people: set(merged_guarantee(parts(ONE, OTHER), people).assumptions) for people in (
        "at one site", "at several sites")}  # fmt: skip
    assert sentences["at one site"] - sentences["at several sites"] == {AT_ONE_SITE}
    assert sentences["at several sites"] - sentences["at one site"] == {AT_SEVERAL_SITES}
    assert "No person is at two of the sites" in " ".join(
        str(merged_guarantee(parts(ONE, OTHER), "at one site")).split()
    )


@pytest.mark.parametrize(
    ("statuses", "due"),
    [(("private", "simulated"), "simulated"), (("void", "simulated"), "void"), (("private", "private"), "private")],
)
def test_the_worst_status_wins(statuses, due):
    own = [replace(ONE, status=each, reasons=("It is.",) * (each == "void")) for each in statuses]
    found = merged_guarantee(parts(*own), "at one site")
    assert found.status == due and bool(found.reasons) == (due == "void")


def test_the_text_names_each_part_and_how_they_make_the_claim():
    charged = replace(ONE, charge=Charge("0" * 32, "study", 1, "f" * 64), learned=OTHER)
    said = " ".join(str(merged_guarantee(parts(charged, OTHER), "at one site")).split())
    assert "That is the most of its 2 parts: each person is in one of them." in said
    assert "aaaaaaaaaaaa: 300 rows, private, epsilon 0.5, delta 1e-06, of which epsilon 0.75 learned the schema" in said
    assert "charged to account 'study'" in said and "bbbbbbbbbbbb: 100 rows" in said


@pytest.mark.parametrize("digest", ["", "sha256:" + "g" * 64, "sha256:abc", "md5:" + "a" * 67])
def test_a_part_has_a_digest(digest):
    with pytest.raises(ParameterError, match="SHA-256"):
        PartCertificate(digest, ONE)


def test_parts_are_sorted_each_once_and_not_merged():
    both = merged_guarantee(parts(ONE, OTHER), "at one site")
    with pytest.raises(ParameterError, match="no merged models"):
        PartCertificate("sha256:" + 64 * "a", both)
    for wrong in (both.parts[::-1], both.parts[:1], (both.parts[0],) * 2):
        with pytest.raises(ParameterError, match="two parts or more"):
            replace(both, parts=wrong)
    with pytest.raises(ParameterError, match="two parts or more"):
        replace(both, people="nobody")
    assert isinstance(both, MergedGuarantee)


def test_randomized_response_at_two_sites_attains_both_claims():
    epsilons = (0.5, 0.75)

    def answers(truths):
        """Return the probability of each pair of answers."""
        keep = [exp(each) / (1 + exp(each)) for each in epsilons]
        return {
            said: (keep[0] if said[0] == truths[0] else 1 - keep[0])
            * (keep[1] if said[1] == truths[1] else 1 - keep[1])
            for said in product((0, 1), repeat=2)
        }

    def loss(one, other):
        return max(abs(log(answers(one)[said] / answers(other)[said])) for said in answers(one))

    apart = max(loss((0, 0), (1, 0)), loss((0, 0), (0, 1)))
    assert apart == pytest.approx(combined([(each, 0.0) for each in epsilons], "at one site")[0])
    assert loss((0, 0), (1, 1)) == pytest.approx(combined([(each, 0.0) for each in epsilons], "at several sites")[0])

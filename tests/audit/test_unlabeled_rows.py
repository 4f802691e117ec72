"""Neighbors of tables some of whose rows have no label: who may differ, every learner replayed, mutants caught."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.audits.every_case import CASES, SETTINGS
from tacit import NaiveBayesClassifier
from tacit.audit.certificate import CertifiedClaim, audit_certificate
from tacit.audit.neighbors import mutated, random_pairs, with_unlabeled
from tacit.audit.person_pairs import person_pairs, with_identifier
from tacit.audit.reading import audit_pairs, reading_pairs
from tacit.audit.replay import replay_pair
from tacit.audit.units import pairs_of_unit
from tacit.mechanisms import public_generator
from tacit.models.document import as_plain, canonical, certificate_digest, digest
from tacit.study.learners import private_learners
from tacit.table import Table, rows
from tacit.table.labels import label_codes, without_label

CHOSEN = ("everything private", "a public column and label")
LEARNERS = ("naive-bayes", "lazybb", "brc", "boosted-trees")


def declared(case, *, missing="drop"):
    schema = CASES[case]
    return replace(schema, label=replace(schema.label, missing=missing))


def replayed(schema, pairs, learner="naive-bayes"):
    own = (SETTINGS.get(learner) or ({},))[0]

    def make():
        return private_learners()[learner](schema, epsilon=1.0, on_invalid="coerce", **own)

    return [replay_pair(make, pair, seed=at) for at, pair in enumerate(pairs)]


def absent(pair):
    """Return which rows of both tables have no label."""
    return [
        without_label([row[-1] for row in table], pair.schema.label).tolist() for table in (pair.first, pair.second)
    ]


def labeled_persons(pair):
    return [
        {name for name, gone in zip(names, missing, strict=True) if not gone}
        for names, missing in zip(pair.persons, absent(pair), strict=True)
    ]


# Who may differ.


@pytest.mark.parametrize("case", CHOSEN)
def test_rows_have_labels_in_both_tables_or_in_neither(case):
    pairs = list(islice(pairs_of_unit(declared(case), seed=1), 120))
    assert all(one == other for one, other in map(absent, pairs))
    assert sum(any(absent(pair)[0]) for pair in pairs) > 10, "some tables have rows without a label"
    undeclared = islice(reading_pairs(declared(case, missing=None), seed=1), 400)
    differ = [one != other for one, other in map(absent, undeclared)]
    assert any(differ) == CASES[case].label.private, "without a declaration one label may be missing in one table"


def test_a_local_search_keeps_rows_without_a_label():
    schema, generator = declared("everything private"), public_generator(3)
    pair = with_unlabeled(next(random_pairs(schema, n_rows=5, seed=2)), [0, 3])
    for _ in range(300):
        pair = mutated(pair, generator)
        one, other = absent(pair)
        assert one == other


@pytest.mark.parametrize("case", CHOSEN)
def test_the_same_persons_have_rows_with_a_label(case):
    schema, generator = with_identifier(declared(case)), public_generator(1)
    pairs = list(islice(person_pairs(schema, seed=4), 16))
    pairs += [pair.searched(generator) for pair in pairs for _ in range(4)]
    same = case != "everything private"
    for pair in pairs:
        one, other = labeled_persons(pair)
        assert one == other
        assert not same or (absent(pair)[0] == absent(pair)[1] and pair.persons[0] == pair.persons[1])
    assert any("nobody" in pair.persons[0] for pair in pairs), "and some have none"
    assert same or any(len(pair.first) != len(pair.second) for pair in pairs)
    for pair in pairs[:16]:
        for (X, y), names in zip(pair.inputs(), labeled_persons(pair), strict=True):
            assert Table.from_frame(X, y, schema, on_invalid="coerce").n_persons == len(names)


# Dropping maps neighbors to neighbors.


@given(st.integers(0, 2**32), st.lists(st.integers(0, 11), max_size=9))
def test_one_row_at_most_differs_of_those_left(seed, places):
    schema = declared("everything private")
    pair = with_unlabeled(next(random_pairs(schema, n_rows=12, seed=seed)), places)
    one, other = (
        [row for row, gone in zip(table, missing, strict=True) if not gone]
        for table, missing in zip((pair.first, pair.second), absent(pair), strict=True)
    )
    assert len(one) == len(other) == 12
    assert sum(repr(a) != repr(b) for a, b in zip(one, other, strict=True)) <= 1
    assert [table.n_rows for table in pair.tables()] == [12, 12]


MADE = next(person_pairs(with_identifier(declared("everything private"))))


@settings(max_examples=30)
@given(st.lists(st.tuples(st.sampled_from("abcd"), st.booleans()), min_size=1, max_size=24), st.data())
def test_weights_of_others_stay_whatever_rows_without_a_label_one_person_has(given_rows, data):
    """Of a person who differs, the other table has other rows, with and without a label, at other places."""
    row = MADE.first[0]
    given_rows = [("a", True), *given_rows]
    left = [each for each in given_rows if each[0] != "a"]
    for labeled in [True, *data.draw(st.lists(st.booleans(), max_size=5))]:
        left.insert(data.draw(st.integers(0, len(left))), ("a", labeled))
    weights = []
    for table in (given_rows, left):
        names = tuple(name for name, _ in table)
        held = tuple(row if labeled else (*row[:-1], None) for _, labeled in table)
        made = replace(MADE, first=held, second=held, persons=(names, names)).tables()[0]
        of_rows = made.gather(lambda block: block.weights)
        owners = [name for name, labeled in table if labeled]
        weights.append([w for w, name in zip(of_rows.tolist(), owners, strict=True) if name != "a"])
        assert made.n_persons == len(set(owners))
        assert sum(w for w, name in zip(of_rows.tolist(), owners, strict=True) if name == "a") == made.unit_weight
    assert weights[0] == weights[1]


# Replay.


@pytest.mark.parametrize("case", CHOSEN)
@pytest.mark.parametrize("learner", LEARNERS)
def test_no_release_costs_more_than_its_share(learner, case):
    schema = declared(case)
    pairs = [with_unlabeled(pair, [0, 2, 2]) for pair in islice(random_pairs(schema, n_rows=6, seed=5), 2)]
    found = replayed(schema, pairs, learner)
    persons = with_identifier(schema)
    found += replayed(persons, islice(person_pairs(persons, seed=3), 1, 4, 2), learner)
    assert [each.differences for each in found if each.differences] == []
    assert 0.02 < max(step.reached for each in found for step in each.steps) <= 1 + 1e-9


def test_a_learner_that_leaves_out_rows_nobody_declared_is_caught(monkeypatch):
    """The number of rows that are left tells whether one person has a label."""

    def dropping(labels, label, *, on_invalid="raise"):
        given, codes, none = label_codes(labels, label)
        del given
        known = codes != none
        codes = np.maximum(codes, 0).astype(np.uint8)
        return codes[known], known if not known.all() else None

    schema = declared("everything private", missing=None)
    pairs = [pair for pair in islice(reading_pairs(schema, seed=1), 300) if absent(pair)[0] != absent(pair)[1]][:4]
    assert not any(each.refuted for each in replayed(schema, pairs))
    for module in (rows, __import__("tacit.table.table", fromlist=["table"])):
        monkeypatch.setattr(module, "read_labeled", dropping)
    found = replayed(schema, pairs)
    assert all(each.refuted for each in found)
    assert all(each.differences for each in found), "what is published without noise differs"


def test_weights_over_all_rows_are_caught(monkeypatch):
    """A person whose rows without a label counted would weigh less than one, and make other weights private."""
    schema = with_identifier(declared("everything private"))
    pairs = list(islice(person_pairs(schema, seed=3), 1, 12, 2))
    assert not any(each.refuted for each in replayed(schema, pairs))
    with_rows = rows.Members.weights
    monkeypatch.setattr(rows.Members, "weights", lambda self, unit: np.minimum(with_rows(self, unit) * 3, unit))
    assert any(each.refuted for each in replayed(schema, pairs))


def test_an_audit_tries_rows_without_a_label():
    kinds = [pair.kind for pair in islice(audit_pairs(declared("everything private")), 24)]
    assert any("without a label" in kind for kind in kinds)
    kinds = [pair.kind for pair in islice(audit_pairs(CASES["everything private"]), 24)]
    assert not any("without a label" in kind for kind in kinds)


# Certificates.


def certificate(schema):
    pair = next(random_pairs(schema, n_rows=40, seed=0))
    (X, y), _ = with_unlabeled(pair, [1, 5]).inputs() if schema.label.missing else pair.inputs()
    return NaiveBayesClassifier(schema, epsilon=1.0).fit(X, y).privacy_


def test_a_certificate_that_does_not_say_it_contradicts_itself():
    found = certificate(declared("everything private"))
    assert found.labeled_public and audit_certificate(CertifiedClaim("x", found)).verdict == "not refuted"
    words = tuple(each for each in found.assumptions if "rows without one were left out" not in each)
    assert len(words) == len(found.assumptions) - 1
    [said] = audit_certificate(CertifiedClaim("x", replace(found, assumptions=words))).differences
    assert "which rows have a label is public" in said


def test_digests_of_other_certificates_are_those_of_before():
    """Ledgers keep them."""
    found = certificate(CASES["everything private"])
    plain = as_plain(found)
    assert (plain.pop("labeled_public"), plain.pop("learned")) == (False, None)
    assert "sha256:" + certificate_digest(found) == digest(canonical(plain))
    assert certificate_digest(replace(found, labeled_public=True)) != certificate_digest(found)

"""Audits of other libraries: cases are neighbors, the exact loss is right, and pages say what was found."""

from __future__ import annotations

import sys
from collections import Counter
from math import log
from pathlib import Path

import numpy as np
import pytest

from reproductions.audits import external_runs
from reproductions.audits.cases import CASES
from reproductions.audits.command import FINDINGS, PAGE, audit_case
from reproductions.audits.exact_forest import largest_loss as largest_loss_of_trees
from reproductions.audits.exact_forest import stretches
from reproductions.audits.exact_logistic import largest_loss, noise
from reproductions.audits.page import page
from reproductions.external import ENVIRONMENTS, ExternalFailed
from tacit.audit import AuditReport, Effort, RunStore

FAKE = """
import json, sys
import numpy as np
for line in sys.stdin:
    asked = json.loads(line)
    if asked["model"] == "tree":
        sys.exit(1)
    counts = sum(asked["labels"]) + np.random.default_rng().laplace(0, 1 / asked["settings"]["epsilon"], asked["count"])
    np.savez(asked["out"], names=np.asarray(["count"]), v0=counts)
    print(json.dumps({"version": "9.9"}), flush=True)
"""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_tables_are_neighbors_under_the_relation_claimed(case):
    first, second = Counter(case.first), Counter(case.second)
    differing = sorted([(first - second).total(), (second - first).total()])
    assert differing == ([1, 1] if case.claim.relation == "replace-one" else [0, 1])
    assert case.environment in ENVIRONMENTS


def test_every_case_has_a_finding_and_the_page_is_what_they_give():
    report = AuditReport.from_json(FINDINGS.read_text())
    assert [found.subject for found in report.findings] == [case.name for case in CASES]
    assert [found.verdict == "refuted" for found in report.findings] == [case.refuted for case in CASES]
    assert PAGE.read_text() == page(report)


def test_the_noise_of_the_logistic_regression_is_that_of_its_source():
    assert noise(1.0, 1.0, 1.0) == (pytest.approx(2 / (1 - 2 * log(1.25))), 1.0)
    assert noise(100.0, 1.0, 1.0) == (pytest.approx(400), pytest.approx(25 / (np.e**0.25 - 1)))


@pytest.mark.parametrize(("norm", "loss"), [(10.0, 1.24), (100.0, 3.26)])
def test_the_logistic_regressions_known_losses_are_found(norm, loss):
    base = [(0.0, 0), (0.0, 1)]
    pair = [*base, (0.0, 1)], [*base, (norm, 1)]
    assert largest_loss(*pair, norm) == pytest.approx(loss, abs=0.005)
    # At w = 0 by hand: ln of the curvature's share, less the gradient's share of the noise.
    scale, regularization = noise(norm, 1.0, 1.0)
    assert largest_loss(*pair, norm) >= log(1 + norm**2 / 4 / regularization) - norm / 2 / scale - 1e-9


def test_the_losses_of_trees_are_those_of_permute_and_flip():
    rng = np.random.default_rng(0)
    for ones, zeros in ((3, 1), (1, 3), (2, 2)):
        # Classes in a random order, each taken with the exponential of its gap to the largest count.
        counts, taken = (zeros, ones), []
        for _ in range(20_000):
            order = rng.permutation(2)
            taken.append(next(each for each in [*order, *order] if rng.random() < np.exp(counts[each] - max(counts))))
        rate = np.mean(taken)
        distribution = largest_loss_of_trees([1] * ones + [0] * zeros, [1, 0])
        found = max(abs(log(rate / 0.5)), abs(log((1 - rate) / 0.5)))
        assert found == pytest.approx(distribution, abs=0.1)
    # A replaced label moves both counts; of the forest one tree has the row.
    assert largest_loss_of_trees([0, 0, 1], [0, 1, 1]) == pytest.approx(log((1 - np.exp(-1) / 2) / (np.exp(-1) / 2)))
    assert largest_loss_of_trees([0, 1, 0, 0], [0, 0, 0, 0], 2) == pytest.approx(2)
    # Without its first row each tree has the next one's first row in place of its own, and the last one has a row less.
    assert stretches([0, 1, 2, 3, 4, 5], 3) == [[0, 1], [2, 3], [4, 5]]
    assert stretches([1, 2, 3, 4, 5], 3) == [[1, 2], [3, 4], [5]]


class Fake:
    def python(self):
        return Path(sys.executable)


@pytest.fixture
def served(monkeypatch, tmp_path):
    script = tmp_path / "fake.py"
    script.write_text(FAKE)
    monkeypatch.setattr(external_runs, "environment", lambda name: Fake())
    monkeypatch.setattr(external_runs, "_SERVE", script)


def test_a_library_is_asked_in_its_own_python(served):
    case = next(each for each in CASES if each.model == "naive-bayes" and each.claim.relation == "replace-one")
    found = audit_case(case, Effort(minutes=0.5, most=1200), RunStore())
    assert found.versions["diffprivlib"] == "9.9"
    assert 0.4 < found.bound <= 1 < found.half_noise
    assert found.verdict == "not refuted"


def test_a_library_that_leaves_is_reported(served):
    case = next(each for each in CASES if each.model == "tree")
    with pytest.raises(ExternalFailed, match="Expected diffprivlib to fit, got no answer"):
        audit_case(case, Effort(most=100), RunStore())

"""Every tuned number is a row of the table of rules, and every row names what chose it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tacit.rules import all_rules

ROOT = Path(__file__).parents[2]
MAX_TUNED = 100


@pytest.fixture(scope="module")
def script():
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        import tuned_constants
    finally:
        sys.path.pop(0)
    return tuned_constants


def test_no_number_is_tuned_outside_of_the_table(script):
    assert script.undeclared() == {}, "make it a row of tacit.rules, or say in benchmarks/untuned.toml what it is"


def test_what_is_declared_as_not_tuned_is_there(script):
    assert script.gone() == []


def test_tuned_numbers_do_not_become_more(script):
    assert sum(row.numbers for row in all_rules()) + script.outside() <= MAX_TUNED


def test_each_row_names_a_benchmark_that_is_there():
    missing = {row.rule.chosen for row in all_rules() if not (ROOT / "benchmarks" / row.rule.chosen).is_file()}
    assert missing == set()


def test_each_row_says_what_it_decides_and_by_what():
    unsaid = [row.name for row in all_rules() if len(row.rule.decides.split()) < 2 or not row.rule.by]
    assert unsaid == []


def test_names_are_told_apart():
    names = [row.name for row in all_rules()]
    twice = {name for name in names if names.count(name) > 1}
    assert twice <= {"SLOPE_DEVIATION", "INTERCEPT_DEVIATION"}  # of naive Bayes, and of held-out rows


def test_the_script_finds_constants_and_thresholds(script, tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        "from x import Whole\nA, B = 0.3, 7\nROUNDS = Whole(1, 9)\n"
        "class C:\n    share: float = 0.15\n    steps: int = 3\n"
        "def f(x: float) -> float:\n    return x if x < 0.35 else 2.0\n"
    )
    assert list(script.constants(path)) == [("A, B", 2), ("C.share", 1)]
    assert list(script.literals(path)) == [("f", 0.35)]

"""Absurd numbers and files without end: one line each, before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest

FIFTY_DIGITS = "9" * 50
ZERO = Path("/dev/zero")


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--simulate", 10**15), 1, "from 1 to 33,333,333, got n_rows=1000000000000000"),
        (("--simulate", "1e15"), 2, "--simulate"),
        (("--simulate", 100, "--seed", FIFTY_DIGITS), 2, "--seed"),
        (("--simulate", 100, "--repeats", 10**9), 1, "repeats"),
    ],
)
def test_compare(run, schema, tmp_path, options, code, said):
    study = tmp_path / "study"
    result = run("compare", "--schema", schema, "--out", study, "--epsilons", "1", *options, code=code)
    assert said in result.stderr
    assert not study.exists()


@pytest.mark.parametrize("options", [("--seed", FIFTY_DIGITS), ("--seed", 2**63), ("--epsilon", "1e-300")])
@pytest.mark.parametrize("command", [("fit",), ("rados", "make")])
def test_fit_and_rados(run, table, schema, tmp_path, command, options):
    out = tmp_path / "made"
    given = ("--epsilon", "1", "--allow", "simulated") if "--seed" in options else ()
    result = run(*command, table, "--schema", schema, "--out", out, *given, *options, code=2 if given else 1)
    assert options[0].strip("-") in result.stderr
    assert not out.exists()


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("rounds=10000000", "from 1 to 10,000 or 'auto', got rounds=10000000"),
        ("rounds=" + FIFTY_DIGITS, "from 1 to 10,000 or 'auto', got rounds=9999"),
        ("c1=nan", "from 1 to 1e+06, got c1=nan"),
        ("c2=1e400", "got c2=inf"),
    ],
)
def test_settings_of_a_learner(run, table, schema, tmp_path, setting, said):
    out = tmp_path / "model.json"
    result = run(
        "fit", table, "--schema", schema, "--epsilon", "1", "--learner", "brc", "--set", setting, "--out", out, code=1
    )
    assert said in result.stderr
    assert not out.exists()


@pytest.mark.skipif(not ZERO.exists(), reason="no such device here")
def test_files_without_end(run, table, tmp_path):
    out = tmp_path / "made"
    for command in (
        ("schema", "check", ZERO),
        ("fit", table, "--schema", ZERO, "--epsilon", "1", "--out", out),
        ("rados", "make", table, "--schema", ZERO, "--epsilon", "1", "--out", out),
        ("compare", table, "--schema", ZERO, "--epsilons", "1", "--out", out),
        ("compare", "--spec", ZERO, "--out", out),
    ):
        assert "at most 4,194,304 bytes" in run(*command, code=1).stderr, command
        assert not out.exists()

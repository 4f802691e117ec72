"""Small tasks, and a cache of their own for running studies."""

from __future__ import annotations

import pytest

from tacit.study.fit import fit_task

collect_ignore = ["registered.py"]
"""Registers names, and would do so a second time as a module of examples."""


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """No test sees another's shared folders, or the user's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tacit" / "running"


@pytest.fixture
def small():
    """Makes the task of one quick fit."""

    def make(epsilon=1.0, learner="naive-bayes", repeat=0, **more):
        split = {"kind": "shuffle", "test_share": 0.25, "repeat": repeat}
        paying = {} if learner.startswith("baseline:") else {"epsilon": epsilon, "delta": 0.0}
        given = {"data": "breast-cancer", "learner": learner, "split": split, "repeat": repeat}
        return fit_task(**given | paying | more)

    return make

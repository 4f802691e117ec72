"""A library without an environment, and a split of made-up rows."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from reproductions.external.encoding import external_arrays
from reproductions.external.environment import Environment
from reproductions.external.learner import ExternalLearner
from reproductions.external.session import Session
from reproductions.external.trial import made_up
from tacit.study.run import shared_folder

FAKE = Path(__file__).with_name("fake_models.py")


class FakeEnvironment(Environment):
    """An environment that is this one."""

    @property
    def models(self):
        return FAKE

    def python(self, folder=None):
        return Path(sys.executable)


@pytest.fixture
def learner():
    """Return how to get an external learner whose model is one of the fake ones."""

    def made(model, encoding="ordinal", version="1.0", **more):
        return ExternalLearner(model, FakeEnvironment("fake", "fake", version, "nothing"), encoding, **more)

    return made


@pytest.fixture
def shared(tmp_path, monkeypatch):
    """Return where private folders are made."""
    monkeypatch.setattr(shared_folder, "user_cache_dir", lambda _: str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def session(shared):
    made = Session()
    yield made
    made.close()


@pytest.fixture
def split():
    return made_up()


@pytest.fixture
def fit(session, split, learner):
    """Return how to fit a fake model to the split."""

    def fitted(model, *, timeout=60.0, on=split, by=session, **settings):
        return by.fit(learner(model), on, {"timeout": timeout}, settings)

    return fitted


@pytest.fixture
def right(split):
    """Return the first feature of the test rows."""
    return external_arrays(split.schema, split.train, split.test, "ordinal").test[:, 0]

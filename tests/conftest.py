"""What all tests share: no test is timed, as whichever draws secure noise first also loads the sampler."""

import os

# Read where libraries are loaded: processes side by side wait for each other's threads, ten times as long at worst.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings

from tacit.estimators import forget_fits

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session", autouse=True)
def _state_of_their_own(tmp_path_factory):
    """Heads of ledgers are noted in the user's folder: not of tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


def pytest_runtest_setup():
    """A test is as a process of its own: models that are saved say how many fits of their columns came before."""
    forget_fits()

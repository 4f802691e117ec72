"""Environments are made whole or not at all, and nothing else is touched."""

import subprocess
import venv
from pathlib import Path

import pytest

from reproductions.external import InstallationFailed, environment, environments_folder, install, remove
from reproductions.external.environment import python_of
from tacit.errors import MissingExtra, ParameterError

OPACUS = environment("opacus")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "external"


@pytest.fixture
def asked(monkeypatch):
    """Let environments be made of nothing, and return what pip was asked for; it fails if told so."""

    def create(_, place):
        python_of(place).parent.mkdir(parents=True)
        python_of(place).touch()
        (place / "pyvenv.cfg").touch()

    def run(command, *, stdout, **_):
        commands.append(command)
        stdout.write(b"pip's own words")
        return subprocess.CompletedProcess(command, commands.returncode)

    class Commands(list):
        returncode = 0

    commands = Commands()
    monkeypatch.setattr(venv.EnvBuilder, "create", create)
    monkeypatch.setattr(subprocess, "run", run)
    return commands


def test_an_environment_is_there_when_pip_is_done(folder, asked):
    assert not OPACUS.installed(folder)
    place = install(OPACUS, folder)
    assert place == folder / "opacus-1.6.0" and OPACUS.installed(folder)
    assert OPACUS.python(folder) == python_of(place)
    [command] = asked
    assert command[0] == str(python_of(place)) and command[1:4] == ["-m", "pip", "install"]
    assert command[-2:] == ["--requirement", str(OPACUS.requirements)]


def test_when_pip_fails_there_is_none_and_its_words_are_kept(folder, asked):
    asked.returncode = 1
    with pytest.raises(InstallationFailed) as caught:
        install(OPACUS, folder)
    assert not OPACUS.installed(folder)
    log = folder / "opacus-1.6.0" / "pip.log"
    assert str(log) in str(caught.value) and log.read_text() == "pip's own words"


def test_without_venv_it_says_so(folder, monkeypatch):
    def refuse(_, place):
        raise subprocess.CalledProcessError(1, "ensurepip")

    monkeypatch.setattr(venv.EnvBuilder, "create", refuse)
    with pytest.raises(InstallationFailed, match="-m venv` works"):
        install(OPACUS, folder)


def test_other_versions_than_todays_are_none(folder, asked):
    place = install(OPACUS, folder)
    (place / "tacit-external.txt").write_text("of other requirements")
    assert not OPACUS.installed(folder)


def test_one_that_is_missing_names_the_command(folder):
    with pytest.raises(MissingExtra, match="Run: python -m reproductions external install opacus"):
        OPACUS.python(folder)


def test_removing_leaves_nothing(folder, asked):
    place = install(OPACUS, folder)
    assert remove(OPACUS, folder) and not place.exists()
    assert not remove(OPACUS, folder)


@pytest.mark.parametrize("action", [install, remove])
def test_what_is_no_environment_is_left_alone(folder, asked, action):
    (folder / "opacus-1.6.0").mkdir(parents=True)
    kept = folder / "opacus-1.6.0" / "thesis.txt"
    kept.touch()
    with pytest.raises(ParameterError, match="got something else"):
        action(OPACUS, folder)
    assert kept.exists() and asked == []


def test_a_variable_names_the_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("TACIT_EXTERNAL", str(tmp_path))
    assert OPACUS.place() == tmp_path / "opacus-1.6.0"
    monkeypatch.delenv("TACIT_EXTERNAL")
    assert environments_folder().name == "external" and environments_folder() != tmp_path
    assert OPACUS.place(Path("/elsewhere")) == Path("/elsewhere/opacus-1.6.0")

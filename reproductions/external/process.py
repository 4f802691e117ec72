"""Another library's Python at work: started once, asked for one fit after the other."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from re import fullmatch
from threading import Timer
from time import monotonic
from typing import Any

from tacit.errors import TacitError

SERVE = Path(__file__).parent / "scripts" / "serve.py"
"""What runs in the environment."""

IDLE_SECONDS = 60.0
"""After so long without a request the other Python leaves."""

_KEPT = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH")
_ANSWERS = {"version", "scored", "error"}
"""What each answer has one of."""
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class ExternalFailed(TacitError, RuntimeError):
    """An external learner did not answer, or not what a fit gives; the message never has the learner's own words."""


class PeerProcess:
    """A library's Python, with one thread, in a clean environment.

    Parameters
    ----------
    name : str
        Of the library, for messages.
    python : Path
    models : Path
        The script with the library's models.
    folder : Path
        Its home: whatever it keeps goes there.
    idle_seconds : float
        After which it leaves by itself.
    """

    def __init__(self, name: str, python: Path, models: Path, folder: Path, *, idle_seconds: float):
        self.name = name
        self._since = monotonic()
        self._idle = idle_seconds
        home = {variable: str(folder) for variable in ("HOME", "TMPDIR", "TEMP", "TMP", "USERPROFILE")}
        kept = {variable: os.environ[variable] for variable in _KEPT if variable in os.environ}
        try:
            self._process = subprocess.Popen(  # noqa: S603  our own script
                [python, "-s", "-B", SERVE, models, str(idle_seconds)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env={**kept, **home, "LANG": "C.UTF-8", **dict.fromkeys(_THREADS, "1")},
                encoding="utf-8",
                start_new_session=True,
            )
        except OSError:
            raise ExternalFailed(
                f"Expected {name} to start, got refused. Reinstall it: python -m reproductions external install."
            ) from None

    @property
    def usable(self) -> bool:
        """Whether it is there, and not about to leave."""
        return self._process.poll() is None and monotonic() - self._since < 0.75 * self._idle

    def version(self, timeout: float) -> str:
        """Return the library's version; comes first, once."""
        return str(self._answer(timeout)["version"])

    def ask(self, request: Mapping[str, Any], timeout: float) -> dict[str, Any]:
        """Return the answer to a request.

        Raises
        ------
        ExternalFailed
            If there is none in time, or it is an error; of that, only the type is told.
        """
        assert self._process.stdin is not None
        with suppress(OSError):  # it has left: the answer will be missing
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        answer = self._answer(timeout)
        self._since = monotonic()
        if "error" in answer:
            raise ExternalFailed(
                f"Expected {self.name} to fit, got its {_kind(answer['error'])}; "
                "the text is withheld, as it may quote the table."
            )
        return answer

    def close(self) -> None:
        """End it, whatever it is doing."""
        _kill(self._process)
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        self._process.wait()

    def _answer(self, timeout: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        late = Timer(timeout, _kill, [self._process])
        late.daemon = True
        late.start()
        started = monotonic()
        try:
            line = self._process.stdout.readline()
        finally:
            late.cancel()
        if line.endswith("\n"):
            return self._read(line)
        self.close()
        if monotonic() - started >= timeout:
            raise ExternalFailed(
                f"Expected {self.name} within {timeout:g} seconds, got no answer. Give it more: timeout=."
            )
        raise ExternalFailed(f"Expected {self.name} to answer, got its end. Install it again, or give it more memory.")

    def _read(self, line: str) -> dict[str, Any]:
        """Return an answer; after what is none, the process ends, as what it says next would answer nothing."""
        with suppress(ValueError, RecursionError):
            found = json.loads(line)
            if isinstance(found, dict) and _ANSWERS.intersection(found):
                return found
        self.close()
        raise ExternalFailed(f"Expected {self.name} to answer, got something else. Install it again.")


def _kind(error: Any) -> str:
    """Return an error's type as it may be told: a name that was made up while it ran may quote a cell."""
    plain = isinstance(error, str) and fullmatch(r"[A-Za-z_]{1,80}", error)
    return str(error) if plain else "error"


def _kill(process: subprocess.Popen[str]) -> None:
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()

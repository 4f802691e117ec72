"""Runs of another library's model, in the library's environment, as a sampler."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from reproductions.audits.cases import Case, Rows
from reproductions.external import ExternalFailed, environment
from tacit.audit.samplers import Outputs

_SERVE = Path(__file__).parent / "serve_runs.py"
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class ServedRuns:
    """A library's Python, with one thread, that fits as often as it is asked; leave it by ``with``.

    Parameters
    ----------
    name : str
        Of the environment.

    Attributes
    ----------
    version : str
        Of the library, after the first answer.
    """

    def __init__(self, name: str) -> None:
        self._name, self.version = name, ""
        self._folder = TemporaryDirectory()
        self._process = subprocess.Popen(  # noqa: S603  our own script
            [environment(name).python(), "-s", "-B", _SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env={"PATH": os.environ["PATH"], "HOME": self._folder.name, **dict.fromkeys(_THREADS, "1")},
        )

    def __enter__(self) -> ServedRuns:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()

    def ask(self, request: Mapping[str, Any]) -> Outputs:
        """Return the outputs of so many fits.

        Raises
        ------
        ExternalFailed
            If there is no answer.
        """
        place = Path(self._folder.name) / "outputs.npz"
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({**request, "out": str(place)}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise ExternalFailed(f"Expected {self._name} to fit, got no answer. Install it again.")
        self.version = json.loads(line)["version"]
        with np.load(place, allow_pickle=False) as arrays:
            return {name: arrays[f"v{at}"] for at, name in enumerate(arrays["names"].tolist())}


@dataclass(frozen=True, eq=False)
class ExternalRuns:
    """A sampler whose runs are fits of another library's model.

    Parameters
    ----------
    case : Case
    served : ServedRuns
    factor : float
        The claim's epsilon is multiplied by it: 2 for half the noise.
    """

    case: Case
    served: ServedRuns
    factor: float = 1.0
    settings: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        epsilon = self.case.claim.epsilon * self.factor
        object.__setattr__(self, "settings", {**self.case.settings, "epsilon": epsilon})

    def draw(self, side: int, count: int, seed: int) -> Outputs:
        """Return what so many fits show; the library's own randomness, whatever the seed."""
        rows: Rows = (self.case.first, self.case.second)[side]
        return self.served.ask(
            {
                "model": self.case.model,
                "settings": self.settings,
                "rows": [[cell] for cell, _ in rows],
                "labels": [label for _, label in rows],
                "probes": [[cell] for cell in self.case.probes],
                "count": count,
            }
        )

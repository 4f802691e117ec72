"""What one process keeps between fits of external learners: a private folder, arrays of a split, libraries at work."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reproductions.external.encoding import external_arrays
from reproductions.external.environment import Environment
from reproductions.external.learner import ExternalLearner
from reproductions.external.process import IDLE_SECONDS, ExternalFailed, PeerProcess
from tacit.study.run.shared_folder import shared_folder
from tacit.study.splits import Split


class Session:
    """Fits of external learners, one after the other; fits of one split share its arrays and the started libraries.

    Parameters
    ----------
    environments : Path, optional
        Their folder.
    idle_seconds : float
        After which a library that is not asked leaves by itself.

    Notes
    -----
    Privacy: arrays of a split lie in a folder of mode 0700, and go with the split. Test labels are never written: a
    learner cannot score itself.
    """

    def __init__(self, environments: Path | None = None, *, idle_seconds: float = IDLE_SECONDS) -> None:
        self._environments, self._idle_seconds = environments, idle_seconds
        self._stack = ExitStack()
        self._folder = self._stack.enter_context(shared_folder())
        self._processes: dict[str, PeerProcess] = {}
        self._split: Path | None = None
        self._exported: dict[tuple[str, int], dict[str, Any]] = {}
        self._of: weakref.ref[Split] | None = None

    def fit(
        self, learner: ExternalLearner, split: Split, given: Mapping[str, Any], settings: Mapping[str, Any]
    ) -> tuple[dict[str, Any], NDArray[np.int64], NDArray[np.float64] | None]:
        """Return the learner's answer, its codes and its scores of the test rows.

        Raises
        ------
        ExternalFailed
            If it does not answer, or with something else than predictions.
        """
        with self._answered(learner, split, given, settings) as (answer, folder):
            codes = _read(folder / "codes.npy", learner, len(split.test_labels))
            if not ((codes >= 0) & (codes < len(split.classes))).all():
                raise _no_predictions(learner)
            scores = _read(folder / "scores.npy", learner, len(split.test_labels)) if answer["scored"] else None
        return answer, codes.astype(np.int64), scores

    def fit_number(
        self, learner: ExternalLearner, split: Split, given: Mapping[str, Any], settings: Mapping[str, Any]
    ) -> tuple[dict[str, Any], NDArray[np.float64]]:
        """Return the learner's answer and the numbers that it predicts for the test rows; raises as `fit`."""
        with self._answered(learner, split, given, settings) as (answer, folder):
            numbers = _read(folder / "numbers.npy", learner, len(split.test_labels))
        return answer, numbers.astype(np.float64)

    @contextmanager
    def _answered(
        self, learner: ExternalLearner, split: Split, given: Mapping[str, Any], settings: Mapping[str, Any]
    ) -> Iterator[tuple[dict[str, Any], Path]]:
        """Give the answer to a request and the folder of its arrays, which goes afterwards."""
        arrays = self._arrays(learner, split, given)
        process = self._process(learner.environment, given["timeout"])
        folder = Path(mkdtemp(dir=self._folder))
        request = {"model": learner.model, "settings": dict(settings), "folder": str(folder), **arrays}
        try:
            yield process.ask(request, given["timeout"]), folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """End the libraries and remove the folder."""
        for process in self._processes.values():
            process.close()
        self._processes.clear()
        self._forget()
        self._stack.close()

    def _process(self, environment: Environment, timeout: float) -> PeerProcess:
        python = environment.python(self._environments)
        found = self._processes.pop(environment.name, None)
        if found is not None and not found.usable:
            found.close()
            found = None
        if found is None:
            found = PeerProcess(
                environment.called, python, environment.models, self._folder, idle_seconds=self._idle_seconds
            )
            if found.version(timeout) != environment.version:
                found.close()
                raise ExternalFailed(
                    f"Expected {environment.package} {environment.version}, got another version. "
                    f"Run: python -m reproductions external install {environment.name}"
                )
        self._processes[environment.name] = found
        return found

    def _arrays(self, learner: ExternalLearner, split: Split, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the part of a request that names the arrays and what is public of them."""
        if self._of is None or self._of() is not split:
            self._forget()
            self._of = weakref.ref(split, lambda _: self._forget())
            self._split = Path(mkdtemp(dir=self._folder))
        encoding = given["encoding"] if learner.encoding == "linear" else learner.encoding
        wanted = encoding, int(given.get("n_bins", 0))
        if wanted not in self._exported:
            assert self._split is not None
            self._exported[wanted] = export(split, encoding, wanted[1], Path(mkdtemp(dir=self._split)))
        return self._exported[wanted]

    def _forget(self) -> None:
        if self._split is not None:
            shutil.rmtree(self._split, ignore_errors=True)
        self._split, self._of = None, None
        self._exported.clear()


def export(split: Split, encoding: str, parts: int, folder: Path) -> dict[str, Any]:
    """Write training rows, their labels and test rows into the folder; return their paths, and what is public."""
    arrays = external_arrays(split.schema, split.train, split.test, encoding, parts)
    target = split.schema.target
    labels = split.train_labels.astype(np.float64 if target else np.int64)
    written = {"train": arrays.train, "labels": labels, "test": arrays.test}
    for name, array in written.items():
        np.save(folder / f"{name}.npy", array)
    public = {
        "low": arrays.low,
        "high": arrays.high,
        "categories": arrays.categories,
        "norm": arrays.norm,
        "n_classes": 0 if target else len(split.classes),
        "target": [target.lower, target.upper] if target else None,
    }
    return {**{name: str(folder / f"{name}.npy") for name in written}, "public": public}


def session() -> Session:
    """Return this process's session; it ends with the process."""
    return _session_of(os.getpid())


@cache
def _session_of(process: int) -> Session:
    made = Session()
    Finalize(None, made.close, exitpriority=0)  # unlike atexit, this runs in worker processes too
    return made


def _read(path: Path, learner: ExternalLearner, n_rows: int) -> NDArray[Any]:
    try:
        found = np.load(path, allow_pickle=False)
    except (OSError, ValueError):
        raise _no_predictions(learner) from None
    if found.shape != (n_rows,) or not np.isfinite(found).all():
        raise _no_predictions(learner)
    return np.asarray(found)


def _no_predictions(learner: ExternalLearner) -> ExternalFailed:
    what = "a finite number" if learner.of_numbers else "a class and a finite score"
    return ExternalFailed(
        f"Expected {what} of external:{learner.name} for each test row, got something else. "
        "Its noise may be too large for it."
    )

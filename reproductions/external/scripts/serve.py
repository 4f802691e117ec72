"""Fits models of another library when asked to: runs in that library's environment, with NumPy and nothing of ours.

    python -s -B serve.py library_models.py idle_seconds

Requests come as lines of JSON on the standard input, answers go as lines of JSON to the standard output; arrays lie in
files. An error is answered by its type alone: its text may quote the rows. It leaves when the input ends, or when it
was not asked anything for so long.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np


def main(models: str, idle_seconds: float) -> None:
    """Answer requests until there are no more."""
    warnings.simplefilter("ignore")
    answers = _own_output()
    library = load(models)
    _say(answers, {"version": library.version()})
    while True:
        timer = threading.Timer(idle_seconds, os._exit, [0])
        timer.daemon = True
        timer.start()
        line = sys.stdin.readline()
        timer.cancel()
        if not line:
            return
        _say(answers, answer(library, json.loads(line)))


def load(models: str) -> Any:
    """Return the script with the library's models."""
    spec = importlib.util.spec_from_file_location("models", models)
    if spec is None or spec.loader is None:
        raise ImportError("models")
    library = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(library)
    return library


def answer(library: Any, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a fit took, its predictions being in files, or the type of the error."""
    try:
        return fitted(library.MODELS[request["model"]], request)
    except Exception as error:  # noqa: BLE001  whatever it is, its name is the answer
        return {"error": type(error).__name__}


def fitted(make: Callable[..., Any], request: Mapping[str, Any]) -> dict[str, Any]:
    """Fit, predict and write what is predicted: ``codes.npy`` and, for two classes, ``scores.npy``; or the numbers."""
    train, labels, test = (np.load(request[name], allow_pickle=False) for name in ("train", "labels", "test"))
    model, score = make(request["settings"], request["public"])
    start, worked = time.perf_counter(), time.process_time()
    model.fit(train, labels)
    trained, spent = time.perf_counter(), time.process_time()
    said = np.asarray(model.predict(test))
    scores = score(model, test) if request["public"]["n_classes"] == 2 and len(np.unique(labels)) == 2 else None
    predicted = time.perf_counter()
    folder = Path(request["folder"])
    kind, name = (np.float64, "numbers.npy") if request["public"]["target"] else (np.int64, "codes.npy")
    np.save(folder / name, said.astype(kind))
    if scores is not None:
        np.save(folder / "scores.npy", np.asarray(scores, dtype=np.float64))
    return {
        "fit_seconds": trained - start,
        "fit_processor_seconds": spent - worked,
        "predict_seconds": predicted - trained,
        "scored": scores is not None,
    }


def _own_output() -> IO[str]:
    """Return the standard output, and send whatever else is printed nowhere."""
    kept = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  until the end
    return kept


def _say(answers: IO[str], said: Mapping[str, Any]) -> None:
    answers.write(json.dumps(said) + "\n")
    answers.flush()


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))

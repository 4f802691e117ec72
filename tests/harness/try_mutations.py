"""Reads model files from stdin, and says of each what came of it: in a fork for each, whose memory is measured."""

from __future__ import annotations

import json
import os
import random
import resource
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from harness.mutations import signed
from tacit import BoostedTreesClassifier, LogisticClassifier
from tacit.cli.model_words import summaries
from tacit.errors import ModelFileError
from tacit.models import Model, StagedScores, from_json, to_json
from tacit.models.document import upgraded
from tacit.schema import Categorical, Label, Numeric, Schema

GOLDEN = Path(__file__).parents[1] / "golden" / "format-1"


def boosted() -> list[dict[str, Any]]:
    """Return models of boosted trees, and with profiles, which are younger than the golden files."""
    columns = [Numeric("age", 17, 90), Categorical("sky", ["clear", "gray", "snow"])]
    draw = np.random.default_rng(0)
    # No frame: its library's threads would not be there in a fork.
    frame = [
        list(row) for row in zip(draw.uniform(17, 90, 90), draw.choice(["clear", "gray", "snow"], 90), strict=True)
    ]
    models = []
    # With a delta ranks come first.
    for structure, n_classes, delta in (("oblivious", 2, 0.0), ("additive", 3, 0.0), ("mixed", 2, 1e-3)):
        schema = Schema(columns, label=Label("y", range(n_classes)))
        settings = {"n_trees": 4, "depth": 2, "structure": structure, "random_state": n_classes}
        learner = BoostedTreesClassifier(schema, epsilon=1.0, delta=delta, **settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of simulated noise, which makes seeds repeatable
            learner.fit(frame, np.arange(90) % n_classes)
        models.append(json.loads(to_json(learner.model_, allow="simulated"))["model"])
        explained = LogisticClassifier(schema, epsilon=1.0, explain_share=0.3, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            explained.fit(frame, np.arange(90) % n_classes)
        models.append(json.loads(to_json(explained.model_, allow="simulated"))["model"])
    return models


def contents() -> list[dict[str, Any]]:
    """Return the golden models as the present format has them, and models of kinds that have come since."""
    models = [json.loads(path.read_text(encoding="utf-8"))["model"] for path in sorted(GOLDEN.glob("*.model.json"))]
    return [*(upgraded(model, 1) for model in models), *boosted()]


def admitted(column: Numeric | Categorical) -> list[Any]:
    """Return cells that the column admits: all kinds of them, the bounds too."""
    if isinstance(column, Categorical):
        return [*column.categories[:20], column.categories[-1]]
    if column.is_date:
        middle = column.low + timedelta(days=(column.high - column.low).days // 2)
        return [each for each in (column.low, column.high, middle, column.missing, column.center) if each]
    inner = (column.middle, column.lower + (column.upper - column.lower) / 3)
    return [column.low, column.high, *inner, *(column.cuts or ())[:20]]


def rows(model: Model) -> np.ndarray:
    """Return rows that the schema admits."""
    cells = [admitted(column) for column in model.schema.columns]
    height = max(map(len, cells))
    filled = [[each if each is not None else own[0] for each in (own * height)[:height]] for own in cells]
    table = np.empty((height, len(cells)), dtype=object)
    for at, own in enumerate(filled):
        table[:, at] = own
    return table


def check_accepted(model: Model) -> None:
    """Assert that a model that was read predicts finite scores, explains itself, and is saved as it is."""
    cells = rows(model)
    scores = model.decision_function(cells)
    assert np.isfinite(scores).all(), "a score is not finite"
    assert set(model.predict(cells).tolist()) <= set(model.classes.tolist())
    assert np.isfinite(model.predict_proba(cells)).all(), "a probability is not finite"
    if all(isinstance(scorer, StagedScores) for scorer in model.scorers):
        for _ in model.staged_predict(cells):
            pass
    assert str(model.guarantee)
    assert summaries(model)
    if model.profile:
        assert np.isfinite(model.explain()["deviation"].to_numpy()).all(), "an explanation is not finite"
    status = model.guarantee.status
    text = to_json(model, allow=status)
    again = from_json(text)
    assert again == model, "another model after a round trip"
    assert to_json(again, allow=status) == text, "other bytes after a round trip"


def tried(text: str | bytes) -> tuple[bool, float]:
    """Return whether the file was accepted, and the seconds that reading it took."""
    start = time.process_time()
    try:
        model = from_json(text)
    except ModelFileError as error:
        assert len(str(error)) < 1000, "a long message"
        assert "\n" not in str(error)
        return False, time.process_time() - start
    taken = time.process_time() - start
    check_accepted(model)
    return True, taken


def peak() -> float:
    """Return the most memory that this process had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def outcome(text: bytes) -> dict[str, Any]:
    """Return what came of a file, the seconds that reading it took, and the MiB that it added."""
    before, said = peak(), dict[str, Any]()
    try:
        said["accepted"], said["seconds"] = tried(text)
    except Exception:
        said["failure"] = traceback.format_exc(limit=-5)
    return said | {"mebibytes": peak() - before}


def in_a_child(work: Callable[[], None]) -> bool:
    """Return whether a process of its own does the work and ends well.

    What earlier files left behind in this process would hide what a file adds, or be counted as its own; and threads
    that a library starts here (explanations are polars frames) would not be there in later children, which would wait.
    """
    sys.stdout.flush()
    if child := os.fork():
        return os.waitpid(child, 0)[1] == 0
    try:
        work()
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def unaltered() -> None:
    """Assert that files that were not altered are accepted."""
    for content in contents():
        assert tried(signed(content, random.Random(0)))[0], "a file that was not altered"


def main() -> None:
    """Read texts from stdin, each after a line with its length, and write a line of JSON about each to stdout."""
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", message=".*multi-threaded, use of fork", category=DeprecationWarning)
    assert in_a_child(unaltered), "a file that was not altered"
    while line := sys.stdin.buffer.readline():
        text = sys.stdin.buffer.read(int(line))
        if not in_a_child(lambda text=text: print(json.dumps(outcome(text)), flush=True)):
            print(json.dumps({"failure": "the process died"}), flush=True)


if __name__ == "__main__":
    main()

"""Logistic regression from Adult's encoded table against diffprivlib's and Opacus', in one run.

    python -m reproductions external install diffprivlib && python -m reproductions external install opacus
    OPENBLAS_NUM_THREADS=1 python benchmarks/external_linear.py

Adult's folder is found by TACIT_DATA or the cache. Epsilon is 1, delta 1e-5 or, for pure methods, 0; all private; every
library on one thread, each fit with its noise, ours from secure sources. Processor seconds, so that other work on the
machine counts less; one fit of each in turn, and the median over rounds, since how long diffprivlib's solver takes
depends on its noise. Start-up, encoding and the first round do not count.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from statistics import median
from typing import Any

from reproductions.external import find_external
from reproductions.external.session import Session
from tacit.estimators import LogisticClassifier
from tacit.study.fit import fit_task
from tacit.study.run.tables import Tables
from tacit.study.splits import Split

EPSILON, DELTA = 1.0, 1e-5
LINE = 3.0
"""How many times as long peers should take."""

ROUNDS = 7

OURS = {"noisy gradient, delta 1e-5": DELTA, "K-norm, delta 0": 0.0}
EXTERNAL = {
    "Opacus 1.6.0, 100 steps": ("opacus-1.6.0-logistic", {}),
    "Opacus 1.6.0, 100 steps, our bins": ("opacus-1.6.0-logistic", {"encoding": "binned"}),
    "diffprivlib 0.6.6": ("diffprivlib-0.6.6-logistic", {}),
    "diffprivlib 0.6.6, our bins": ("diffprivlib-0.6.6-logistic", {"encoding": "binned"}),
}


def ours(split: Split, delta: float) -> float:
    start = time.process_time()
    LogisticClassifier(split.schema, epsilon=EPSILON, delta=delta).fit_table(split.table)
    return time.process_time() - start


def theirs(split: Split, session: Session, name: str, parameters: Mapping[str, Any], seed: int) -> float:
    peer = find_external(name)
    given = peer.complete({**parameters, "relation": "theirs"})
    settings = {**peer.settings(given, EPSILON, DELTA), "seed": seed}
    return session.fit(peer, split, given, settings)[0]["fit_processor_seconds"]


def one_round(split: Split, session: Session, seed: int) -> dict[str, float]:
    own = {name: ours(split, delta) for name, delta in OURS.items()}
    return own | {name: theirs(split, session, peer, given, seed) for name, (peer, given) in EXTERNAL.items()}


def words(times: list[float]) -> str:
    return f"{1000 * median(times):6.0f} ms ({1000 * min(times):.0f} to {1000 * max(times):.0f})"


def main() -> None:
    task = fit_task(data="adult", learner="logistic", split={"kind": "official"}, privacy="all-private")
    split, session = Tables().split(task), Session()
    one_round(split, session, ROUNDS)
    rounds = [one_round(split, session, seed) for seed in range(ROUNDS)]
    session.close()
    for name in OURS:
        print(f"{words([each[name] for each in rounds])}  tacit logistic, {name}")
    for name in EXTERNAL:
        ratios = {own: median(each[name] / each[own] for each in rounds) for own in OURS}
        told = ", ".join(f"{ratio:.1f} times {own}" for own, ratio in ratios.items())
        verdict = "reached" if min(ratios.values()) >= LINE else f"not all reach {LINE:g}"
        print(f"{words([each[name] for each in rounds])}  {name}: {told}: {verdict}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()

"""How far a fit reaches: its functions, files and depth of calls, and those of one predicted row.

Run: python benchmarks/fit_path.py [LEARNER]. A few seconds. By default `AutoClassifier`, epsilon 1, delta 1e-5, on
2,000 rows of Adult with everything private. What is counted is Python code of tacit alone: a function once however
often it is called, and a depth of frames of tacit, whatever lies between them. `--list` prints the files, the most
functions first, and `--deepest` the deepest chain of calls.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import tacit
from tacit.datasets import load

ROWS = 2_000
ROOT = str(Path(tacit.__file__).parent)


class CallPath:
    """What a traced call passed: functions of tacit, and its deepest chain of them."""

    def __init__(self) -> None:
        self.functions: set[CodeType] = set()
        self.chain: list[CodeType] = []
        self._stack: list[CodeType] = []

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(ROOT) or event not in ("call", "return"):
            return
        # Generators are called and return once for each item; comprehensions and lambdas are part of their function.
        if event == "call":
            self.functions.add(code)
            self._stack.append(code)
            if len(self._stack) > len(self.chain):
                self.chain = list(self._stack)
        elif self._stack:
            self._stack.pop()

    @property
    def files(self) -> Counter[str]:
        """Functions by file, which is named from the package on."""
        return Counter(str(Path(code.co_filename).relative_to(ROOT)) for code in self.functions)


def traced(action: Callable[[], Any]) -> tuple[Any, CallPath]:
    """Return what the action returns, and what it passed."""
    path = CallPath()
    sys.setprofile(path)
    try:
        return action(), path
    finally:
        sys.setprofile(None)


def main() -> None:
    """Trace a fit and the prediction of one row."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("learner", nargs="?", default="AutoClassifier")
    parser.add_argument("--list", action="store_true", help="print the files and how many functions of each ran")
    parser.add_argument("--deepest", action="store_true", help="print the deepest chain of calls")
    arguments = parser.parse_args()
    data = load("adult")
    rows, labels = data.frame[:ROWS], data.target[:ROWS]
    estimator = getattr(tacit, arguments.learner)(data.schema.all_private(), epsilon=1.0, delta=1e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # The first fit imports what only a fit needs.
        estimator.fit(rows, labels)
        fitted, fit = traced(lambda: estimator.fit(rows, labels))
        fitted.predict(rows[:1])
        _, row = traced(lambda: fitted.predict(rows[:1]))
    for name, path in (("a fit", fit), ("one row", row)):
        print(f"{name}: {len(path.functions)} functions in {len(path.files)} files, {len(path.chain)} deep")
        if arguments.list:
            print("\n".join(f"  {count:4} {file}" for file, count in path.files.most_common()))
        if arguments.deepest:
            print("\n".join(f"  {code.co_filename.removeprefix(ROOT)[1:]}: {code.co_qualname}" for code in path.chain))


if __name__ == "__main__":
    main()

"""What `import tacit` adds to importing scikit-learn: python benchmarks/import_time.py."""

from __future__ import annotations

import subprocess
import sys
import time

REPEATS = 5
CASES = {
    "scikit-learn": "import sklearn.linear_model",
    "scikit-learn, tacit": "import sklearn.linear_model; import tacit",
    "scikit-learn, an estimator of tacit": "import sklearn.linear_model; from tacit import BRCClassifier, Schema",
}


def seconds(code: str) -> float:
    """Fastest of several fresh interpreters."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    alone = seconds(CASES["scikit-learn"])
    for name, code in CASES.items():
        taken = seconds(code)
        print(f"{name:38s} {taken:6.2f} s   {taken - alone:+.2f} s (at most +1)")


if __name__ == "__main__":
    main()

"""Logistic regression from the encoded Adult table, against scikit-learn, diffprivlib and Opacus; then 1,000,000 rows.

    python benchmarks/logistic.py [rows]

Adult's folder is found by TACIT_DATA or the cache. diffprivlib 0.6.6 and Opacus 1.6.0 need environments of their own,
which `python -m reproductions external install` makes; without them their lines are left out. Run it from the
repository's root with PYTHONPATH=. in front. All fits include their noise; ours is secure, all private.
`benchmarks/external_linear.py` compares processor seconds, in turn.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.linear_model import LogisticRegression

from reproductions.external import environment
from tacit.convex import HuberLoss, LogisticLoss
from tacit.datasets import load
from tacit.features.feature_encoding import named_encoding
from tacit.learners.linear import GaussianObjectivePerturbation, Linear, MeanOperator, PureObjective
from tacit.mechanisms import announce, noise_source
from tacit.privacy import Accountant, Budget
from tacit.queries import LinearObjective, LinearProblem
from tacit.schema import Label, Numeric, Schema
from tacit.table import Table

REPEATS = 5
DIFFPRIVLIB = """
import sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
from diffprivlib.models import LogisticRegression
data = np.load(sys.argv[1])
X, y = data["X"], data["y"]
times = []
for _ in range(5):
    start = time.perf_counter()
    LogisticRegression(epsilon=1.0, data_norm=float(np.sqrt(14)), max_iter=1000).fit(X, y)
    times.append(time.perf_counter() - start)
print(min(times))
"""
OPACUS = """
import sys, time, warnings
import numpy as np, torch
warnings.simplefilter("ignore")
from opacus import PrivacyEngine
data = np.load(sys.argv[1])
X, y = torch.tensor(data["X"], dtype=torch.float32), torch.tensor(data["y"], dtype=torch.float32)
torch.set_num_threads(int(sys.argv[2]))
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, y), batch_size=len(X))
model = torch.nn.Linear(X.shape[1], 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
model, optimizer, loader = PrivacyEngine().make_private(
    module=model, optimizer=optimizer, data_loader=loader, noise_multiplier=10.0, max_grad_norm=1.0,
    poisson_sampling=False,
)
loss = torch.nn.BCEWithLogitsLoss()
start = time.perf_counter()
for _ in range(100):
    for batch, labels in loader:
        optimizer.zero_grad()
        loss(model(batch)[:, 0], labels).backward()
        optimizer.step()
print(time.perf_counter() - start)
"""


def best(work: Callable[[], object]) -> float:
    """Seconds of the fastest of several runs."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def fit(table: Table, learner: Linear, delta: float = 0.0) -> None:
    accountant = Accountant(Budget(1.0, delta), table.unit, noise_source(None), n_rows=table.n_rows)
    learner.train(table, announce(accountant, learner.plan(table.unit)), np.random.default_rng(0))


def adult() -> None:
    data = load("adult")
    schema = data.schema.all_private()
    train = data.split == "train"
    frame, labels = data.frame.filter(train), data.target.filter(train)
    table = Table.from_frame(frame, labels, schema)
    logistic, huber = LogisticLoss(), HuberLoss()
    learners = {
        "logistic, K-norm": (Linear(schema, logistic, PureObjective(logistic)), 0.0),
        "logistic, spherical": (Linear(schema, logistic, PureObjective(logistic, "sphere")), 0.0),
        "logistic, Gaussian": (Linear(schema, logistic, GaussianObjectivePerturbation(logistic, 1.0, 1e-6)), 1e-6),
        "logistic, mean operator": (Linear(schema, logistic, MeanOperator()), 0.0),
        "SVM, K-norm": (Linear(schema, huber, PureObjective(huber)), 0.0),
    }
    times = {}
    for name, (learner, delta) in learners.items():
        fit(table, learner, delta)
        times[f"tacit {name}"] = best(lambda learner=learner, delta=delta: fit(table, learner, delta))
    encoding = named_encoding(schema, schema.names, "binned", 8)
    from tacit.table import read_rows

    X, y = encoding.transform(read_rows(frame, schema)), (labels == ">50K").to_numpy().astype(int)
    times["scikit-learn LogisticRegression (lbfgs), same features, no noise"] = best(
        lambda: LogisticRegression(max_iter=1000).fit(X, y)
    )
    for name, library, program in (
        ("diffprivlib LogisticRegression, same features", "diffprivlib", DIFFPRIVLIB),
        ("Opacus, 100 full-batch steps, same features", "opacus", OPACUS),
    ):
        if environment(library).installed():
            times[name] = run_peer(environment(library).python(), program, X, y)
    ours = times["tacit logistic, K-norm"]
    for name, seconds in times.items():
        print(f"{1000 * seconds:9.1f} ms  {seconds / ours:6.2f} x K-norm  {name}", flush=True)


def run_peer(python: Path, program: str, X: np.ndarray, y: np.ndarray) -> float:
    with tempfile.NamedTemporaryFile(suffix=".npz") as file:
        np.savez(file, X=X, y=y)
        file.flush()
        threads = os.environ.get("OMP_NUM_THREADS", "2")
        command = [python, "-c", program, file.name, threads]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout)


def growth(n_rows: int) -> None:
    """One pass for a gradient over rows of 100 numbers, binned and plain, beside reading the memory once."""
    schema = Schema([Numeric(f"x{i}", -1, 1) for i in range(100)], label=Label("y", [0, 1]))
    generator = np.random.default_rng(0)
    X = generator.uniform(-1, 1, (n_rows, 100))
    table = Table.from_frame(pl.DataFrame(X, schema=list(schema.names)), (X[:, 0] > 0).astype(int), schema)
    del X
    for name in ("one-hot", "binned"):
        learner = Linear(schema, LogisticLoss(), PureObjective(LogisticLoss()), encoding=name)
        design = learner.design(table.unit)
        objective = LinearObjective(LinearProblem(table, design), LogisticLoss(), 1.0)
        at = np.zeros(design.n_features)
        objective.gradient(at)
        one_pass = best(lambda objective=objective, at=at: objective.gradient(at))
        second = best(lambda objective=objective, at=at: objective.hessian(at)) if name == "one-hot" else float("nan")
        whole = best_once(lambda learner=learner: fit(table, learner)) if name == "one-hot" else float("nan")
        print(
            f"{n_rows} x 100 {name}: a gradient {1000 * one_pass:.0f} ms, second derivatives {1000 * second:.0f} ms, "
            f"a fit {whole:.2f} s",
            flush=True,
        )
    copied = np.ones((n_rows, 100), dtype=np.float32)
    print(f"reading as many float32 numbers once: {1000 * best(copied.sum):.0f} ms")


def best_once(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    adult()
    growth(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)

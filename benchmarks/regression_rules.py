"""How regressors scale their target and which one leads, on synthetic tables alone: where rules of regression are from.

    python benchmarks/regression_rules.py [seeds, 1 if not given] [scale]

Tables of numbers and categories whose target is additive, has interactions, steps, a long tail, or is mostly zero;
3,000 and 30,000 rows, epsilon 0.03 to 10, delta 1e-6, everything private, bounds a tenth or ten times too wide. For
each learner the root mean square error on further rows over the standard deviation of the target, a mean over tables
by rows times epsilon a column. With "scale": of boosted trees and linear regression by how many units are a standard
deviation, and by how many times the rows that find a median a distance must have, where residuals are clipped.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import polars as pl

from tacit import BoostedTreesRegressor, LinearRegressor
from tacit.learners import target_scale
from tacit.schema import Categorical, Numeric, Schema, Target

SIZES, EPSILONS, N_SCORED = (3_000, 30_000), (0.03, 0.1, 0.3, 1.0, 3.0, 10.0), 5_000
EDGES = (0, 10, 30, 100, 300, 1_000, 3_000, 10_000, np.inf)
Floats = np.ndarray


def means(generator: np.random.Generator) -> dict[str, Callable[[Floats, Floats], Floats]]:
    """Return functions of numbers in [-1, 1], (n, 6), and of a category."""
    slopes, of_category = generator.normal(size=6) / np.arange(1, 7), generator.normal(size=4)
    additive = lambda x, c: x @ slopes + np.sin(3 * x[:, 0]) + 0.5 * of_category[c]  # noqa: E731
    crossed = lambda x, c: 2 * x[:, 0] * x[:, 1] + x[:, 2] * of_category[c] + 0.5 * x @ slopes  # noqa: E731
    steps = lambda x, c: (x[:, 0] > 0.2) * (1.5 + (x[:, 1] > -0.3)) + (x[:, 2] > 0) * of_category[c]  # noqa: E731
    return {"additive": additive, "crossed": crossed, "steps": steps}


def tables(seeds: int) -> Iterator[tuple[str, pl.DataFrame, Floats, Schema]]:
    """Yield tables of all kinds."""
    n = max(SIZES) + N_SCORED
    for seed in range(seeds):
        generator = np.random.default_rng(seed)
        for at, (name, mean) in enumerate(means(generator).items()):
            x, c = generator.uniform(-1, 1, (n, 6)), generator.integers(4, size=n)
            x[:, 3] = 0.8 * x[:, 0] + 0.2 * x[:, 3]
            center = mean(x, c)
            center /= center.std()
            for tail, noise in (("even", 1.0), ("long", 0.7), ("mostly zero", 0.5)):
                y = center + noise * generator.normal(size=n)
                y = np.exp(0.7 * y) if tail == "long" else y
                y = np.where(y > 0.7, y, 0.0) if tail == "mostly zero" else y
                frame = pl.DataFrame({f"x{k}": x[:, k] for k in range(6)} | {"c": c.astype(str)})
                wide = (0.1, 10.0)[(at + len(tail)) % 2] * np.ptp(y)
                columns = [*(Numeric(f"x{k}", -1, 1) for k in range(6)), Categorical("c", list("0123"))]
                target = Target("y", float(y.min() - wide * (tail == "even")), float(y.max() + wide))
                yield f"{name}, {tail}", frame, y, Schema(columns, label=target)


def error(estimator: type, settings: dict[str, object], frame: pl.DataFrame, y: Floats, schema: Schema) -> float:
    """Return the error of one fit, over the deviation of the target."""
    n = int(settings.pop("n"))  # type: ignore[call-overload]
    model = estimator(schema, delta=1e-6, **settings).fit(frame[:n], y[:n])
    scored = slice(len(y) - N_SCORED, len(y))
    return float(np.sqrt(np.mean((model.predict(frame[scored]) - y[scored]) ** 2)) / y[scored].std())


def main() -> None:
    """Print the mean error of each variant by rows times epsilon a column."""
    warnings.simplefilter("ignore")
    seeds = next((int(each) for each in sys.argv[1:] if each.isdigit()), 1)
    variants = [(None, None)]
    if "scale" in sys.argv:
        variants = [(units, surely) for units in (1.0, 2.0, 4.0) for surely in (1.0, 2.0, 4.0, 8.0)]
    found: dict[tuple[object, ...], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (name, *table), n, epsilon in product(tables(seeds), SIZES, EPSILONS):
        at = int(np.searchsorted(EDGES, n * epsilon / len(table[2].columns), side="right"))
        for (units, surely), cls in product(variants, (LinearRegressor, BoostedTreesRegressor)):
            if units is not None:
                target_scale.ROWS_PER_SCALE = 2.0 * surely  # type: ignore[assignment]
                cls.units = units  # type: ignore[attr-defined]
            settings = {"n": n, "epsilon": epsilon, "random_state": 7}
            value = error(cls, dict(settings), *table)
            for key in (name.split(", ")[1], "all"):
                found[key, cls.__name__[:6], units, surely][at].append(value)
    print("kind, learner, units, surely | rows x epsilon a column from", *EDGES[:-1])
    for key, cells in sorted(found.items(), key=str):
        print(*key, "|", *(f"{np.mean(cells[at]):.3f}" if at in cells else "-" for at in range(1, len(EDGES))))


if __name__ == "__main__":
    main()

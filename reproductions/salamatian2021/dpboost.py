"""DPBoost (Li, Wu, Wen and He 2020), a comparator of Salamatian (2021), figure 5.2: as published, and corrected.

Gradient boosting of regression trees on labels -1 and 1 with the squared loss. Gradients above one in absolute value
are left out, leaves are clipped to (1 - learning rate)^t, and each tree has rows of its own, fewer the later it comes.
Of a tree's budget, half chooses splits, level by level, and half is noise on leaves. See README.md in this folder for
what a row moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reproductions.framework.published import REASON
from reproductions.salamatian2021.gains import SHRINK, Bounds, Gains, candidates_of, leaf_means
from tacit.errors import ParameterError
from tacit.features import GRID_STEPS, BinEncoding
from tacit.mechanisms import Releases, announce, noise_source
from tacit.mechanisms.secret_draws import secret_order
from tacit.privacy import Accountant, Budget, Guarantee, NoiseSource, PlanEntry, PrivacyUnit
from tacit.schema import Schema
from tacit.table import Rows, read_labels, read_rows

Floats = NDArray[np.float64]
Cost = Literal["corrected", "published"]
Share = Literal["parts", "halves"]

TREES, DEPTH = 50, 6
SPLITS = 0.5
"""Share of a tree's budget for its splits."""


@dataclass(eq=False)
class DPBoost:
    """One ensemble of trees on disjoint rows, each at the whole budget; for two classes.

    Parameters
    ----------
    schema : Schema
    epsilon : float
    cost : {"corrected", "published"}
        As published, gains have sensitivity 3 and leaves that of one row more; the certificate is void.
    rows : {"parts", "halves"}
        Disjoint parts; or, void at any cost, a half of all rows for each tree, which their code's settings ask for.
    n_trees, depth : int
    random_state : int
        Of noise and of the order of rows: simulated, for studies.
    """

    schema: Schema
    epsilon: float
    cost: Cost = "corrected"
    rows: Share = "parts"
    n_trees: int = TREES
    depth: int = DEPTH
    random_state: int = 0

    def fit(self, X: Any, y: Any) -> DPBoost:
        """Train on rows X and labels y."""
        return self.fit_rows(read_rows(X, self.schema), read_labels(y, self.schema.label))

    def fit_rows(self, rows: Rows, labels: NDArray[np.integer]) -> DPBoost:
        """Train on rows as the schema reads them, and labels 0 or 1."""
        unit = PrivacyUnit(self.schema.private_columns, self.schema.label.private)
        if unit.protects_nothing or len(self.schema.classes) != 2 or rows.n_rows < self.n_trees:
            raise ParameterError(
                "Expected two classes, something private and a row for each tree, got less. Change the schema."
            )
        noise = noise_source(np.random.default_rng(self.random_state))
        accountant = Accountant(Budget(self.epsilon), unit, noise, n_rows=rows.n_rows)
        parts, units = self._parts(rows.n_rows, noise), unit.divided(self.n_trees)
        inside = accountant.in_parallel(units, n_rows=[len(part) for part in parts])
        codes, signs = self._encoding.transform(rows), np.where(labels == 1, 1.0, -1.0)
        self.trees_: list[tuple[tuple[NDArray[np.intp], ...], Floats]] = []
        for at, (part, own) in enumerate(zip(parts, inside, strict=True)):
            releases = announce(own, self.plan(at, units[at]))
            self.trees_.append(self._tree(codes[part], signs[part], Bounds(self.cost, at, units[at]), releases))
        void = self.cost == "published" or self.rows == "halves"
        self.privacy_: Guarantee = accountant.guarantee(reasons=[REASON] if void else [])
        return self

    def plan(self, tree: int, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the releases of one tree: a joint choice for each level, and its leaves."""
        l1 = Bounds(self.cost, tree, unit).leaves
        return [
            PlanEntry("selection", count=self.depth, weight=SPLITS / self.depth),
            PlanEntry("noise", weight=1 - SPLITS, l1=l1, l2=l1),
        ]

    def decision(self, rows: Rows) -> Floats:
        """Return the score of each row, above zero for the second class."""
        return self._scores(self._encoding.transform(rows))

    @property
    def _encoding(self) -> BinEncoding:
        return BinEncoding(self.schema, self.schema.names)

    def _parts(self, n_rows: int, noise: NoiseSource) -> list[NDArray[np.intp]]:
        """Return the positions of each tree's rows, from a secret order that reads no row."""
        if self.rows == "halves":
            return [secret_order(noise, n_rows)[: n_rows // 2] for _ in range(self.n_trees)]
        return np.split(secret_order(noise, n_rows), np.cumsum(sizes(n_rows, self.n_trees))[:-1])

    def _tree(
        self, codes: NDArray[Any], signs: Floats, bounds: Bounds, releases: Releases
    ) -> tuple[tuple[NDArray[np.intp], ...], Floats]:
        """Return the splits of each level, and what each leaf adds to the score."""
        # A row's gradient follows from its own cells and released trees; towards zero, so that it stays within one.
        gradients = np.trunc((self._scores(codes) - signs) * GRID_STEPS)
        kept = np.abs(gradients) <= GRID_STEPS
        codes, gradients = codes[kept], gradients[kept]
        gains = Gains(self._encoding, codes, gradients, bounds, n_rows=len(signs))
        candidates, levels = candidates_of(self._encoding), []
        nodes = np.zeros(len(codes), dtype=np.intp)
        for level in range(self.depth):
            levels.append(releases.best_of_each(gains.statistic(nodes, 2**level)))
            nodes = 2 * nodes + candidates.right(codes, levels[-1][nodes])
        released = releases.noisy(leaf_means(nodes, gradients, 2**self.depth, bounds))
        return tuple(levels), (1 - SHRINK) * released.value / GRID_STEPS

    def _scores(self, codes: NDArray[Any]) -> Floats:
        scores, candidates = np.zeros(len(codes)), candidates_of(self._encoding)
        for levels, leaves in self.trees_:
            nodes = np.zeros(len(codes), dtype=np.intp)
            for chosen in levels:
                nodes = 2 * nodes + candidates.right(codes, chosen[nodes])
            scores += leaves[nodes]
        return scores


def sizes(n_rows: int, n_trees: int) -> NDArray[np.intp]:
    """Return how many rows each tree has: one, and of the others SHRINK times as many as the tree before.

    Examples
    --------
    >>> sizes(274, 3).tolist()
    [101, 91, 82]
    """
    shares = SHRINK ** np.arange(n_trees)
    # A little more than the quotient: rounding must not take a row from a part that comes out whole.
    found = 1 + np.floor((n_rows - n_trees) * shares / shares.sum() + 1e-9).astype(np.intp)
    found[0] += n_rows - found.sum()
    return found

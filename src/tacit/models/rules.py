"""Classifiers of one row, as they are written down in a model: a linear rule, a tree, a constant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.checks import check_bounded
from tacit.errors import ModelFileError
from tacit.features import GRID

DEEPEST = 1000
"""Questions that a public tree may ask one after the other: each is a step of its own over all rows."""

_STRICT: dict[str, Any] = {"extra": "forbid", "allow_inf_nan": False}


@dataclass(frozen=True)
class LinearRule:
    """Decides for the second class where weights . features + intercept is above zero."""

    weights: tuple[float, ...]
    """One per feature of the model's encoding, multiples of ``tacit.table.GRID``."""
    intercept: float
    kind: Literal["linear"] = "linear"

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    def __post_init__(self) -> None:
        check_bounded(self.intercept, *self.weights)

    def decide(self, features: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return whether each row goes into the second class, shape (n_rows,)."""
        # As training compared: adding the intercept first could round a row to the other side.
        return np.asarray(features @ np.asarray(self.weights) > -self.intercept)

    def fits(self, n_features: int) -> bool:
        """Tell whether the rule is one of so many features."""
        return len(self.weights) == n_features


@dataclass(frozen=True)
class TreeRule:
    """A binary decision tree: go left where the feature is at most the threshold."""

    feature: tuple[int, ...]
    """Feature of each node, -1 at a leaf."""
    threshold: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    """Children of each node, -1 at a leaf; a child has a higher number than its parent."""
    second: tuple[bool, ...]
    """Whether the node, if a leaf, decides for the second class."""
    kind: Literal["tree"] = "tree"

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    def __post_init__(self) -> None:
        size = len(self.feature)
        lengths = {size, len(self.threshold), len(self.left), len(self.right), len(self.second)}
        children = [
            node < left < size and node < right < size
            for node, (feature, left, right) in enumerate(zip(self.feature, self.left, self.right, strict=False))
            if feature >= 0
        ]
        if len(lengths) != 1 or size == 0 or not all(children) or min(self.feature) < -1:
            raise ModelFileError("Expected a tree whose nodes point to later nodes. The file is damaged.")
        # Children of leaves are not looked at, but an integer that NumPy has no type for would change the array's.
        if not all(-1 <= child < size for child in (*self.left, *self.right)) or self._depth > DEEPEST:
            raise ModelFileError(f"Expected a tree of at most {DEEPEST} questions one after the other. Prune it.")

    def decide(self, features: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return whether each row goes into the second class, shape (n_rows,)."""
        feature, threshold, left, right = self._nodes
        node = np.zeros(len(features), dtype=np.intp)
        # All rows take a step together: as many steps as the tree is deep, however many rows there are.
        walking = np.flatnonzero(feature[node] >= 0)
        while len(walking):
            at = node[walking]
            goes_left = features[walking, feature[at]] <= threshold[at]
            node[walking] = np.where(goes_left, left[at], right[at])
            walking = walking[feature[node[walking]] >= 0]
        return np.asarray(self.second)[node]

    def fits(self, n_features: int) -> bool:
        """Tell whether the rule is one of so many features."""
        return max(self.feature) < n_features

    @property
    def _depth(self) -> int:
        depths = [0] * len(self.feature)
        for node, feature in enumerate(self.feature):
            if feature >= 0:
                for child in (self.left[node], self.right[node]):
                    depths[child] = max(depths[child], depths[node] + 1)
        return max(depths)

    @cached_property
    def _nodes(self) -> tuple[NDArray[Any], ...]:
        return np.asarray(self.feature), np.asarray(self.threshold), np.asarray(self.left), np.asarray(self.right)


@dataclass(frozen=True)
class OpaqueRule:
    """A public classifier that only its own library can write down; a model with one cannot be saved."""

    classifier: Any
    features: tuple[int, ...]
    kind: Literal["opaque"] = "opaque"

    def decide(self, features: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return whether each row goes into the second class, shape (n_rows,)."""
        return np.asarray(self.classifier.predict(features[:, list(self.features)]) == 1)

    def fits(self, n_features: int) -> bool:
        """Tell whether the rule is one of so many features."""
        return max(self.features, default=-1) < n_features


Rule = LinearRule | TreeRule | OpaqueRule


def snapped(values: NDArray[np.float64]) -> tuple[float, ...]:
    """Return the values as multiples of ``GRID``, on which sums of products are exact."""
    return tuple((np.rint(values / GRID) * GRID).tolist())

"""The balanced split of Shen and others (2022), section 5.2, on which accuracies in `docs/learners` were measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tacit.datasets import Dataset
from tacit.schema import Schema


@dataclass(frozen=True)
class Split:
    """Training and test rows of a balanced data set."""

    train: pl.DataFrame
    train_labels: pl.Series
    test: pl.DataFrame
    test_labels: pl.Series
    schema: Schema


def balanced_split(data: Dataset, seed: int, test_share: float = 0.1) -> Split:
    """Return a random tenth of the balanced data set for testing, the rest for training: section 5.2.

    Balancing deletes rows of the larger class at random. That reads the label: it prepares a study, and is no
    part of any guarantee where the label is private.
    """
    generator = np.random.default_rng(seed)
    labels = data.target.to_numpy()
    classes, counts = np.unique(labels, return_counts=True)
    kept = np.concatenate(
        [generator.choice(np.flatnonzero(labels == value), counts.min(), replace=False) for value in classes]
    )
    kept = generator.permutation(kept)
    test, train = np.split(kept, [round(test_share * len(kept))])
    return Split(data.frame[train], data.target[train], data.frame[test], data.target[test], data.schema)

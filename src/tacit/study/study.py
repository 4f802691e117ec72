"""A study: data sets, learners, budgets and splits, crossed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, Literal

import polars as pl

from tacit.study.data import DataSpec, packaged_or_file
from tacit.study.fit import fit_task
from tacit.study.learners import learner_kind
from tacit.study.results import fit_results
from tacit.study.run import Store, Task, run
from tacit.study.run.progress import OnProgress

Splitting = Literal["shuffle", "official"]


@dataclass(frozen=True)
class LearnerSpec:
    """A learner of a study.

    Parameters
    ----------
    learner : str
        A private learner ("brc"), a reference without privacy ("reference:logistic") or a peer ("peer:...").
    parameters : mapping
        Of the learner; plain JSON values.
    name : str, optional
        What it is called in results; the learner's name if not given.
    deltas : tuple of float, optional
        In place of the study's.
    """

    learner: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None
    deltas: tuple[float, ...] | None = None

    @property
    def called(self) -> str:
        """The name in results."""
        return self.name or self.learner


@dataclass(frozen=True)
class Study:
    """Learners over data sets, budgets and splits.

    Parameters
    ----------
    datasets : sequence of str or DataSpec
        Packaged data sets by name, or tables on disk.
    learners : sequence of str or LearnerSpec
    epsilons : sequence of float
    deltas : sequence of float
    repeats : int
        Random splits, or cross-validations.
    cv : int, optional
        Folds; without it a share of the rows is for testing.
    test_share : float
    balanced : bool
        Whether rows of larger classes are deleted at random until all are of one size.
    privacy : sequence of {"packaged", "all-private", "public-label"}
        What is protected.
    seed : int
        Everything random follows from it.
    split : {"shuffle", "official"}
        ``"official"`` takes the data sets' own split; repetitions then differ in the learners' randomness alone.

    Examples
    --------
    >>> study = Study(["breast-cancer"], ["naive-bayes", "reference:majority"], [0.1, 1.0], repeats=2)
    >>> len(study.tasks())
    6
    """

    datasets: tuple[str | DataSpec, ...]
    learners: tuple[LearnerSpec, ...]
    epsilons: tuple[float, ...]
    deltas: tuple[float, ...] = (0.0,)
    repeats: int = 10
    cv: int | None = None
    test_share: float = 0.25
    balanced: bool = False
    privacy: tuple[str, ...] = ("packaged",)
    seed: int = 0
    split: Splitting = "shuffle"

    def __post_init__(self) -> None:
        for name in ("datasets", "epsilons", "deltas", "privacy"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        learners = tuple(each if isinstance(each, LearnerSpec) else LearnerSpec(each) for each in self.learners)
        object.__setattr__(self, "learners", learners)

    def tasks(self) -> tuple[Task, ...]:
        """Return one task for each fit: rows of one split stand together."""
        return tuple(
            task
            for data in map(packaged_or_file, self.datasets)
            for repeat, split in self._splits()
            for privacy, learner in product(self.privacy, self.learners)
            for task in self._fits(data, repeat, split, privacy, learner)
        )

    def run(
        self,
        store: Store | str | Path = ":memory:",
        *,
        workers: int | None = None,
        progress: OnProgress | None = None,
        retry_failed: bool = False,
    ) -> pl.DataFrame:
        """Return the results, one row per fit, after computing those that the store lacks.

        Parameters
        ----------
        store : Store, str or Path
            Where finished rows are kept; in memory if not given.
        workers, progress, retry_failed
            See `tacit.study.run.run`.

        Notes
        -----
        Privacy: results of a study are computed on the rows, without noise for what is measured: they are not private.
        """
        kept = store if isinstance(store, Store) else Store(store)
        return fit_results(run(self.tasks(), kept, workers=workers, progress=progress, retry_failed=retry_failed))

    def _splits(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for repeat in range(self.repeats):
            more = {"balanced": True} if self.balanced else {}
            if self.cv is not None:
                for fold in range(self.cv):
                    yield repeat, {"kind": "fold", "folds": self.cv, "fold": fold, "repeat": repeat, **more}
            elif self.split == "official":
                yield repeat, {"kind": "official", **more}
            else:
                yield repeat, {"kind": "shuffle", "test_share": self.test_share, "repeat": repeat, **more}

    def _fits(
        self, data: Mapping[str, Any], repeat: int, split: Mapping[str, Any], privacy: str, learner: LearnerSpec
    ) -> Iterator[Task]:
        reference = learner_kind(learner.learner) == "reference"
        deltas = self.deltas if learner.deltas is None else learner.deltas
        budgets: Any = [(None, None)] if reference else product(self.epsilons, deltas)
        for epsilon, delta in budgets:
            yield fit_task(
                **data,
                learner=learner.learner,
                parameters=learner.parameters,
                split=split,
                privacy=privacy,
                epsilon=epsilon,
                delta=delta,
                repeat=repeat,
                seed=self.seed,
                name=learner.called,
            )

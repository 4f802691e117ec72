"""A study: data sets, learners, budgets and splits, crossed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from tacit.study.data import DataSpec, packaged_or_file
from tacit.study.fit import fit_task
from tacit.study.learner_spec import LearnerSpec
from tacit.study.learners import spends_budget
from tacit.study.plain_values import numbers, several
from tacit.study.results import fit_results
from tacit.study.run import Store, Task, run
from tacit.study.run.progress import OnProgress
from tacit.study.spec_checks import check_study

__all__ = ["DataSpec", "LearnerSpec", "Splitting", "Study"]

Splitting = Literal["shuffle", "official"]


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
        Of the rows, where there are no folds.
    balanced : bool
        Whether rows of larger classes are deleted at random until all are of one size.
    privacy : sequence of {"packaged", "all-private", "public-label"}
        What is protected.
    seed : int
        Everything random follows from it.
    split : {"shuffle", "official"}
        ``"official"`` takes the data sets' own split; repetitions then differ in the learners' randomness alone.

    Raises
    ------
    ParameterError
        If parts contradict each other; the message says what to write.

    Examples
    --------
    >>> study = Study(["breast-cancer"], ["naive-bayes", "reference:majority"], [0.1, 1.0], repeats=2)
    >>> len(study.tasks())
    6
    >>> study == Study.from_toml(study.to_toml())
    True
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

    if TYPE_CHECKING:

        def __init__(  # what is accepted is wider than what is stored
            self,
            datasets: Sequence[str | DataSpec],
            learners: Sequence[str | LearnerSpec],
            epsilons: Sequence[float],
            deltas: Sequence[float] = (0.0,),
            repeats: int = 10,
            cv: int | None = None,
            test_share: float = 0.25,
            balanced: bool = False,
            privacy: Sequence[str] = ("packaged",),
            seed: int = 0,
            split: Splitting = "shuffle",
        ) -> None: ...

    def __post_init__(self) -> None:
        """Normalize and check every field."""
        for name in ("datasets", "learners", "epsilons", "deltas", "privacy"):
            object.__setattr__(self, name, several(getattr(self, name), name))
        learners = tuple(each if isinstance(each, LearnerSpec) else LearnerSpec(each) for each in self.learners)
        object.__setattr__(self, "learners", learners)
        for name in ("epsilons", "deltas"):
            object.__setattr__(self, name, numbers(getattr(self, name), name))
        check_study(self)

    @classmethod
    def from_toml(cls, source: str | os.PathLike[str]) -> Study:
        """Read a study from a TOML file, or from TOML text; in a file, paths of tables are relative to it.

        Raises
        ------
        ParameterError
            If it is no TOML, or no study; the message names the entry.
        """
        from tacit.study.spec_toml import read_study

        return read_study(source)

    def to_toml(self) -> str:
        """Return the study as TOML text, from which `from_toml` makes an equal one."""
        from tacit.study.spec_toml import write_study

        return write_study(self)

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
        deltas = self.deltas if learner.deltas is None else learner.deltas
        budgets: Any = product(self.epsilons, deltas) if spends_budget(learner.learner) else [(None, None)]
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

"""A study: data sets, learners, budgets and splits, crossed."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import polars as pl
from pydantic import BeforeValidator, Discriminator, Field, Tag, TypeAdapter

from tacit.datasets import names
from tacit.errors import ParameterError, PrivacyWarning
from tacit.ledger import named_ledger
from tacit.study.data import CASES, DataSpec, packaged_or_file
from tacit.study.fit import fit_results, fit_task
from tacit.study.learners import check_learner, spends_budget
from tacit.study.run import Store, Task, run
from tacit.study.run.progress import OnProgress
from tacit.study.spec import (
    NAME,
    TABLE,
    Deltas,
    Epsilons,
    Flag,
    Folds,
    Repeats,
    Seed,
    Share,
    Text,
    array,
    check_different,
    described,
    entries,
    parsed,
)

__all__ = ["DataSpec", "LearnerSpec", "Splitting", "Study"]

FORMAT = 1
"""The version of the layout in TOML; a file of another version is refused."""

Splitting = Literal["shuffle", "official"]


def _known_data(name: Any) -> Any:
    if isinstance(name, str) and name not in names():
        near = get_close_matches(name, names(), n=1)
        remedy = f"Did you mean {near[0]!r}?" if near else "For a table on disk, write DataSpec(path, schema=...)."
        raise ParameterError(f"Expected the name of a packaged data set, got datasets={name!r}. {remedy}")
    return name


def _known_case(case: Any) -> Any:
    if case not in tuple(CASES):
        raise ParameterError(f"Expected privacy from {', '.join(CASES)}, got privacy={case!r}. Choose one.")
    return case


def _as_learner(given: Any) -> Any:
    return {"learner": given} if isinstance(given, str) else given


@described
class LearnerSpec:
    """A learner of a study with its parameters.

    Parameters
    ----------
    learner : str
        A private learner ("brc"), a baseline without privacy ("baseline:logistic"), or one of a registered source
        (`tacit.study.learners.register_learners`).
    parameters : mapping
        Of the learner; plain JSON values.
    name : str, optional
        What it is called in results; the learner's name if not given.
    deltas : sequence of float, optional
        In place of the study's.

    Raises
    ------
    ParameterError
        If there is no such learner, or it lacks a parameter.

    Examples
    --------
    >>> LearnerSpec("brc", {"rounds": 9}).called
    'brc'
    """

    learner: Text
    parameters: Mapping[str, Any] = field(default_factory=dict)
    name: Text | None = None
    deltas: Deltas | None = None

    if TYPE_CHECKING:

        def __init__(  # what is accepted is wider than what is stored
            self,
            learner: str,
            parameters: Mapping[str, Any] = ...,
            name: str | None = None,
            deltas: Sequence[float] | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        check_learner(self.learner, self.parameters)

    @property
    def called(self) -> str:
        """The name in results."""
        return self.name or self.learner


_Data = Annotated[
    Annotated[str, BeforeValidator(_known_data), Tag(NAME)] | Annotated[DataSpec, Tag(TABLE)],
    Discriminator(lambda given: NAME if isinstance(given, str) else TABLE),
]
_Learner = Annotated[LearnerSpec, BeforeValidator(_as_learner)]
_Case = Annotated[str, BeforeValidator(_known_case)]


@described
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
    privacy : sequence of {"as-declared", "all-private", "public-label"}
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
    >>> study = Study(["breast-cancer"], ["naive-bayes", "baseline:majority"], [0.1, 1.0], repeats=2)
    >>> len(study.tasks())
    6
    >>> study == Study.from_toml(study.to_toml())
    True
    """

    datasets: Annotated[tuple[_Data, ...], Field(min_length=1)]
    learners: Annotated[tuple[_Learner, ...], Field(min_length=1)]
    epsilons: Epsilons
    deltas: Deltas = (0.0,)
    repeats: Repeats = 10
    cv: Folds | None = None
    test_share: Share = 0.25
    balanced: Flag = False
    privacy: Annotated[tuple[_Case, ...], Field(min_length=1)] = ("as-declared",)
    seed: Seed = 0
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
            privacy: Sequence[str] = ("as-declared",),
            seed: int = 0,
            split: Splitting = "shuffle",
        ) -> None: ...

    def __post_init__(self) -> None:
        """Refuse parts that contradict each other."""
        called = [data.called if isinstance(data, DataSpec) else data for data in self.datasets]
        check_different(called, "datasets", "Write DataSpec(..., name=...).")
        check_different([each.called for each in self.learners], "learners", "Write LearnerSpec(..., name=...).")
        check_different(self.privacy, "cases of privacy", "Drop one.")
        paying = any(spends_budget(each.learner) for each in self.learners)
        if paying and not self.epsilons:
            raise ParameterError("Expected at least one epsilon, got none. Write for example epsilons=[0.1, 1.0].")
        if paying and not self.deltas:
            raise ParameterError("Expected at least one delta, got none. Write deltas=[0.0] for pure privacy.")
        if self.cv is not None and self.split == "official":
            raise ParameterError("Expected either cv or split='official', got both. Leave one out.")

    @classmethod
    def from_toml(cls, source: str | os.PathLike[str]) -> Study:
        """Read a study from a TOML file, or from TOML text; in a file, paths of tables are relative to it.

        Raises
        ------
        ParameterError
            If it is no TOML, or no study; the message names the entry.
        """
        document, folder = parsed(source)
        if document.pop("format", None) != FORMAT:
            raise ParameterError(
                f"Expected format = {FORMAT} in the study's spec, got another. Write it in its first line."
            )
        if "learners" in document:
            raise ParameterError(
                "Expected learners as [[learner]] entries in the study's spec, got a list. Write [[ ]]."
            )
        tables, learners = entries(document, "table"), entries(document, "learner")
        named = document.pop("datasets", [])
        # A single name stays one, and is refused.
        datasets = [*named, *tables] if isinstance(named, list) else named
        parts: dict[str, Any] = {"epsilons": []} | document | {"datasets": datasets, "learners": learners}
        study = cls(**parts)
        return replace(study, datasets=tuple(_within(folder, data) for data in study.datasets))

    def to_toml(self) -> str:
        """Return the study as TOML text, from which `from_toml` makes an equal one."""
        import tomlkit

        stated = TypeAdapter(Study).dump_python(self, mode="json", exclude_defaults=True)
        stated = {"format": FORMAT, "datasets": [], **stated}
        tables = [data for data in stated["datasets"] if isinstance(data, dict)]
        stated["datasets"] = [data for data in stated["datasets"] if isinstance(data, str)]
        document = tomlkit.document()
        for name, value in stated.items():
            if name != "learners":
                document.add(name, tomlkit.item(value))
        for name, listed in (("table", tables), ("learner", stated["learners"])):
            if listed:
                document.add(name, array(listed))
        return tomlkit.dumps(document)

    def tasks(self) -> tuple[Task, ...]:
        """Return one task for each fit: fits on one split are consecutive."""
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
        ledger: str | Path | None = None,
    ) -> pl.DataFrame:
        """Return the results, one row per fit, after computing those that the store lacks.

        Parameters
        ----------
        store : Store, str or Path
            Where finished rows are kept; in memory if not given.
        workers, progress, retry_failed
            See `tacit.study.run.run`.
        ledger : str or Path, optional
            The account of the rows, as estimators take it, where a line notes that results were computed on them that
            no charge covers; ``"none"`` where there is none, or the rows are nobody's.

        Warns
        -----
        PrivacyWarning
            If rows come from files, and nothing is said of a ledger.

        Notes
        -----
        Privacy: results of a study are computed on the rows, without noise for what is measured: they are not private.
        """
        self._note_uncovered(ledger)
        kept = store if isinstance(store, Store) else Store(store)
        return fit_results(run(self.tasks(), kept, workers=workers, progress=progress, retry_failed=retry_failed))

    def _note_uncovered(self, ledger: str | Path | None) -> None:
        """Note in a ledger that exact results are computed on rows of files; those of the catalog are public."""
        if not any(isinstance(data, DataSpec) for data in self.datasets):
            return
        named = named_ledger(ledger)
        if named:
            named[0].note_uncovered("study", account=named[1])
        elif ledger is None:
            warnings.warn(
                "A study computes exact results on its rows, which no charge of a ledger covers. If they are people's, "
                "name their ledger, run(ledger=...), which notes that; else pass ledger='none'.",
                PrivacyWarning,
                stacklevel=3,
            )

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


def _within(folder: Path, data: str | DataSpec) -> str | DataSpec:
    """Return the data set with its paths relative to the folder of the spec."""
    if isinstance(data, str):
        return data
    return replace(data, path=folder / data.path, schema=folder / data.schema)

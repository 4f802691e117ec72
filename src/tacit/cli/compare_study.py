"""The study that `tacit compare` was asked for, and what is refused before it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.errors import ParameterError, TableError
from tacit.privacy import Budget
from tacit.schema import Schema
from tacit.study.data import packaged_or_file, read_data
from tacit.study.learners import learner_kind, private_learners
from tacit.study.privacy_cases import protected
from tacit.study.study import DataSpec, LearnerSpec, Study
from tacit.table import read_labels, read_rows

if TYPE_CHECKING:
    from tacit.cli.compare_choices import Choices
    from tacit.cli.compare_source import Source

REFERENCES = {
    "reference:hist-gradient-boosting": "gradient boosting, no privacy",
    "reference:logistic": "logistic, no privacy",
    "reference:logistic-public": "logistic, public columns",
    "reference:majority": "always the commonest class",
}
"""Learners without privacy that stand beside the private ones if none is named."""


def study_of(choices: Choices, source: Source) -> Study:
    """Return the study, its parts checked; no row is read.

    Raises
    ------
    ParameterError
        If a part is out of its range; a wrong learner's message lists all.
    """
    if choices.spec is not None:
        return Study.from_toml(choices.spec.absolute())  # so that its tables are found from anywhere
    assert source.data is not None and source.schema is not None
    epsilons = _epsilons(str(choices.epsilons), choices.delta or 0.0)
    repeats = (1 if choices.folds is not None else 10) if choices.repeats is None else choices.repeats
    return Study(
        datasets=[source.data],
        learners=_learners(choices.learners, protected(source.schema, choices.case)),
        epsilons=epsilons,
        deltas=[choices.delta or 0.0],
        repeats=repeats,
        cv=choices.folds,
        test_share=0.25 if choices.test_share is None else choices.test_share,
        privacy=[choices.case],
        seed=choices.seed or 0,
    )


def check_tables(study: Study, source: Source) -> None:
    """Refuse tables that cannot be read, split, or learned from.

    Raises
    ------
    TableError
        If rows do not fit their schema, or are of one class only.
    ParameterError
        If there are too few rows for the splits.

    Notes
    -----
    Privacy: whatever is said names no cell, no label and no count.
    """
    for data in study.datasets:
        table = source.made or read_data(packaged_or_file(data))
        on_invalid = data.on_invalid if isinstance(data, DataSpec) else "raise"
        rows = read_rows(table.frame, table.schema, on_invalid=on_invalid)
        labels = read_labels(table.target, table.schema.label, on_invalid=on_invalid)
        if labels.min() == labels.max():
            raise TableError(f"Expected rows of at least two classes in {table.name}, got one class. Check the label.")
        _check_rows(study, rows.n_rows)


def _check_rows(study: Study, n_rows: int) -> None:
    if study.cv is not None and study.cv > n_rows:
        raise ParameterError(f"Expected at least a row for each fold, got folds={study.cv}. Use fewer.")
    if study.cv is None and study.split == "shuffle" and not 0 < round(study.test_share * n_rows) < n_rows:
        raise ParameterError(
            f"Expected rows to learn from and rows to test on, got test_share={study.test_share:g} of too few. "
            "Choose another share, or use more rows."
        )


def _epsilons(text: str, delta: float) -> list[float]:
    try:
        listed = [float(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError(f"Expected numbers between commas, got --epsilons {text!r}. Write 0.01,0.1,1.") from None
    for epsilon in listed:
        Budget(epsilon, delta)
    if len(set(listed)) < len(listed):
        raise ParameterError(f"Expected each epsilon once, got --epsilons {text!r}. Drop one.")
    return sorted(listed)


def _learners(text: str | None, schema: Schema) -> list[LearnerSpec]:
    names = sorted(private_learners()) if text is None else [part.strip() for part in text.split(",")]
    named = [LearnerSpec(name, name=REFERENCES.get(name)) for name in names]
    if any(learner_kind(name) == "reference" for name in names):
        return named
    public = bool(schema.public_columns) and not schema.label.private
    beside = [name for name in REFERENCES if public or name != "reference:logistic-public"]
    return [*named, *(LearnerSpec(name, name=REFERENCES[name]) for name in beside)]

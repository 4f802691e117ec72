"""The study that `tacit compare` was asked for: its rows, its learners, and what is refused first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from tacit.datasets import Dataset
from tacit.datasets.catalog import load_schema
from tacit.errors import ParameterError, TableError
from tacit.estimators.row_weights import check_takes_weights
from tacit.privacy import Budget
from tacit.schema import Schema
from tacit.study.data import packaged_or_file, protected, read_data
from tacit.study.learners import check_predicts, learner_kind, private_learners, private_regressors
from tacit.study.run.tables import counted_file
from tacit.study.simulate import simulate
from tacit.study.study import DataSpec, LearnerSpec, Study
from tacit.table import read_labels, read_rows

if TYPE_CHECKING:
    import polars as pl

    from tacit.cli.compare_options import CompareOptions
    from tacit.cli.study_folder import StudyFolder


Kind = Literal["private", "public", "simulated"]
_SIMULATED = "simulated.csv"


@dataclass(frozen=True)
class Source:
    """The rows of a study."""

    kind: Kind
    """A table of people, a known data set, or rows made from a schema. One of "private", "public", "simulated"."""
    data: str | DataSpec | None = None
    """None for the tables that a spec names."""
    schema: Schema | None = None
    """Of a spec, that of its simulated rows."""
    made: Dataset | None = None
    """Simulated rows."""

    @property
    def files(self) -> dict[str, bytes]:
        """What must lie in the study's folder before it runs, by name."""
        if self.made is None:
            return {}
        table = simulated_csv(self.made.frame, self.made.target)
        return {_SIMULATED: table, "schema.toml": self.made.schema.to_toml().encode()}

    @property
    def guessed(self) -> bool:
        """Whether entries of the schema were read off rows."""
        return bool(self.schema and self.schema.guessed)

    @property
    def told(self) -> Literal["private", "public", "simulated", "guessed"]:
        """The note at the top of the study."""
        return "guessed" if self.kind == "simulated" and self.guessed else self.kind


def source_of(options: CompareOptions, folder: StudyFolder) -> Source:
    """Return where the rows come from; no table is opened but one that a spec calls simulated."""
    if options.spec is not None:
        return spec_source(Study.from_toml(options.spec.absolute()))
    schema = _schema(options)
    if options.simulate is not None:
        return _simulated(options, schema, folder)
    if options.table is None:
        return Source("public", options.data, schema)
    table, path = options.table.absolute(), Path(str(options.schema)).absolute()
    written = {"encoding": options.encoding, "sheet": options.sheet}
    return Source("private", DataSpec(table, path, on_invalid=options.on_invalid or "raise", **written), schema)


def simulated_csv(frame: pl.DataFrame, labels: pl.Series) -> bytes:
    """Return made-up rows as the content of their file."""
    return frame.with_columns(labels).write_csv().encode()


def _schema(options: CompareOptions) -> Schema:
    schema = load_schema(options.data) if options.data is not None else Schema.from_toml(Path(str(options.schema)))
    check_takes_weights(schema, "compare", "it measures rows that count the same")
    return schema


def _simulated(options: CompareOptions, schema: Schema, folder: StudyFolder) -> Source:
    assert options.simulate is not None
    name = f"{options.data or Path(str(options.schema)).stem}, simulated"
    schema = _without_identifier(schema)
    made = Dataset(name, *simulate(schema, options.simulate, options.seed or 0), schema)
    data = DataSpec(folder.file(_SIMULATED), folder.file("schema.toml"), name)
    return Source("simulated", data, schema, made)


def _without_identifier(schema: Schema) -> Schema:
    """Return the schema of made-up rows, which name no person, with as much noise as the identifier would cost."""
    rows = schema.identifier.rows if schema.identifier else "mean"
    plain = schema.without_persons() if schema.identifier else schema
    return plain if rows == "mean" else replace(plain, rows_per_person=rows)


def spec_source(study: Study) -> Source:
    """Return the rows' source: the most private of the tables'. Guesses in a schema outweigh public rows.

    Notes
    -----
    Privacy: a file counts as simulated if it is, byte by byte, what its schema and the study's seed make; neither its
    name nor what a spec says of it proves that.
    """
    return max((_source(data, study.seed) for data in study.datasets), key=_weight)


def _source(data: str | DataSpec, seed: int) -> Source:
    if not isinstance(data, DataSpec):
        return Source("public")
    schema = _deciding_schema(data, seed)
    return Source("private") if schema is None else Source("simulated", schema=schema)


def _weight(source: Source) -> tuple[bool, bool, bool]:
    kind: Kind = source.kind
    # One private table makes the study private, and guesses are worse than public rows: both rest on rows.
    return kind == "private", source.guessed, kind == "public"


def _deciding_schema(data: DataSpec, seed: int) -> Schema | None:
    """Return the schema that, with the seed, decides each row; None if the rows may be anybody's."""
    if data.path.name != _SIMULATED:
        return None
    try:
        content = data.path.read_bytes()
    except OSError:
        return None  # a table that is not there is refused when tables are checked
    schema = Schema.from_toml(data.schema)
    n_rows = content.count(b"\n") - 1  # without the header; no simulated cell has a line break
    made = n_rows > 0 and simulated_csv(*simulate(schema, n_rows, seed)) == content
    return schema if made else None


REFERENCES = {
    "baseline:hist-gradient-boosting": "gradient boosting, no privacy",
    "baseline:logistic": "logistic, no privacy",
    "baseline:logistic-public": "logistic, public columns",
    "baseline:majority": "majority class",
}
"""Learners without privacy compared with the private ones if none is named."""

NUMBER_REFERENCES = {
    "baseline:hist-gradient-boosting": "gradient boosting, no privacy",
    "baseline:ridge": "ridge, no privacy",
    "baseline:mean": "the mean alone",
}
"""The same of a number to predict."""


def study_of(options: CompareOptions, source: Source) -> Study:
    """Return the study, its parts checked; no row is read."""
    if options.spec is not None:
        return Study.from_toml(options.spec.absolute())  # so that its tables are found from anywhere
    assert source.data is not None and source.schema is not None
    epsilons = _epsilons(str(options.epsilons), options.delta or 0.0)
    repeats = (1 if options.folds is not None else 10) if options.repeats is None else options.repeats
    return Study(
        datasets=[source.data],
        learners=_learners(options.learners, protected(source.schema, options.case)),
        epsilons=epsilons,
        deltas=[options.delta or 0.0],
        repeats=repeats,
        cv=options.folds,
        test_share=0.25 if options.test_share is None else options.test_share,
        privacy=[options.case],
        seed=options.seed or 0,
    )


def check_tables(study: Study, source: Source) -> None:
    """Refuse tables that cannot be read, split, or trained on.

    Notes
    -----
    Privacy: whatever is said names no cell, no label and no count.
    """
    for data in study.datasets:
        if isinstance(data, DataSpec) and source.made is None:
            n_people, n_classes = counted_file(data.inputs())
            target = Schema.from_toml(data.schema).target
        else:
            table = source.made or read_data(packaged_or_file(data))
            n_people, target = read_rows(table.frame, table.schema).n_rows, table.schema.target
            n_classes = len(np.unique(read_labels(table.target, table.schema.label)))
        if n_classes < 2 and not target:
            name = data.called if isinstance(data, DataSpec) else data
            raise TableError(f"Expected rows of at least two classes in {name}, got one class. Check the label.")
        _check_rows(study, n_people)


def _check_rows(study: Study, n_rows: int) -> None:
    if study.cv is not None and study.cv > n_rows:
        raise ParameterError(f"Expected at least a row for each fold, got folds={study.cv}. Use fewer.")
    if study.cv is None and study.split == "shuffle" and not 0 < round(study.test_share * n_rows) < n_rows:
        raise ParameterError(
            f"Expected training rows and test rows, got test_share={study.test_share:g} of too few. "
            "Choose another share, or use more rows."
        )


def _epsilons(text: str, delta: float) -> list[float]:
    try:
        listed = [float(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError(f"Expected numbers between commas, got --epsilons {text!r}. Write 0.01,0.1,1.") from None
    for epsilon in listed:
        Budget(epsilon, delta)  # refuses what is out of range, in the words of a fit
    if len(set(listed)) < len(listed):
        raise ParameterError(f"Expected each epsilon once, got --epsilons {text!r}. Drop one.")
    return sorted(listed)


def _learners(text: str | None, schema: Schema) -> list[LearnerSpec]:
    references = NUMBER_REFERENCES if schema.target else REFERENCES
    offered = private_regressors() if schema.target else private_learners()
    names = sorted(offered) if text is None else [part.strip() for part in text.split(",")]
    named = [LearnerSpec(name, name=references.get(name)) for name in names]
    for name in names:
        check_predicts(name, schema)
    if any(learner_kind(name) == "baseline" for name in names):
        return named  # naming one baseline chooses them all
    public = bool(schema.public_columns) and not schema.label.private
    others = [name for name in references if public or name != "baseline:logistic-public"]
    return [*named, *(LearnerSpec(name, name=references[name]) for name in others)]

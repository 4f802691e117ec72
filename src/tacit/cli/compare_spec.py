"""Where the rows of a study in TOML come from."""

from __future__ import annotations

from tacit.cli.compare_source import Kind, Source, simulated_csv
from tacit.schema import Schema
from tacit.study.simulate import simulate
from tacit.study.study import DataSpec, Study

_SIMULATED = "simulated.csv"


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
    n_rows = content.count(b"\n") - 1
    made = n_rows > 0 and simulated_csv(*simulate(schema, n_rows, seed)) == content
    return schema if made else None

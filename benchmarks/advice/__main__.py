"""Compute past studies: python -m benchmarks.advice FILE [--numbers] [--workers N] [--validate].

Experiments on public tables with classes to predict, about half an hour on one core; with `--numbers` those with a
number to predict, on public tables and on synthetic ones, as long. Finished fits are kept in FILE.store: the same
command resumes after an interruption.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import polars as pl

from benchmarks.advice.drawn_tables import drawn_tables
from benchmarks.advice.public_tables import public_tables, tables_of_numbers
from benchmarks.advice.rebuild import rebuild
from benchmarks.advice.validation import by_strength, summary, validated
from tacit.study.advice.past_studies import PastStudies, by_measure
from tacit.study.run import Progress, Store


def main(arguments: list[str] | None = None) -> None:
    """Rebuild the table of past studies, and with `--validate` say how well it predicts sources left out."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.advice", description=__doc__)
    parser.add_argument("file", type=Path, help="where to write the table, Parquet")
    parser.add_argument("--numbers", action="store_true", help="tables with a number to predict")
    parser.add_argument("--workers", type=int, help="processes; one a core by default")
    parser.add_argument("--validate", action="store_true", help="leave each source out, and print coverage and regret")
    given = parser.parse_args(arguments)
    if not given.file.absolute().parent.is_dir():
        parser.error(f"Expected a file in a folder that exists, got {str(given.file)!r}. Make the folder first.")
    store = Store(given.file.with_name(given.file.name + ".store"))
    tables = (*tables_of_numbers(), *drawn_tables()) if given.numbers else public_tables()
    past = rebuild(store, tables=tables, workers=given.workers, progress=_say)
    past.write(given.file)
    print(f"\nWrote {given.file}: {past.frame.height} experiments on {len(tables)} tables.")
    if given.validate:
        _report(past)


def _report(past: PastStudies) -> None:
    """Print how well sources left out are predicted, synthetic ones by themselves; of numbers errors, too."""
    drawn = pl.col("source").is_in([each.source for each in drawn_tables()])
    for measure in ("accuracy", "error") if past.outcome == "number" else ("accuracy",):
        measured = by_measure(past, measure)
        assert measured is not None
        checked = validated(measured)
        for kind, own in (("public", checked.filter(~drawn)), ("synthetic", checked.filter(drawn))):
            if own.height:
                print(f"{measure}, {kind} tables", summary(own), by_strength(own), sep="\n")


def _say(progress: Progress) -> None:
    print(f"\r{progress.done} of {progress.total} fits", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

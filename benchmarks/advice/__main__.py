"""Compute the experiments on public tables and write them: python -m benchmarks.advice FILE [--workers N] [--validate].

About half an hour on one core. Finished fits are kept in FILE.store: the same command resumes after an interruption.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.advice.rebuild import rebuild
from benchmarks.advice.validation import by_strength, summary, validated
from tacit.study.run import Progress, Store


def main(arguments: list[str] | None = None) -> None:
    """Rebuild the table of past studies, and with `--validate` say how well it predicts sources left out."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.advice", description=__doc__)
    parser.add_argument("file", type=Path, help="where to write the table, Parquet")
    parser.add_argument("--workers", type=int, help="processes; one a core by default")
    parser.add_argument("--validate", action="store_true", help="leave each source out, and print coverage and regret")
    given = parser.parse_args(arguments)
    if not given.file.absolute().parent.is_dir():
        parser.error(f"Expected a file in a folder that exists, got {str(given.file)!r}. Make the folder first.")
    store = Store(given.file.with_name(given.file.name + ".store"))
    past = rebuild(store, workers=given.workers, progress=_say)
    past.write(given.file)
    print(f"\nWrote {given.file}: {past.frame.height} experiments on public tables.")
    if given.validate:
        checked = validated(past)
        print(summary(checked), by_strength(checked), sep="\n")


def _say(progress: Progress) -> None:
    print(f"\r{progress.done} of {progress.total} fits", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

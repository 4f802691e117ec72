"""`tacit compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacit.cli.compare_choices import Choices, Privacy
from tacit.cli.compare_folder import StudyFolder
from tacit.cli.console import Terminal, emit_json
from tacit.cli.fit_command import OnInvalid
from tacit.cli.options import Debug, Json, Quiet

if TYPE_CHECKING:
    import polars as pl

    from tacit.cli.compare_source import Source
    from tacit.study.run.progress import Progress
    from tacit.study.study import Study


def compare(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the study; made if missing.", show_default=False)],
    table: Annotated[
        Path | None, typer.Argument(help="CSV (comma, semicolon or tab) or Parquet.", show_default=False)
    ] = None,
    schema: Annotated[Path | None, typer.Option("--schema", "-s", help="The table's schema, TOML.")] = None,
    data: Annotated[str | None, typer.Option("--data", help="A known data set instead of a table.")] = None,
    simulate: Annotated[
        int | None, typer.Option("--simulate", min=1, metavar="ROWS", help="Rows made from the schema instead.")
    ] = None,
    spec: Annotated[Path | None, typer.Option("--spec", help="A study in TOML, in place of all choices below.")] = None,
    epsilons: Annotated[str | None, typer.Option("--epsilons", "-e", metavar="E,E,...", help="As 0.01,0.1,1.")] = None,
    learners: Annotated[
        str | None, typer.Option("--learners", metavar="NAME,...", help="All by default; a wrong name lists them.")
    ] = None,
    repeats: Annotated[
        int | None, typer.Option("--repeats", help="Random splits: 10 by default; 1 with --folds.")
    ] = None,
    folds: Annotated[int | None, typer.Option("--folds", help="Cross-validation instead of one part to test.")] = None,
    test_share: Annotated[
        float | None, typer.Option("--test-share", help="Part of the rows to test on; 0.25 by default.")
    ] = None,
    delta: Annotated[float | None, typer.Option("--delta", help="0 by default; else far below 1/rows.")] = None,
    privacy: Annotated[Privacy | None, typer.Option("--privacy", help="What is protected.")] = None,
    on_invalid: Annotated[
        OnInvalid | None, typer.Option("--on-invalid", help="Cells that the schema does not admit.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Of splits and simulated noise; 0.")] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Processes; one a core by default.")] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Try fits again that failed before.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Compare learners over epsilons on repeated splits. The study is not private; the same command resumes it."""
    terminal = Terminal(quiet)
    choices = Choices(
        table, schema, data, simulate, spec, epsilons, learners, repeats, folds, test_share, delta, privacy,
        on_invalid, seed,
    )  # fmt: skip
    choices.check()
    folder = StudyFolder.checked(out, *choices.inputs)
    with terminal.busy("Reading"):
        from tacit.cli.compare_source import source_of
        from tacit.cli.compare_study import check_tables, study_of

        source = source_of(choices, folder)
        study = study_of(choices, source)
        folder.check_resumes(study)
        check_tables(study, source)
    folder.open(study, source.files)
    if source.guessed:
        terminal.note(
            "Note: the schema has guessed entries, read off rows; `tacit fit` refuses it until they are checked."
        )
    frame, before = _run(study, folder, workers, retry_failed, terminal)
    _report(frame, before, study, source, folder, terminal, as_json)


def _run(
    study: Study, folder: StudyFolder, workers: int | None, retry_failed: bool, terminal: Terminal
) -> tuple[pl.DataFrame, int]:
    """Return the results, and how many of them an earlier run had finished."""
    before: list[int] = []
    try:
        with terminal.following("Fitting") as say:

            def follow(progress: Progress) -> None:
                before.append(progress.done)
                say(progress.done, progress.total, progress.seconds_left)

            frame = study.run(folder.file("store.sqlite"), workers=workers, progress=follow, retry_failed=retry_failed)
    except KeyboardInterrupt:
        terminal.note("Finished fits are kept: the same command goes on from there.")
        raise
    return frame, before[0]


def _report(
    frame: pl.DataFrame,
    before: int,
    study: Study,
    source: Source,
    folder: StudyFolder,
    terminal: Terminal,
    as_json: bool,
) -> None:
    from tacit.cli.compare_files import write_results
    from tacit.cli.compare_words import document, words

    with terminal.busy("Writing"):
        written = write_results(frame, study, source, folder, terminal)
    if as_json:
        emit_json(document(frame, source, folder, written))
    else:
        terminal.say(*words(frame, before, study, source, folder, written))

"""`tacit compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.cli.compare_options import CompareOptions
from tacit.cli.console import Terminal, emit_json
from tacit.cli.ledger_commands import note_uncovered
from tacit.cli.options import command_of

if TYPE_CHECKING:
    import polars as pl

    from tacit.cli.compare_study import Source
    from tacit.cli.study_folder import StudyFolder
    from tacit.study.run.progress import Progress
    from tacit.study.study import Study


@command_of(CompareOptions)
def compare(options: CompareOptions) -> None:
    """Compare learners over epsilons on repeated splits. The study is not private; the same command continues it."""
    terminal = Terminal(options.quiet)
    options.check()
    with terminal.busy("Reading"):
        from tacit.cli.compare_study import check_tables, source_of, study_of
        from tacit.cli.study_folder import StudyFolder

        folder = StudyFolder.checked(options.out, *options.inputs)
        source = source_of(options, folder)
        study = study_of(options, source)
        folder.check_resumes(study)
        check_tables(study, source)
    if source.kind == "private":
        note_uncovered(options.ledger, "a comparison", "study")
    folder.open(study, source.files)
    if source.guessed:
        terminal.note(
            "Note: the schema has guessed entries, read off rows; `tacit fit` refuses it until they are checked."
        )
    frame, before = _run(study, folder, options.workers, options.retry_failed, terminal)
    _report(frame, before, study, source, folder, terminal, options.as_json)


def _run(
    study: Study, folder: StudyFolder, workers: int | None, retry_failed: bool, terminal: Terminal
) -> tuple[pl.DataFrame, int]:
    """Return the results, and how many of them an earlier run had finished."""
    before: list[int] = []
    try:
        with terminal.following("Fitting") as say:

            def follow(progress: Progress) -> None:
                before.append(progress.done)
                say(progress)

            # Private rows were asked about before.
            store, none = folder.file("store.sqlite"), "none"
            frame = study.run(store, workers=workers, progress=follow, retry_failed=retry_failed, ledger=none)
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
    from tacit.cli.compare_output import document, words, write_results

    with terminal.busy("Writing"):
        written = write_results(frame, study, source, folder)
    if as_json:
        emit_json(document(frame, source, folder, written))
    else:
        terminal.say(*words(frame, before, study, source, folder, written))

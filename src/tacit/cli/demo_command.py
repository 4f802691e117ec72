"""`tacit demo`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacit.cli.console import Debug, Quiet, Terminal, checked_output, quoted

if TYPE_CHECKING:
    import polars as pl

_FILES = ("model.json", "schema.toml", "train.csv", "new.csv", "accuracy.html")


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to; made if it is missing.")] = Path(
        "tacit-demo"
    ),
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Show what privacy costs on a real table: a comparison, a picture, and a private model to try."""
    terminal = Terminal(quiet)
    targets = _targets(out)
    with terminal.busy("Starting"):
        from tacit.cli import demo_study
        from tacit.cli.compare_output import accuracy_grid
        from tacit.models import write_atomically, write_model
        from tacit.report import write_picture
        from tacit.report.figures import privacy_curve

        cut = demo_study.parts()
    terminal.say(_INTRODUCTION)
    with terminal.following("Comparing") as progress:
        settings = demo_study.measured(progress)
    grid = accuracy_grid(settings, list(demo_study.EPSILONS), lambda row: f"{row['mean']:.0%}")
    terminal.say("Accuracy on the test rows", grid, _meaning(settings))
    with terminal.busy("Training the model to keep, with secure noise"):
        model = demo_study.private_model(cut)
    write_model(model, targets["model.json"])
    write_atomically(targets["schema.toml"], cut.schema.to_toml())
    write_atomically(targets["train.csv"], cut.train.with_columns(cut.train_labels).write_csv())
    write_atomically(targets["new.csv"], cut.test.write_csv())
    caption = _CAPTION.format(repetitions=demo_study.REPETITIONS)
    write_picture(privacy_curve(settings), targets["accuracy.html"], title=_TITLE, caption=caption)
    terminal.say(_next(out))


_INTRODUCTION = """\
BREAST CANCER, 569 tumours: is one malignant? 30 measurements of each, taken from a picture of its cells.
Suppose that the form and size of the nuclei (24 columns) are private, and that the picture's texture and
smoothness (6 columns) and the diagnosis are public. 400 training rows, 169 test rows.
"""


def _targets(folder: Path) -> dict[str, Path]:
    if not folder.exists():
        checked_output(folder)
        folder.mkdir()
    return {name: checked_output(folder / name) for name in _FILES}


def _meaning(settings: pl.DataFrame) -> str:
    from tacit.cli.demo_study import CHOSEN, EPSILONS, EVERYTHING, OPEN, PUBLIC, REPETITIONS, SOME

    found = {(row["name"], row["epsilon"]): row for row in settings.iter_rows(named=True)}
    chosen = found[SOME, CHOSEN]
    return _MEANING.format(
        chosen=CHOSEN,
        some=chosen["mean"],
        everything=found[EVERYTHING, CHOSEN]["mean"],
        worst=chosen["least"],
        best=chosen["most"],
        most=found[SOME, EPSILONS[-1]]["mean"],
        open=found[OPEN, None]["mean"],
        public=found[PUBLIC, None]["mean"],
        repetitions=REPETITIONS,
    )


_MEANING = """\

What this means
 - Epsilon is the privacy that is spent. Somebody who sees the model can improve their odds of guessing anything
   private about one person by a factor of exp(epsilon) at most: 1.1 at 0.1, 2.7 at 1, but 2981 at 8.
 - "private: some columns" protects the 24 private columns. At epsilon {chosen:g} it gets {some:.0%} right on average.
   Without privacy, logistic regression gets {open:.0%} with all columns, and {public:.0%} with the public ones alone.
 - "private: everything" protects all columns and the diagnosis: {everything:.0%} at epsilon {chosen:g}.
   Where little privacy is spent, public columns help most.
 - This learner, BRC, votes with classifiers drawn at random. It stays near {most:.0%} here, however little the noise.
 - 400 people are few. The noise on a sum is as large for 40,000, and counts a hundred times less there: with more
   people, the same accuracy costs a far smaller epsilon.
 - Noise is chance. Each figure is the mean over {repetitions} random splits, with one training on each, which for
   "some columns" at epsilon {chosen:g} went from {worst:.0%} to {best:.0%}.
 - The noise of this comparison is simulated (seeded), and the comparison reads its test rows openly. Both are fine for
   a table that is public, as this one, and wrong for one that is not.
"""
_TITLE = "What privacy costs, and what public columns give back"
_CAPTION = (
    "Breast cancer (Wisconsin, diagnostic): 400 training rows, 169 test rows. BRC, simulated noise; curves are means "
    "over {repetitions} random splits, bands reach one standard deviation to either side."
)


def _next(folder: Path) -> str:
    model, table, schema, new = (
        quoted(folder / name) for name in ("model.json", "train.csv", "schema.toml", "new.csv")
    )
    return f"""\
{folder / "model.json"} is a model of its own, with secure noise, which could be published.
The picture: open {quoted(folder / "accuracy.html")} in a browser.
Try next:
  tacit inspect {model}
  tacit predict {model} {new}
  tacit schema check {schema}
  tacit fit {table} --schema {schema} --epsilon 1 --out my-model.json
"""

"""`tacit demo`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table as Grid

from tacit.cli.console import Debug, Quiet, Terminal, checked_output, quoted

if TYPE_CHECKING:
    from tacit.cli.demo_study import Curve, Parts, Reference

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
        from tacit.models import write_atomically, write_model

        cut = demo_study.parts()
    terminal.say(_INTRODUCTION)
    curves, references = _measured(cut, terminal)
    terminal.say(_grid(curves, references), _meaning(curves, references))
    with terminal.busy("Training the model to keep, with secure noise"):
        model = demo_study.private_model(cut)
    write_model(model, targets["model.json"])
    write_atomically(targets["schema.toml"], cut.schema.to_toml())
    write_atomically(targets["train.csv"], cut.train.with_columns(cut.train_labels).write_csv())
    write_atomically(targets["new.csv"], cut.test.write_csv())
    _draw(curves, references, targets["accuracy.html"], terminal)
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


def _measured(cut: Parts, terminal: Terminal) -> tuple[list[Curve], list[Reference]]:
    from tacit.cli import demo_study

    with terminal.counting("Comparing", 2 * len(demo_study.EPSILONS) * demo_study.REPETITIONS) as tick:
        return demo_study.curves(cut, tick), demo_study.references(cut)


def _grid(curves: list[Curve], references: list[Reference]) -> Grid:
    grid = Grid(title="Accuracy on the 169 test rows", title_justify="left", title_style="bold")
    grid.add_column("epsilon")
    for epsilon in curves[0].epsilons:
        grid.add_column(f"{epsilon:g}", justify="right")
    for curve in curves:
        grid.add_row(curve.name, *(f"{mean:.0%}" for mean in curve.means))
    grid.add_section()
    for reference in references:
        grid.add_row(reference.name, *[f"{reference.accuracy:.0%}"] * len(curves[0].epsilons), style="dim")
    return grid


def _meaning(curves: list[Curve], references: list[Reference]) -> str:
    from tacit.cli.demo_study import CHOSEN, EPSILONS, REPETITIONS

    at = EPSILONS.index(CHOSEN)
    some, everything = curves
    figures = {
        "chosen": f"{CHOSEN:g}",
        "some": f"{some.means[at]:.0%}",
        "everything": f"{everything.means[at]:.0%}",
        "worst": f"{min(some.accuracies[at]):.0%}",
        "best": f"{max(some.accuracies[at]):.0%}",
        "most": f"{some.means[-1]:.0%}",
        "open": f"{references[0].accuracy:.0%}",
        "public": f"{references[1].accuracy:.0%}",
        "repetitions": REPETITIONS,
    }
    return _MEANING.format(**figures)


_MEANING = """\
What this means
 - Epsilon is the privacy that is spent. Whoever sees the model can improve their odds of guessing anything
   private about one person by a factor of exp(epsilon) at most: 1.1 at 0.1, 2.7 at 1, but 2981 at 8.
 - "private: some columns" protects the 24 private columns. At epsilon {chosen} it gets {some} right on average.
   Without privacy, logistic regression gets {open} with all columns, and {public} with the public ones alone.
 - "private: everything" protects all columns and the diagnosis: {everything} at epsilon {chosen}.
   Where little privacy is spent, public columns help most.
 - This learner, BRC, votes with classifiers drawn at random. That keeps it near {most} here, however little the noise.
 - 400 people are few. The noise on a sum is as large for 40,000, and counts a hundred times less there: with more
   people, the same accuracy costs a far smaller epsilon.
 - Noise is chance. Each figure is the mean of {repetitions} trainings, which for "some columns" at epsilon {chosen}
   went from {worst} to {best}; and 169 rows tell an accuracy only to about 3 points more or less.
 - The noise of this comparison is simulated (seeded), and the comparison reads its test rows openly. Both are fine for
   a table that is public, as this one, and wrong for one that is not.
"""


def _draw(curves: list[Curve], references: list[Reference], target: Path, terminal: Terminal) -> None:
    from tacit.cli.demo_study import REPETITIONS, picture
    from tacit.report import write_picture

    caption = (
        "Breast cancer (Wisconsin, diagnostic): 400 training rows, 169 test rows. BRC, simulated noise; curves are "
        f"means of {REPETITIONS} trainings, bands reach one standard deviation to either side."
    )
    title = "What privacy costs, and what public columns give back"
    with terminal.busy("Drawing"):
        write_picture(picture(curves, references), target, title=title, caption=caption)


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

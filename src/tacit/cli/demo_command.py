"""`tacit demo`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacit.cli.console import Debug, Force, Quiet, Terminal, checked_output, quoted

if TYPE_CHECKING:
    import polars as pl

_FILES = ("model.json", "card.html", "schema.toml", "train.csv", "new.csv", "accuracy.html")


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write to; made if it is missing.")] = Path(
        "tacit-demo"
    ),
    force: Force = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Show what privacy costs on a real table: a comparison, a picture, and a private model with its card."""
    terminal = Terminal(quiet)
    with terminal.busy("Starting"):
        from tacit.cli import demo_study
        from tacit.cli.compare_output import accuracy_grid
        from tacit.models import write_model
        from tacit.report import write_model_card, write_picture
        from tacit.report.figures import privacy_curve
        from tacit.saving import write_atomically

        targets = _targets(out, force or demo_study.is_own_model(out / "model.json"))
        cut = demo_study.parts()
    terminal.say(_INTRODUCTION)
    with terminal.following("Comparing") as progress:
        settings = demo_study.with_others(demo_study.measured(progress))
    grid = accuracy_grid(settings, list(demo_study.EPSILONS), lambda row: f"{row['mean']:.1%}")
    terminal.say("Accuracy on the test rows", grid, _meaning(settings))
    with terminal.busy("Training the model to keep, with secure noise"):
        model = demo_study.private_model(cut)
    write_model(model, targets["model.json"])
    write_model_card(model, targets["card.html"])
    write_atomically(targets["schema.toml"], cut.schema.to_toml())
    write_atomically(targets["train.csv"], cut.train.with_columns(cut.train_labels).write_csv())
    write_atomically(targets["new.csv"], cut.test.write_csv())
    write_picture(privacy_curve(settings), targets["accuracy.html"], title=_TITLE, caption=_CAPTION)
    terminal.say(_next(out))


_INTRODUCTION = """\
ADULT, 48,842 people of the census of 1994: whose income is above 50,000 dollars a year? 14 columns, by Barry Becker and
Ronny Kohavi (UCI Machine Learning Repository, doi 10.24432/C5XW20, CC BY 4.0). Suppose that five columns are public
(workclass, fnlwgt, race, sex, native-country), and the income as well; or that nothing is.
32,561 training rows, 16,281 test rows.
"""


def _targets(folder: Path, force: bool) -> dict[str, Path]:
    if not folder.exists():
        checked_output(folder, force=False)
        folder.mkdir()
    return {name: checked_output(folder / name, force=force) for name in _FILES}


def _meaning(settings: pl.DataFrame) -> str:
    from tacit.cli.demo_study import CHOSEN, EPSILONS, EVERYTHING, OPEN, OTHERS, PUBLIC, SOME

    found = {(row["name"], row["epsilon"]): row["mean"] for row in settings.iter_rows(named=True)}
    least = EPSILONS[0]
    return _MEANING.format(
        chosen=CHOSEN,
        some=found[SOME, CHOSEN],
        everything=found[EVERYTHING, CHOSEN],
        least=least,
        some_least=found[SOME, least],
        everything_least=found[EVERYTHING, least],
        others=OTHERS,
        open=found[OPEN, None],
        public=found[PUBLIC, None],
    )


_MEANING = """\

What this means
 - Epsilon is the privacy that is spent. Anyone who sees the model can improve the odds of any guess about one
   person's private values by a factor of exp(epsilon) at most. That is 1.01 at 0.01, 1.1 at 0.1, 2.7 at 1. With
   the delta of 1e-5 it is at most 1.1 times that, except with a probability of 21 times delta.
 - At epsilon {chosen:g} the automatic choice gets {some:.1%} right with some columns private, and {everything:.1%} with
   everything private. Without privacy, logistic regression gets {open:.1%} with all columns, and {public:.1%} with the
   public ones alone.
 - At epsilon {least:g} it is {some_least:.1%} and {everything_least:.1%}.
   The learner is chosen by rows, columns and budget, never by looking.
 - "{others}" is stored, not computed here: diffprivlib, DP-EBM and Opacus with everything
   private. Each figure is a mean of five trainings on the same split. At each epsilon it is of the best setting of
   all, chosen on the test rows.
   As far as their epsilon hides whether somebody is in the table, it promises less than ours, which hides all of
   somebody's values: for that they promise twice the epsilon.
 - Each figure of ours is of one training: at small epsilons another one differs by a point or more.
 - The noise of this comparison is simulated (seeded), and the comparison reads its test rows openly. Both are fine for
   a table that is public, as this one, and wrong for one that is not.
"""
_TITLE = "What privacy costs"
_CAPTION = (
    "Adult (Becker and Kohavi, 1996; CC BY 4.0): 32,561 training rows, 16,281 test rows. The automatic choice, "
    "simulated noise, one training each. Other libraries: stored means of five trainings; the band is a standard "
    "deviation."
)


def _next(folder: Path) -> str:
    model, table, schema, new = (
        quoted(folder / name) for name in ("model.json", "train.csv", "schema.toml", "new.csv")
    )
    return f"""\
{folder / "model.json"} is a model of its own, with secure noise, which could be published.
The picture: open {quoted(folder / "accuracy.html")} in a browser; the model's card: {quoted(folder / "card.html")}.
Try next:
  tacit inspect {model}
  tacit predict {model} {new}
  tacit schema check {schema}
  tacit fit {table} --schema {schema} --epsilon 1 --out my-model.json
"""

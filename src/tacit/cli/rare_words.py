"""What `tacit fit` says where nearly all rows are of one class: accuracy tells little then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.cli.console import quoted
from tacit.measures.held_out import DOMINANT

if TYPE_CHECKING:
    from pathlib import Path

    from tacit.models import Model


def rare_words(model: Model, out: Path) -> list[str]:
    """Return how uneven the classes are, and what measures and what finds the rarer ones; nothing of even ones.

    As far as shares of the classes are declared, public or released.
    """
    shares = model.class_shares
    if shares is None or shares.max() < DOMINANT:
        return []
    at, classes = int(shares.argmax()), model.classes.tolist()
    frequent, others = classes[at], ", ".join(repr(each) for each in classes[:at] + classes[at + 1 :])
    known = "as declared" if model.schema.class_label.prevalence is not None else "as released"
    if not model.schema.label.private:
        known = "as is public"
    said = (
        f"About {100 * shares[at]:.0f} of 100 rows are {frequent!r}, {known}: accuracy says little about such a model."
    )
    measured = "" if model.held_out else " `--holdout 0.1` measures the AUC and how much is found of each class."
    return [f"{said}{measured}", f"`tacit predict {quoted(out)} --threshold balanced` finds more of {others}."]

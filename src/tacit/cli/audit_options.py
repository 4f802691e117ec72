"""The options of `tacit audit`, checked as far as they contradict each other."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from tacit.cli.console import AnswerOptions
from tacit.cli.file_options import FileOptions
from tacit.cli.ledger_commands import NotingLedger
from tacit.errors import ParameterError
from tacit.privacy.parameters import MAX_SEED

_OF_ROWS = ("rows", "on_invalid", "encoding", "sheet")
_OF_A_LEARNER = ("epsilon", "delta", "schema", "minutes", "seed", "sampling", "settings", "membership", *_OF_ROWS)
_OF_AN_OBJECT = ("claim", "relation", "schema", "minutes", "seed")
_OF_ANY = ("out", "as_json", "quiet", "debug", "ledger")  # a ledger may be named by the environment


@dataclass(frozen=True)
class AuditOptions(FileOptions, AnswerOptions):
    """The options of `tacit audit` as they were given; None where one was left out."""

    model: Annotated[
        Path | None, typer.Argument(help="A file that `tacit fit` or `tacit rados make` wrote.", show_default=False)
    ] = None
    learner: Annotated[
        str | None,
        typer.Option("--learner", help="boosted-trees, brc, lazybb, logistic, naive-bayes, radoboost, svm or tree."),
    ] = None
    object: Annotated[
        str | None, typer.Option("--object", metavar="MODULE:FUNCTION", help="What makes an object with fit.")
    ] = None
    epsilon: Annotated[float | None, typer.Option("--epsilon", "-e", help="Of the learner.")] = None
    delta: Annotated[float | None, typer.Option("--delta", help="Of the learner; 0 by default.")] = None
    schema: Annotated[Path | None, typer.Option("--schema", "-s", help="From which neighbors are made, TOML.")] = None
    claim: Annotated[
        str | None, typer.Option("--claim", metavar="epsilon=E[,delta=D]", help="What the object promises.")
    ] = None
    relation: Annotated[
        Literal["replace-one", "add-remove"] | None, typer.Option("--relation", help="Of neighbors; replace-one.")
    ] = None
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the learner.")
    ] = None
    sampling: Annotated[bool, typer.Option("--sampling", help="Sample the learner instead of replaying it.")] = False
    membership: Annotated[
        int | None,
        typer.Option("--membership", metavar="FITS", help="Attack so many fits of the learner to made-up rows."),
    ] = None
    rows: Annotated[
        Path | None,
        typer.Option("--rows", metavar="TABLE", help="Attack fits to real rows. The report is not private."),
    ] = None
    on_invalid: Annotated[
        Literal["raise", "coerce"] | None,
        typer.Option("--on-invalid", help="Of --rows: cells that the schema does not admit are an error by default."),
    ] = None
    ledger: NotingLedger = None
    minutes: Annotated[float | None, typer.Option("--minutes", help="How long to try; 1 by default.")] = None
    seed: Annotated[int | None, typer.Option("--seed", min=0, max=MAX_SEED, help="Of the search; 0.")] = None
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder of the page, JSON and JUnit's XML.")] = None

    def check(self) -> None:
        """Refuse options that do not go together."""
        chosen = [name for name in ("model", "learner", "object") if getattr(self, name) is not None]
        if len(chosen) != 1:
            got = " and ".join(map(_option, chosen)) or "none"
            raise ParameterError(f"Expected a model, --learner or --object, got {got}. Say which one to audit.")
        admitted = {"model": (), "learner": _OF_A_LEARNER, "object": _OF_AN_OBJECT}[chosen[0]]
        for name in self._given():
            if name not in (*chosen, *admitted):
                raise ParameterError(f"Expected no {_option(name)} with {_option(chosen[0])}. Leave it out.")
        needed = {"model": (), "learner": ("epsilon", "schema"), "object": ("claim",)}[chosen[0]]
        for name in needed:
            if getattr(self, name) is None:
                raise ParameterError(f"Expected {_option(name)} with {_option(chosen[0])}, got none. Add it.")
        if self.membership is not None and (self.sampling or self.minutes is not None):
            raise ParameterError("Expected --membership alone, got --sampling or --minutes with it. Leave one out.")
        for name in _OF_ROWS:
            other = "membership" if name == "rows" else "rows"
            if getattr(self, name) is not None and getattr(self, other) is None:
                raise ParameterError(f"Expected --{other} with {_option(name)}, got none. Add it.")

    def arguments(self) -> dict[str, Any]:
        """Return what makes an audit the same as an earlier one in the same folder."""
        given = self._given().items()
        texts = {name: str(value) if isinstance(value, Path) else value for name, value in given if name != "minutes"}
        if self.schema:  # the entries and not the file's name: an edited schema is another audit
            texts["schema"] = self.schema.read_text(encoding="utf-8", errors="replace")
        return texts

    def _given(self) -> dict[str, Any]:
        """Return the options that say what is audited and how, without those that were left out."""
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in _OF_ANY}
        return {name: value for name, value in values.items() if value not in (None, []) and value is not False}


def _option(name: str) -> str:
    return {"model": "a model", "settings": "--set"}.get(name, f"--{name.replace('_', '-')}")

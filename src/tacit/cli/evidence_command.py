"""`tacit evidence`: what the person who approves a release needs, in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacit.cli.console import Debug, ModelPath, Quiet, Terminal
from tacit.errors import ParameterError


def evidence(
    model: ModelPath,
    kinds: Annotated[
        list[str],
        typer.Option("--for", metavar="KIND", help="satre, registry, nist or card; may be given several times."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write, new or empty.", show_default=False)],
    about: Annotated[
        Path | None, typer.Option("--about", help="TOML file of what a person knows: owner, purpose, date and others.")
    ] = None,
    signer: Annotated[
        Path | None, typer.Option("--signer", help="Say that this public key signed the model, PEM; else refuse.")
    ] = None,
    signature: Annotated[
        Path | None, typer.Option("--signature", help="Where the signature is. By default MODEL.sig.")
    ] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Write evidence for the person who approves a release, once the model's claim is verified."""
    from tacit.report import read_about, write_evidence

    if signature and not signer:
        raise ParameterError("Expected --signer with --signature, got none. Name the public key of who signed.")
    terminal = Terminal(quiet)
    written = read_about(about) if about else None
    with terminal.busy("Verifying the model"):
        names = write_evidence(model, out, kinds, written, signer=signer, signature=signature)
    terminal.note(f"Wrote {out}: {', '.join(names)}.")

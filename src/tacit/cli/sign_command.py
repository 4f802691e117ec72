"""`tacit sign`: a signature next to a model, by which a stranger knows who made it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from tacit.cli.console import Debug, Force, Quiet, Terminal, checked_output, quoted

PASSWORD = "TACIT_KEY_PASSWORD"  # noqa: S105 - the variable's name
"""The environment variable that holds the password of an encrypted key."""


def sign(
    model: Annotated[Path, typer.Argument(help="A file of a model.", show_default=False)],
    key: Annotated[
        Path,
        typer.Option(
            "--key", help="An Ed25519 private key, PEM; its password is in TACIT_KEY_PASSWORD.", show_default=False
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Where the signature goes. By default MODEL.sig.", show_default=False),
    ] = None,
    force: Force = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Sign a model, so that others can verify who made it."""
    from tacit.verify import sign_model
    from tacit.verify.signatures import signature_place

    # Neither the model nor the key is ever replaced, by --force or without.
    place = signature_place(model) if out is None else out
    target = checked_output(place, model, key, force=force)
    sign_model(model, key, out=target, password=os.environ.get(PASSWORD))
    Terminal(quiet).say(f"Signed: {place}. Verify it: tacit verify {quoted(model)} --signer public.pem")

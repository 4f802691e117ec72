"""`tacit verify`: whether a certificate's claim follows from what it lists, by the written format alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli.console import Debug, Json, Quiet, Terminal, emit, emit_json
from tacit.errors import ParameterError

if TYPE_CHECKING:
    from tacit.privacy import Guarantee, PartCertificate
    from tacit.verify import RecomputedClaim

REFUSED = 1
"""Exit code where the claim does not follow, or promises nothing."""

MAX_FAULTS = 12
"""Of a damaged certificate every line may be one; --json has all."""

NOT_SEEN = "No file shows whether noise was drawn as stated, or whether someone left out a release on purpose."


def verify(
    model: Annotated[
        Path | None,
        typer.Argument(help="A file of a model or of rados, or a certificate alone as JSON.", show_default=False),
    ] = None,
    signer: Annotated[
        Path | None,
        typer.Option("--signer", help="Also whether the model was signed by this public key, PEM.", show_default=False),
    ] = None,
    signature: Annotated[
        Path | None,
        typer.Option("--signature", help="Where the signature is. By default MODEL.sig.", show_default=False),
    ] = None,
    print_program: Annotated[
        bool, typer.Option("--print-program", help="Print a second program that does it, which needs Python alone.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Recompute what a certificate claims from its file alone. Exit code 1 if the claim does not follow."""
    from tacit.verify import program, read_written, recomputed, signature_fault, signature_place

    if print_program:
        emit(program())
        return
    if model is None:
        raise ParameterError("Expected a file to verify, got none. Name one, or give --print-program.")
    if signature and not signer:
        raise ParameterError("Expected --signer with --signature, got none. Name the public key of who signed.")

    terminal = Terminal(quiet)
    with terminal.noting():
        written = read_written(model)
    certificate, found = written.certificate, recomputed(written.certificate, written.model)
    unsigned = signature_fault(written, signature or signature_place(model), signer) if signer else None
    reasons = _reasons(certificate, found)
    if as_json:
        emit_json(_document(certificate, found, reasons) | {"signed": None if unsigned is None else not unsigned})
    else:
        terminal.say(*_words(certificate, found, reasons), *_signed(unsigned, signer))
    if reasons or unsigned:
        raise typer.Exit(REFUSED)


def _signed(unsigned: str | None, signer: Path | None) -> list[str]:
    """Return whether the model was signed, if that was asked."""
    if unsigned is None:
        return []
    return [f"No: {unsigned}"] if unsigned else [f"Signed with the private key to {signer}."]


def _reasons(certificate: Guarantee, found: RecomputedClaim) -> list[str]:
    """Return why the file does not show that the claim holds; none where it does."""
    promises = (
        ["Its noise is simulated: anyone who knows the seed can subtract it, so it promises nothing."]
        if certificate.status == "simulated"
        else []
    )
    return [*found.faults, *found.unknown, *promises]


def _words(certificate: Guarantee, found: RecomputedClaim, reasons: list[str]) -> list[str]:
    claimed = f"epsilon {certificate.epsilon:g}, delta {certificate.delta:g}"
    lines = _n_releases(certificate)
    if not reasons and certificate.status == "public":
        return ["Yes: nothing is protected, and nothing was released with noise."]
    if not reasons:
        return [
            f"Yes: {claimed} follows from the {lines} release{'s' * (lines != 1)} that it lists.",
            f"Recomputed: epsilon {found.epsilon:.10g}, delta {found.delta:g}.",
            *([certificate.how_combined] if certificate.how_combined else []),
            *(f"  {line}" for line in certificate.part_lines),
            f"Protected: {_whose(certificate)}; there {', '.join(_cells(certificate))}.",
            _sensitivities(lines, found),
            NOT_SEEN,
        ]
    shown = [f"  - {each}" for each in reasons[:MAX_FAULTS]]
    rest = [f"  and {len(reasons) - MAX_FAULTS} more; --json has all."] if len(reasons) > MAX_FAULTS else []
    return [f"No: the file does not show that {claimed} holds.", *shown, *rest]


def _parts(certificate: Guarantee) -> tuple[PartCertificate, ...]:
    """Return the parts of a merged certificate, none of others."""
    from tacit.privacy import MergedGuarantee

    return certificate.parts if isinstance(certificate, MergedGuarantee) else ()


def _n_releases(certificate: Guarantee, *, learned: bool = True) -> int:
    """Return how many releases a certificate lists, with those of its parts, and of its learned schema."""
    others = [part.certificate for part in _parts(certificate)]
    others += [certificate.learned] if learned and certificate.learned else []
    return len(certificate.releases) + sum(_n_releases(each, learned=learned) for each in others)


def _whose(certificate: Guarantee) -> str:
    return "one row" if certificate.persons is None else str(certificate.persons)


def _cells(certificate: Guarantee) -> list[str]:
    from tacit.privacy.assumptions import protects_weight

    weighed = protects_weight(certificate.assumptions)
    return [*certificate.columns, *["the label"] * certificate.label, *["the row's weight"] * weighed]


def _sensitivities(lines: int, found: RecomputedClaim) -> str:
    """Return how many sensitivities were computed again, and of which queries they are taken as stated."""
    if not found.as_stated:
        return "Sensitivities: all recomputed, from the columns, bounds and settings that are listed with each."
    named = ", ".join(dict.fromkeys(line.asked for line in found.as_stated[:MAX_FAULTS]))
    count = len(found.as_stated)
    return f"Sensitivities: {lines - count} recomputed; {count} taken as stated, of {named}."


def _document(certificate: Guarantee, found: RecomputedClaim, reasons: list[str]) -> dict[str, Any]:
    """Return the answer for a program; an epsilon that does not follow is null, as JSON has no infinity."""
    from math import isfinite

    from tacit.privacy.assumptions import protects_weight

    return {
        "holds": not reasons,
        "status": certificate.status,
        "protected": {
            "columns": list(certificate.columns),
            "label": certificate.label,
            "weight": protects_weight(certificate.assumptions),
            "of_whom": _whose(certificate),
        },
        "claimed": {"epsilon": certificate.epsilon, "delta": certificate.delta},
        "recomputed": {"epsilon": found.epsilon if isfinite(found.epsilon) else None, "delta": found.delta},
        "faults": list(found.faults),
        "unknown": reasons[len(found.faults) :],
        "releases": _n_releases(certificate, learned=False),
        "parts": [
            {"digest": part.digest, "n_rows": part.certificate.n_rows, "epsilon": part.certificate.epsilon}
            | {"delta": part.certificate.delta}
            for part in _parts(certificate)
        ],
        "sensitivities_as_stated": [
            {"query": line.query, "slice": line.slice, "order": line.order} for line in found.as_stated
        ],
    }

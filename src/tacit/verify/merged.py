"""Faults of merged certificates: what contradicts their parts, and parts that are not those of the model's file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import combinations
from typing import Any

from tacit.errors import ModelFileError
from tacit.models.document import bodies_of, canonical, digest
from tacit.privacy import Guarantee
from tacit.privacy.merged import MergedGuarantee, PartCertificate, following


def merged_faults(certificate: MergedGuarantee) -> Iterator[str]:
    """Yield what in a merged certificate contradicts those of its parts, but for what it claims."""
    own = [part.certificate for part in certificate.parts]
    if len({(each.columns, each.label, each.persons, each.labeled_public) for each in own}) > 1:
        yield "Its parts protect different cells, or different units."
    wanted = following(certificate.parts, certificate.people)
    for name in (each.name for each in fields(Guarantee) if each.init and each.name not in _STATED):
        if getattr(certificate, name) != wanted.get(name, _NOTHING.get(name)):
            yield f"Its {name.replace('_', ' ')} is not what follows from its parts."
    if not set(wanted["assumptions"]) <= set(certificate.assumptions):
        yield "It leaves out an assumption of its parts, or whose data they are of."
    if certificate.people == "the same" and len({each.n_rows for each in own}) > 1:
        yield "Its parts are said to be of the same people, and are not of as many."
    if certificate.people == "at one site":
        for one, other in same_accounts(certificate.parts):
            yield f"Parts {one.name} and {other.name} were charged to one account: their people may be the same."


_STATED = ("epsilon", "delta", "assumptions", "reasons")
_NOTHING = {"limits": ()}
"""What a merged certificate has in place of what each part has of its own; else none."""


def same_accounts(parts: tuple[PartCertificate, ...]) -> Iterator[tuple[PartCertificate, PartCertificate]]:
    """Yield parts of which the fits were charged to the same account of a ledger."""
    for one, other in combinations(parts, 2):
        if _accounts(one) & _accounts(other):
            yield one, other


def _accounts(part: PartCertificate) -> set[tuple[str, str]]:
    charge = part.certificate.charge
    return {(charge.ledger, charge.account)} if charge else set()


def merged_fault(model: Mapping[str, Any]) -> str:
    """Return what keeps a file's parts from being those of its certificate; empty if nothing does."""
    try:
        listed = [line["digest"] for line in model["guarantee"]["parts"]]
        bodies = list(bodies_of(model))
        schemas = {canonical(_declared(body["schema"])) for body in bodies}
        if any("parts" in body for body in bodies) or set(model) != _FIELDS:
            return "The model is damaged: it has not the fields that merged models have."
        if [digest(canonical(body)) for body in bodies] != listed:
            return "A part of the model is not the one whose digest the certificate has."
    except (ModelFileError, AttributeError, LookupError, TypeError, ValueError):
        return "The model is damaged: it has not the parts that merged models have."
    return "" if len(schemas) == 1 else "Its parts have different schemas."


_FIELDS = {"fitted_with", "guarantee", "parts"}


def _declared(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {**schema, "learned": None}

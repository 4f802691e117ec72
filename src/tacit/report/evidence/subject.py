"""The model that evidence is about: its file, its certificate once that was verified, and what a person wrote."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from tacit.errors import ParameterError
from tacit.models import Model, RegressionModel, from_json
from tacit.models.document import content_of
from tacit.models.merged import MergedParts
from tacit.privacy import Guarantee
from tacit.privacy.merged import fits_of
from tacit.privacy.release import ReleaseRecord
from tacit.report.page.about import About
from tacit.report.page.card import protected_cells
from tacit.verify import (
    RecomputedClaim,
    WrittenCertificate,
    key_digest,
    recomputed,
    signature_fault,
    signature_place,
    written_of,
)
from tacit.version import __version__

NOT_SHOWN = (
    "No file shows whether noise was drawn as stated, or whether someone left out a release on purpose.",
    "No file shows what else was computed from the same rows and left: other fits add to epsilon.",
    "Differential privacy bounds what the model tells of one person. Whether it is anonymous in the legal sense, a "
    "person decides.",
    "Facts about the population are not protected: they hold for people in the table and outside of it.",
)
"""What every piece of evidence says of itself."""


@dataclass(frozen=True)
class Subject:
    """A model whose claim follows from what its certificate lists."""

    file: str
    """Its name, without folders."""
    sha256: str
    model: Model | RegressionModel
    found: RecomputedClaim
    about: About
    signed: str
    """Whether it is signed, and by which key, in a sentence."""

    @property
    def guarantee(self) -> Guarantee:
        """The model's certificate."""
        return self.model.guarantee

    @property
    def claim(self) -> str:
        """Epsilon and delta in words."""
        return f"epsilon {self.guarantee.epsilon:g}, delta {self.guarantee.delta:g}"

    @property
    def n_releases(self) -> int:
        """How many releases are listed, those for the schema included."""
        return len(self._listed)

    @property
    def _listed(self) -> list[ReleaseRecord]:
        fits = [fit for _, fit in fits_of(self.guarantee)]
        parts = [part for fit in fits for part in (fit.learned, fit) if part is not None]
        return [line for part in parts for line in part.releases]

    @property
    def verified(self) -> tuple[str, ...]:
        """What verification found, in sentences; known flaws of the version that fitted the model come first."""
        stated = Counter(line.asked for line in self.found.as_stated)
        named = f" Taken as stated: {', '.join(stated)}." if stated else ""
        return (
            *(f"KNOWN FLAW of the version that fitted this model: {known}" for known in self.model.advisories),
            f"Verified: {self.claim} follows from the {self.n_releases:,} releases that the certificate lists.",
            f"Recomputed by tacit {__version__}: epsilon {self.found.epsilon:.10g}, delta {self.found.delta:g}.",
            f"Sensitivities recomputed: {self.n_releases - stated.total():,} of {self.n_releases:,}.{named}",
            f"File {self.file}, SHA-256 {self.sha256}.",
            self.signed,
        )

    @property
    def unit(self) -> str:
        """Whose data an attacker must not tell from other data."""
        persons = self.guarantee.persons
        return "one row" if persons is None else f"one person: {persons}"

    @property
    def trained(self) -> str:
        """What who trained the model saw, as a clause."""
        merged = isinstance(self.model, MergedParts)
        return "each site that trained a part saw its own rows" if merged else "who trained the model saw all rows"

    @property
    def protected(self) -> str:
        """The protected cells, by their names."""
        return protected_cells(self.guarantee)

    @property
    def public(self) -> list[str]:
        """What is not protected, and was declared public."""
        private = {*self.guarantee.columns}
        columns = [name for name in self.model.schema.full.input_names if name not in private]
        said = [f"the number of {self.guarantee.counted}: {self.guarantee.n_rows:,}", "the schema"]
        said += [f"columns {', '.join(columns)}"] if columns else []
        return [*said, *([] if self.guarantee.label else [f"the label {self.model.schema.label.name}"])]

    @property
    def releases(self) -> list[dict[str, Any]]:
        """Everything that left with noise, equal releases together."""
        return [
            {
                "what": each.asked,
                "times": count,
                "mechanism": each.mechanism,
                "sensitivity": each.sensitivity,
                "norm": each.sensitivity_kind,
                "noise_scale": each.noise_scale,
                "noise_over_sensitivity": each.noise_scale / each.sensitivity if each.sensitivity else None,
                "loss_of_each": each.loss,
                "currency": each.currency,
                "delta_of_each": each.delta,
            }
            for each, count in Counter(self._listed).items()
        ]

    @property
    def utility(self) -> list[str]:
        """How good the model is, as released with noise; empty where nobody measured it privately."""
        return list(self.model.measured)


def read_subject(path: Path, about: About, signer: Path | None = None, signature: Path | None = None) -> Subject:
    """Return the model in a file, once its claim was verified, and its signature where a signer is named.

    Raises
    ------
    ModelFileError
        If the file holds no model, or there is no signature.
    ParameterError
        If the claim does not follow, promises nothing, or protects nothing, or the signature is of another model or by
        another key: no evidence is better than such.
    """
    content = content_of(path)
    model = from_json(content)
    written = written_of(content)
    found = recomputed(written.certificate, written.model)
    reasons = [*found.faults, *found.unknown]
    if model.guarantee.status == "simulated":
        reasons.append("Its noise is simulated: anyone who knows the seed can subtract it.")
    if model.guarantee.status == "public":
        reasons.append("It protects nothing: the schema declares every column and the label public.")
    if reasons:
        raise ParameterError(
            f"Expected a model whose claim can be verified, got {path.name!r}: {reasons[0]} Nothing was written. "
            "`tacit verify` lists all reasons."
        )
    signed = _signed(written, signature or signature_place(path), signer, path)
    return Subject(path.name, sha256(content).hexdigest(), model, found, about, signed)


def _signed(written: WrittenCertificate, signature: Path, signer: Path | None, path: Path) -> str:
    """Return what is known of the signature of a model, in a sentence."""
    if signer is None:
        there = f"A signature is in {signature.name}, and no key was named to check it." if signature.exists() else ""
        return there or "No signature was checked."
    if fault := signature_fault(written, signature, signer):
        raise ParameterError(
            f"Expected {signature.name} to sign {path.name} with the key to {signer.name}. {fault} Nothing was written."
        )
    return (
        f"Signed: {signature.name} is of this model and by the key to {signer.name}. SHA-256 of that public key: "
        f"{key_digest(signer)}."
    )

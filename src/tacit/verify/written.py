"""Certificates as they are written: JSON, by itself or in a model file, and the JSON Schema that describes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from tacit.errors import ModelFileError
from tacit.models.document import canonical, content_of, digest, parsed, validated
from tacit.privacy import Guarantee
from tacit.privacy.merged import MergedGuarantee

SCHEMA = "certificate.schema.json"


@dataclass(frozen=True)
class WrittenCertificate:
    """A certificate, and the model that it is of, as its file has it."""

    certificate: Guarantee
    model: Mapping[str, Any] | None
    """Unchecked but for its digest; None where a certificate is by itself, or of a set of Rademacher observations."""


def read_written(path: str | Path) -> WrittenCertificate:
    """Return the certificate in a file: of a model, of a set of Rademacher observations, or one by itself.

    Raises
    ------
    ModelFileError
        If the file cannot be read, or holds none; the message begins with its name.
    """
    path = Path(path)
    content = content_of(path)
    if content.startswith(b"PAR1"):
        from tacit.models.rado_set import read_rados

        return WrittenCertificate(read_rados(path).description.guarantee, None)
    try:
        return written_of(content)
    except ModelFileError as error:
        message = f"{path.name}: {error}"
    # Outside of the handler, so that nothing of a foreign file is behind the message.
    raise ModelFileError(message)


def written_of(text: str | bytes) -> WrittenCertificate:
    """Return the certificate in JSON text: that of a model file, whose digest must match, or one by itself.

    Nothing else of a model is validated, so that a certificate can be looked at where its model is damaged or of a kind
    that this version does not know.

    Raises
    ------
    ModelFileError
        If the text is neither, too large, altered or no valid certificate.
    """
    document = parsed(text)
    if not isinstance(document, dict):
        raise ModelFileError("Expected a certificate or a model with one, got another kind of file.")
    body = document.get("model", document)
    if "model" in document and document.get("digest") != digest(canonical(body)):
        raise ModelFileError("Expected content that matches its digest, got an altered file. Get an unchanged copy.")
    found = body.get("guarantee") if "model" in document and isinstance(body, dict) else body
    if not isinstance(found, dict):
        raise ModelFileError("Expected a certificate in the model, got none. The file is damaged.")
    kind = MergedGuarantee if "parts" in found else Guarantee
    return WrittenCertificate(validated(kind, canonical(found)), body if "model" in document else None)


def read_certificate(path: str | Path) -> Guarantee:
    """Return the certificate in a file, without its model; see ``read_written``."""
    return read_written(path).certificate


def certificate_of(text: str | bytes) -> Guarantee:
    """Return the certificate in JSON text, without its model; see ``written_of``."""
    return written_of(text).certificate


def certificate_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of certificates of version 2."""
    return cast(dict[str, Any], json.loads(files("tacit.verify").joinpath(SCHEMA).read_text(encoding="utf-8")))


def program() -> str:
    """Return a second program that checks certificates: one file, which needs Python 3.11 and nothing else.

    It was written from the specification alone and shares no code with this package.

    Examples
    --------
    >>> "import tacit" in program()
    False
    """
    return files("tacit.verify").joinpath("standalone", "verify.py").read_text(encoding="utf-8")

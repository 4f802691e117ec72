"""Verification: what a certificate claims, recomputed from its JSON by docs/certificate-format.md; fits nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.verify.claim import RecomputedClaim, recomputed
    from tacit.verify.signatures import key_digest, sign_model, signature_fault, signature_place
    from tacit.verify.written import (
        WrittenCertificate,
        certificate_of,
        certificate_schema,
        program,
        read_certificate,
        read_written,
        written_of,
    )
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "claim": "RecomputedClaim recomputed",
            "signatures": "key_digest sign_model signature_fault signature_place",
            "written": "WrittenCertificate certificate_of certificate_schema program read_certificate "
            "read_written written_of",
        },
    )

__all__ = [
    "RecomputedClaim",
    "WrittenCertificate",
    "certificate_of",
    "certificate_schema",
    "key_digest",
    "program",
    "read_certificate",
    "read_written",
    "recomputed",
    "sign_model",
    "signature_fault",
    "signature_place",
    "written_of",
]

"""Signatures of models: Ed25519 over a model's digest, in a small file next to it; docs/signatures.md."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Literal

from tacit.errors import MissingExtra, ModelFileError, ParameterError, shown
from tacit.models.document import as_plain, canonical, content_of, digest, parsed, validated
from tacit.saving import write_atomically
from tacit.verify.written import WrittenCertificate, read_written

SUFFIX = ".sig"
"""After the name of the model's file."""

_MESSAGE = "tacit-signature 1 {digest}\n"
"""What is signed. It begins with words of its own, so that what a key signed elsewhere is no signature of a model."""

_MAKE = "Make one: openssl genpkey -algorithm ed25519 -out private.pem."
_PUBLIC = "Take the one of whom you trust: openssl pkey -in private.pem -pubout -out public.pem."


@dataclass(frozen=True)
class Signature:
    """A signature as its file has it.

    Parameters
    ----------
    digest : str
        Of the model that was signed.
    signature : str
        64 bytes in base64.
    """

    digest: str
    signature: str
    format: Literal["tacit-signature"] = "tacit-signature"
    version: Literal[1] = 1

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}


def sign_model(
    model: str | Path, key: str | Path, *, out: str | Path | None = None, password: str | None = None
) -> Path:
    """Sign the model in a file, and return where the signature is.

    Parameters
    ----------
    model : str or Path
    key : str or Path
        An Ed25519 private key, as PEM.
    out : str or Path, optional
        Where the signature goes; by default next to the model, its name with ``.sig`` after it.
    password : str, optional
        Of an encrypted key.

    Raises
    ------
    ModelFileError
        If there is no model in the file, or it was altered; nothing is written.
    ParameterError
        If the key is not readable, of another kind, or encrypted and the password is not its own.
    MissingExtra
        If the extra ``sign`` is not installed.
    """
    private = _private_key(Path(key), password)
    found = _digest_of(read_written(model))
    signature = base64.b64encode(private.sign(_message(found))).decode("ascii")
    place = signature_place(model) if out is None else Path(out)
    write_atomically(place, canonical(as_plain(Signature(found, signature))) + "\n")
    return place


def signature_place(model: str | Path) -> Path:
    """Return where the signature of the model in a file is, if nobody says otherwise.

    Examples
    --------
    >>> signature_place("model.json").name
    'model.json.sig'
    """
    return Path(model).with_name(Path(model).name + SUFFIX)


def signature_fault(written: WrittenCertificate, signature: str | Path, signer: str | Path) -> str:
    """Return why a model's signature is not one of a signer, as a sentence; empty if it is.

    Parameters
    ----------
    written : WrittenCertificate
        Of a model, as `read_written` returns it.
    signature : str or Path
    signer : str or Path
        An Ed25519 public key, as PEM.

    Raises
    ------
    ModelFileError
        If what was read is no model, or there is no signature.
    ParameterError
        If the key is not readable, or of another kind.
    MissingExtra
        If the extra ``sign`` is not installed.
    """
    public, found = _public_key(Path(signer)), _digest_of(written)
    given = _read(Path(signature))
    if given.digest != found:
        return "The signature is of another model."
    try:
        made = base64.b64decode(given.signature, validate=True)
    except (binascii.Error, ValueError):
        made = b""
    return "" if _is_made_by(public, made, _message(found)) else "The signature was not made by this signer."


def key_digest(signer: str | Path) -> str:
    """Return the SHA-256 of a public key, by which people compare keys: of its DER form, which has no layout.

    Raises
    ------
    ParameterError
        If the key is not readable, or of another kind.
    MissingExtra
        If the extra ``sign`` is not installed.
    """
    serialization, _ = _library()
    forms = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    return sha256(_public_key(Path(signer)).public_bytes(*forms)).hexdigest()


def _is_made_by(public: Any, made: bytes, message: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature

    try:
        public.verify(made, message)
    except InvalidSignature:
        return False
    return True


def _read(place: Path) -> Signature:
    """Return the signature in a file."""
    if not place.exists():
        raise ModelFileError(f"Expected a signature in {shown(place)}, got none. Ask who made the model for it.")
    try:
        return validated(Signature, canonical(parsed(content_of(place))))
    except ModelFileError:
        raise ModelFileError(
            f"Expected a signature in {shown(place)}, got another file. Ask who made the model for it."
        ) from None


def _digest_of(written: WrittenCertificate) -> str:
    if written.model is None:
        raise ModelFileError(
            "Expected a model, got a certificate or rados alone, which have no signature. Name a model."
        )
    return digest(canonical(written.model))


def _message(found: str) -> bytes:
    return _MESSAGE.format(digest=found).encode("ascii")


def _private_key(path: Path, password: str | None) -> Any:
    serialization, ed25519 = _library()
    content = _content_of(path)
    encrypted = b"ENCRYPTED" in content
    if encrypted and not password:
        raise ParameterError(
            f"Expected a password for the encrypted key in {shown(path)}, got none. Put it into TACIT_KEY_PASSWORD."
        )
    try:
        key = serialization.load_pem_private_key(content, password.encode() if encrypted and password else None)
    # Whatever the library has against a key; its words may quote the file.
    except Exception:  # noqa: BLE001
        key = None
    if key is None and encrypted:
        raise ParameterError(f"Expected the password of the key in {shown(path)}, got another. Give the right one.")
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise ParameterError(f"Expected an Ed25519 private key as PEM in {shown(path)}, got another file. {_MAKE}")
    return key


def _public_key(path: Path) -> Any:
    serialization, ed25519 = _library()
    content = _content_of(path)
    try:
        key = serialization.load_pem_public_key(content)
    except Exception:  # noqa: BLE001 - whatever the library has against a key; its words may quote the file
        key = None
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise ParameterError(f"Expected an Ed25519 public key as PEM in {shown(path)}, got another file. {_PUBLIC}")
    return key


def _content_of(path: Path) -> bytes:
    try:
        return content_of(path)
    except ModelFileError:
        raise ParameterError(f"Expected a key in {shown(path)}, got no readable file. Name one as PEM.") from None


def _library() -> tuple[Any, Any]:
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise MissingExtra(
            "Expected the extra 'sign', got no cryptography. Install it: pip install 'tacit[sign]'."
        ) from None
    return serialization, ed25519

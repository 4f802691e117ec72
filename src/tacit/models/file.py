"""Model files: JSON with a format version and a digest; reading one runs no code."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from pathlib import Path
from typing import Any, cast

from tacit.errors import ModelFileError, PrivacyError
from tacit.models.model import Model
from tacit.models.rules import OpaqueRule
from tacit.models.vote import VoteModel

FORMAT = "tacit-model"
VERSION = 1
LARGEST_FILE = 64 * 2**20
"""Bytes; a larger file is refused unread."""


def to_json(model: Model, *, allow: str | None = None) -> str:
    """Return the model as JSON text.

    Parameters
    ----------
    model : Model
    allow : {"simulated", "void"}, optional
        Must name the certificate's status where that is not a true guarantee.

    Raises
    ------
    PrivacyError
        If the certificate is simulated or void and ``allow`` does not say so.
    ModelFileError
        If a public learner in the model is one that cannot be written down.
    """
    status = model.guarantee.status
    if status in ("simulated", "void") and allow != status:
        raise PrivacyError(
            f"Expected a model that may be published, got one whose certificate is {status}. "
            f"Fit it anew without what made it so, or pass allow={status!r} and never publish the file."
        )
    if _has_opaque_rules(model):
        raise ModelFileError(
            "Expected a public learner that can be written down: a linear model or a decision tree of scikit-learn. "
            "Fit with one of those to save the model."
        )
    body = _adapter().dump_python(model, mode="json")
    document = {"format": FORMAT, "version": VERSION, "digest": _digest(body), "model": body}
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def from_json(text: str | bytes) -> Model:
    """Return the model that JSON text describes.

    Raises
    ------
    ModelFileError
        If the text is damaged, altered, too large, of another format or version, or describes no valid model.
    """
    body = _body(text)
    from pydantic import ValidationError

    try:
        model = cast(Model, _adapter().validate_json(json.dumps(body), strict=True))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the top"
        raise ModelFileError(f"Expected a valid model, got a fault at {place}: {first['msg']}.") from None
    except (RecursionError, ValueError, TypeError, OverflowError) as error:
        raise ModelFileError(f"Expected a valid model, got one that contradicts itself: {error}") from None
    if _has_opaque_rules(model):
        raise ModelFileError("Expected rules that are written out, got one that is not. The file is foreign.")
    return model


def write_model(model: Model, path: str | Path, *, allow: str | None = None) -> None:
    """Write the model's JSON; the file appears whole or not at all."""
    write_atomically(Path(path), to_json(model, allow=allow))


def write_atomically(path: Path, content: str | bytes) -> None:
    """Replace a file in one step, so that a crash leaves the old one or the new one; text becomes UTF-8."""
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content.encode("utf-8") if isinstance(content, str) else content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(scratch, _mode(path))
        os.replace(scratch, path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise


def _mode(path: Path) -> int:
    """Return the mode of the file that is replaced, or that of a new file."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def read_model(path: str | Path) -> Model:
    """Return the model in a file; see ``from_json``."""
    path = Path(path)
    try:
        with path.open("rb") as stream:
            content = stream.read(LARGEST_FILE + 1)  # a device tells no size beforehand
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no path"
        raise ModelFileError(f"Expected a readable file, got {str(path)!r}: {reason}.") from None
    if len(content) > LARGEST_FILE:
        raise ModelFileError(f"Expected at most {LARGEST_FILE} bytes, got a larger file {path.name!r}.")
    try:
        return from_json(content)
    except ModelFileError as error:
        raise ModelFileError(f"{path.name}: {error}") from None


def _has_opaque_rules(model: Model) -> bool:
    return any(
        isinstance(vote.rule, OpaqueRule)
        for scorer in model.scorers
        if isinstance(scorer, VoteModel)
        for vote in scorer.votes
    )


def _body(text: str | bytes) -> dict[str, Any]:
    if len(text) > LARGEST_FILE:
        raise ModelFileError(f"Expected at most {LARGEST_FILE} bytes, got more.")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise ModelFileError("Expected a whole JSON file, got something cut off or damaged. Copy it again.") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFileError("Expected a model of this package, got another kind of file.")
    if type(document.get("version")) is not int or document["version"] != VERSION:
        raise ModelFileError(
            f"Expected format version {VERSION}, got another. Read the file with the release that wrote it."
        )
    body = document.get("model")
    if set(document) != {"format", "version", "digest", "model"} or not isinstance(body, dict):
        raise ModelFileError("Expected format, version, digest and model, got other entries. The file is damaged.")
    if document["digest"] != _digest(body):
        raise ModelFileError("Expected content that matches its digest, got an altered file. Get an untouched copy.")
    return body


def _digest(body: Any) -> str:
    try:
        canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (ValueError, RecursionError):
        raise ModelFileError("Expected finite numbers, got others. The file is damaged.") from None
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()


def _adapter() -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(Model)

"""Model files: JSON with a format version and a digest; reading one runs no code."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from tacit.errors import ModelFileError, PrivacyError, PrivacyWarning
from tacit.models.document import LARGEST_FILE, as_plain, canonical, check_size, digest, parsed, upgraded, validated
from tacit.models.model import Model
from tacit.models.rules import OpaqueRule
from tacit.models.vote import VoteModel
from tacit.saving import write_atomically
from tacit.schema.schema import MOST_COLUMNS, MOST_VALUES

FORMAT = "tacit-model"
VERSION = 2
"""Of the files that are written; see docs/file-formats.md for what each version changed."""

_BEGINNING = 200
"""Bytes of a file in which its format is said."""

MOST_PAIRS = 10**6
"""Columns times scorers. Each scorer is checked against each column, and one against the rest has a coefficient or a
rule for most of both, so that files of more would be too large anyway."""


def to_json(model: Model, *, allow: str | None = None) -> str:
    """Return the model as JSON text.

    Raises PrivacyError if the certificate is simulated or void and ``allow`` does not say so, or ModelFileError if a
    public learner in the model is one that cannot be written down, or the file would be too large to read.

    Parameters
    ----------
    allow : {"simulated", "void"}, optional
        Must name the certificate's status where that is not a true guarantee.
    """
    status = model.guarantee.status
    if status in ("simulated", "void") and allow != status:
        raise PrivacyError(
            f"Expected a model that may be published, got one whose certificate is {status}. "
            f"Fit it again without what made it so, or pass allow={status!r} and never publish the file."
        )
    if _has_opaque_rules(model):
        raise ModelFileError(
            "Expected a public learner that can be written down: a linear model or a decision tree of scikit-learn. "
            "Fit with one of those to save the model."
        )
    body = as_plain(model)
    document = {"format": FORMAT, "version": VERSION, "digest": digest(canonical(body)), "model": body}
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    check_size(text.encode("utf-8"), "the model")  # what could not be read again is not written
    _check_extent(body)
    return text


def from_json(text: str | bytes) -> Model:
    """Return the model that JSON text describes.

    Raises ModelFileError if the text is damaged, altered, too large, of another format or version, or describes no
    valid model.
    """
    model = validated(Model, _content(text))
    if _has_opaque_rules(model):
        raise ModelFileError("Expected rules that are written out, got one that is not. The file is foreign.")
    return model


def write_model(model: Model, path: str | Path, *, allow: str | None = None) -> None:
    """Write the model's JSON; the file appears whole or not at all."""
    write_atomically(Path(path), to_json(model, allow=allow))


def read_model(path: str | Path) -> Model:
    """Return the model in a file; see ``from_json``.

    Warns
    -----
    PrivacyWarning
        Once, if the version that fitted it had a flaw that may make its certificate false; see ``Model.advisories``.
    """
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
        model = from_json(content)
    except ModelFileError as error:
        message = f"{path.name}: {error}"
    else:
        if known := model.advisories:
            warnings.warn(f"{path.name}: {' '.join(map(str, known))}", PrivacyWarning, stacklevel=2)
        return model
    raise ModelFileError(message)


def is_model_file(path: Path) -> bool:
    """Return whether a file begins as those of models do; it may be damaged behind."""
    try:
        with path.open("rb") as stream:
            return f'"{FORMAT}"'.encode() in stream.read(_BEGINNING)
    except OSError:
        return False


def _has_opaque_rules(model: Model) -> bool:
    return any(
        isinstance(vote.rule, OpaqueRule)
        for scorer in model.scorers
        if isinstance(scorer, VoteModel)
        for vote in scorer.votes
    )


def _content(text: str | bytes) -> str:
    """Return the canonical text of the model alone; what was parsed on the way is let go before it is validated."""
    body = _body(text)
    _check_extent(body)
    return canonical(body)


def _body(text: str | bytes) -> dict[str, Any]:
    """Return what a file says of its model, as the present format would."""
    document = parsed(text)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFileError("Expected a model of this package, got another kind of file.")
    version, body = document.get("version"), document.get("model")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise ModelFileError(
            f"Expected format version 1 to {VERSION}, got another. Read the file with the release that wrote it."
        )
    if set(document) != {"format", "version", "digest", "model"} or not isinstance(body, dict):
        raise ModelFileError("Expected format, version, digest and model, got other entries. The file is damaged.")
    if document["digest"] != digest(canonical(body)):
        raise ModelFileError("Expected content that matches its digest, got an altered file. Get an untouched copy.")
    return upgraded(body, version)


def _check_extent(body: dict[str, Any]) -> None:
    """Refuse what would take long to check, before anything is made of it."""
    schema = body.get("schema")
    columns = _entries(schema, "columns")
    n_scorers = len(_entries(body, "scorers"))
    n_values = sum(len(_entries(column, name)) for column in columns for name in ("categories", "cuts"))
    if len(columns) > MOST_COLUMNS or len(columns) * n_scorers > MOST_PAIRS or n_values > MOST_VALUES:
        raise ModelFileError(
            f"Expected at most {MOST_COLUMNS} columns with {MOST_VALUES} categories and cut points in all, and "
            f"{MOST_PAIRS} columns times scorers, got more. Fit with fewer columns, categories or classes."
        )


def _entries(parent: Any, name: str) -> list[Any]:
    found = parent.get(name) if isinstance(parent, dict) else None
    return found if isinstance(found, list) else []

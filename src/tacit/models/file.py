"""Reading of model files: JSON with a format version and a digest; no code of a file is run."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from tacit.errors import ModelFileError, PrivacyWarning
from tacit.models.document import canonical, content_of, digest, parsed, upgraded, validated
from tacit.models.model import Model
from tacit.models.regression import RegressionModel
from tacit.models.writing import FORMAT, VERSION, check_extent, has_opaque_rules

_BEGINNING = 200
"""Bytes of a file in which its format is said."""


def from_json(text: str | bytes) -> Model | RegressionModel:
    """Return the model that JSON text describes.

    Raises ModelFileError if the text is damaged, altered, too large, of another format or version, or describes no
    valid model.
    """
    content, is_number = _content(text)
    model: Model | RegressionModel = validated(RegressionModel, content) if is_number else validated(Model, content)
    if has_opaque_rules(model):
        raise ModelFileError("Expected rules that are written out, got one that is not. The file is foreign.")
    return model


def read_model(path: str | Path) -> Model | RegressionModel:
    """Return the model in a file; see ``from_json``.

    Warns
    -----
    PrivacyWarning
        Once, if the version that fitted it had a flaw that may make its certificate false; see ``Model.advisories``.
    """
    path = Path(path)
    content = content_of(path)
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


def _content(text: str | bytes) -> tuple[str, bool]:
    """Return the canonical text of the model alone, and whether it predicts a number.

    What was parsed on the way is let go before it is validated.
    """
    body = _body(text)
    check_extent(body)
    return canonical(body), "scale" in body


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
        raise ModelFileError("Expected content that matches its digest, got an altered file. Get an unchanged copy.")
    return upgraded(body, version)

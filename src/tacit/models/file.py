"""Reading of model files: JSON with a format version and a digest; no code of a file is run."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from tacit.errors import ModelFileError, PrivacyWarning
from tacit.models.document import bodies_of, canonical, content_of, digest, parsed, upgraded, validated
from tacit.models.merged import MergedModel, MergedRegressionModel
from tacit.models.model import Model
from tacit.models.regression import RegressionModel
from tacit.models.writing import FORMAT, VERSION, check_extent, has_opaque_rules
from tacit.privacy.merged import MergedGuarantee

_BEGINNING = 200
"""Bytes of a file in which its format is said."""


def from_json(text: str | bytes) -> Model | RegressionModel:
    """Return the model that JSON text describes.

    Raises ModelFileError if the text is damaged, altered, too large, of another format or version, or describes no
    valid model.
    """
    body = _body(text)
    check_extent(body)
    model = _merged(body) if "parts" in body else _model(body)
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


def _model(body: dict[str, Any]) -> Model | RegressionModel:
    """Return the model of one fit; its body is emptied, so that it is let go before its text is validated."""
    content, is_number = canonical(body), "scale" in body
    body.clear()
    return validated(RegressionModel, content) if is_number else validated(Model, content)


def _merged(body: dict[str, Any]) -> MergedModel | MergedRegressionModel:
    """Return the model that is made of others, each of which is read as if its file were its own."""
    if set(body) != {"fitted_with", "guarantee", "parts"} or not isinstance(body["fitted_with"], str):
        raise ModelFileError("Expected fitted_with, guarantee and parts of a merged model, got other entries.")
    bodies = list(bodies_of(body))
    parts = [canonical(each) for each in bodies]
    guarantee = validated(MergedGuarantee, canonical(body["guarantee"]))
    if "scale" in body["parts"][0]:
        numbers = [validated(RegressionModel, each) for each in parts]
        return MergedRegressionModel.of(numbers, bodies, guarantee, body["fitted_with"])
    return MergedModel.of([validated(Model, each) for each in parts], bodies, guarantee, body["fitted_with"])


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

"""Writing of model files: JSON with a format version and a digest, which appear whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

from tacit.errors import ModelFileError, PrivacyError
from tacit.models.document import canonical, check_size, digest
from tacit.models.rules import OpaqueRule
from tacit.models.vote import VoteModel
from tacit.privacy import Guarantee
from tacit.saving import write_atomically
from tacit.schema.parts import MAX_COLUMNS, MAX_VALUES

FORMAT = "tacit-model"
VERSION = 2
"""Of the files that are written; see docs/file-formats.md for what each version changed."""

MAX_PAIRS = 10**6
"""Columns times scorers. Each scorer is checked against each column, and one against the rest has a coefficient or a
rule for most of both, so that files of more would be too large anyway."""


class Writable(Protocol):
    """A model, as far as its file needs it."""

    @property
    def guarantee(self) -> Guarantee:
        """The certificate."""

    def body(self) -> dict[str, Any]:
        """Return what the file holds beside format, version and digest."""


def publishable(model: Writable, *, allow: str | None = None) -> dict[str, Any]:
    """Return what a file of the model would hold, or refuse it.

    Raises PrivacyError if the certificate is simulated or void and ``allow`` does not say so, or ModelFileError if a
    public learner in the model is one that cannot be written down, or there are too many columns and scorers.

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
    if has_opaque_rules(model):
        raise ModelFileError(
            "Expected a public learner that can be written down: a linear model or a decision tree of scikit-learn. "
            "Fit with one of those to save the model."
        )
    body = model.body()
    check_extent(body)
    return body


def to_json(model: Writable, *, allow: str | None = None) -> str:
    """Return the model as JSON text; see ``publishable`` for what is refused."""
    body = publishable(model, allow=allow)
    document = {"format": FORMAT, "version": VERSION, "digest": digest(canonical(body)), "model": body}
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    check_size(text.encode("utf-8"), "the model")  # what could not be read again is not written
    return text


def write_model(model: Writable, path: str | Path, *, allow: str | None = None) -> None:
    """Write the model's JSON; the file appears whole or not at all."""
    write_atomically(Path(path), to_json(model, allow=allow))


def has_opaque_rules(model: Writable) -> bool:
    """Return whether a public classifier in the model is one that only its own library can write down."""
    parts: Any = getattr(model, "parts", (model,))  # of a merged model; any other has scorers of its own
    return any(
        isinstance(vote.rule, OpaqueRule)
        for part in parts
        for scorer in part.scorers
        if isinstance(scorer, VoteModel)
        for vote in scorer.votes
    )


def check_extent(body: dict[str, Any]) -> None:
    """Refuse what would take long to check, before anything is made of it; of a merged model all parts together."""
    parts = _entries(body, "parts") if "parts" in body else [body]
    kinds = ("columns", "group_columns")
    own_schemas = [part.get("schema") for part in parts if isinstance(part, dict)]
    columns = [[each for kind in kinds for each in _entries(schema, kind)] for schema in own_schemas]
    n_scorers = [len(_entries(part, "scorers")) for part in parts if isinstance(part, dict)]
    n_pairs = sum(len(own) * scorers for own, scorers in zip(columns, n_scorers, strict=True))
    n_values = sum(len(_entries(one, name)) for own in columns for one in own for name in ("categories", "cuts"))
    if max(map(len, columns), default=0) > MAX_COLUMNS or n_pairs > MAX_PAIRS or n_values > MAX_VALUES:
        raise ModelFileError(
            f"Expected at most {MAX_COLUMNS} columns with {MAX_VALUES} categories and cut points in all, and "
            f"{MAX_PAIRS} columns times scorers, got more. Fit with fewer columns, categories or classes."
        )


def _entries(parent: Any, name: str) -> list[Any]:
    found = parent.get(name) if isinstance(parent, dict) else None
    return found if isinstance(found, list) else []

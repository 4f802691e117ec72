"""A set of rados that may be handed over, and the Parquet file it travels in."""

from __future__ import annotations

import hashlib
import io
import json
import warnings
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.errors import ModelFileError, PrivacyError, PrivacyWarning
from tacit.features import GRID, LinearEncoding
from tacit.models.advisories import Advisory, advisories, check_version, this_version
from tacit.models.document import as_plain, canonical, parsed, schema_as_plain, upgraded, validated
from tacit.models.rado_form import Protection
from tacit.privacy import Guarantee
from tacit.privacy.marginal import MarginalGuarantee
from tacit.saving import write_atomically
from tacit.schema import Schema
from tacit.table.files.parquet import survives

FORMAT = "tacit-rados"
VERSION = 2
MAX_FILE = 2**30
"""Bytes; a larger file is refused unread."""


@dataclass(frozen=True)
class RadoDescription:
    """All of a set of rados but the rados."""

    schema: Schema
    """Of the table, two classes."""
    encoding: Literal["ordinal", "one-hot"]
    constant: bool
    """Whether the last feature is the constant."""
    protection: Protection
    guarantee: Guarantee
    """Void for ``"marginal"`` and ``"none"``, unless nothing was to be protected."""
    marginal: MarginalGuarantee | None = None
    """For ``"marginal"`` and no other."""
    on_invalid: Literal["raise", "coerce"] = "raise"
    """How rows were read, and how a model from the rados will read them."""
    clip: float = 1.0
    """The share of their reach to which numbers are clipped."""
    fitted_with: str = field(default_factory=this_version)
    """Version of this package that made them."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}

    def __post_init__(self) -> None:
        check_version(self.fitted_with)
        if not GRID <= self.clip <= 1:
            raise ModelFileError("Expected numbers clipped to a share in (0, 1] of their reach. The file is damaged.")
        promised = self.guarantee.status in ("private", "simulated")
        if len(self.schema.classes) != 2 or (self.marginal is not None) != (self.protection == "marginal"):
            raise ModelFileError("Expected two classes, and a marginal guarantee for marginal rados only.")
        if promised and self.protection in ("marginal", "none"):
            raise ModelFileError("Expected no differential privacy claimed of rados without any. The file is damaged.")
        if (self.guarantee.columns, self.guarantee.label) != (
            self.schema.full.private_columns,
            self.schema.label.private,
        ):
            raise ModelFileError("Expected a certificate of what the schema protects. The file is damaged.")

    @property
    def advisories(self) -> tuple[Advisory, ...]:
        """Known flaws of the version that made them, which may make the certificate false."""
        return advisories(self.fitted_with, self.guarantee)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features, which are the file's columns."""
        names = LinearEncoding(self.schema, self.schema.names, self.encoding).feature_names
        return (*names, "1") if self.constant else names


@dataclass(frozen=True, eq=False)
class RadoSet:
    """Rados with their description.

    Parameters
    ----------
    rados : float64 array of shape (count, n_features)
    description : RadoDescription

    Raises
    ------
    ModelFileError
        If they do not fit each other.
    """

    rados: NDArray[np.float64]
    description: RadoDescription

    def __post_init__(self) -> None:
        shape = self.rados.shape
        if len(shape) != 2 or shape[0] < 1 or shape[1] != len(self.description.feature_names):
            raise ModelFileError("Expected rados of the schema's features, got others. The file is damaged.")
        if not np.isfinite(self.rados).all():
            raise ModelFileError("Expected finite rados, got others. The file is damaged.")

    @property
    def n_rows(self) -> int:
        """Rows of the table that the rados are of; public."""
        return self.description.guarantee.n_rows

    def __str__(self) -> str:
        described = self.description
        return str(described.marginal) if described.marginal else str(described.guarantee)

    def write(self, path: str | Path, *, allow: str | None = None) -> None:
        """Write the Parquet file, whole or not at all.

        Parameters
        ----------
        path : str or Path
        allow : {"none", "marginal", "simulated", "void"}, optional
            Must name what the rados lack: their protection where it is no differential privacy, else the
            certificate's status.

        Raises
        ------
        PrivacyError
            If ``allow`` does not say so.
        """
        lacks = lacking(self.description)
        if lacks is not None and allow != lacks:
            raise PrivacyError(
                f"Expected rados that may be handed over, got ones that are {lacks!r}. Make them again with "
                f"protection='private', or pass allow={lacks!r} if you know who will see the file."
            )
        write_atomically(Path(path), _to_bytes(self))


def lacking(description: RadoDescription) -> str | None:
    """Return what a file of such rados must be allowed to lack, or None."""
    status = description.guarantee.status
    if status in ("private", "public"):
        return None
    return description.protection if description.protection in ("none", "marginal") else status


def read_rados(path: str | Path) -> RadoSet:
    """Return the rados in a file."""
    path = Path(path)
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_FILE + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no path"
        raise ModelFileError(f"Expected a readable file, got {str(path)!r}: {reason}.") from None
    if len(content) > MAX_FILE:
        raise ModelFileError(f"Expected at most {MAX_FILE} bytes, got a larger file {path.name!r}.")
    rado_set = _from_bytes(content, path.name)
    if known := rado_set.description.advisories:
        warnings.warn(f"{path.name}: {' '.join(map(str, known))}", PrivacyWarning, stacklevel=2)
    return rado_set


def _to_bytes(rado_set: RadoSet) -> bytes:
    names = rado_set.description.feature_names
    # Numbered, as features of two columns may have the same name, and columns of a file may not.
    frame = pl.from_numpy(np.ascontiguousarray(rado_set.rados), schema=[f"{i}:{name}" for i, name in enumerate(names)])
    plain = as_plain(rado_set.description)
    body = plain | {"schema": schema_as_plain(plain["schema"])}
    document = {"format": FORMAT, "version": VERSION, "digest": _digest(body, rado_set.rados), "description": body}
    stream = io.BytesIO()
    frame.write_parquet(stream, metadata={FORMAT: json.dumps(document, allow_nan=False)})
    return stream.getvalue()


def _from_bytes(content: bytes, name: str) -> RadoSet:
    if content[:4] == b"PAR1" and not survives(content):
        raise ModelFileError(f"{name}: Expected whole rados, got a damaged file. Copy it again.")
    document = _document(content, name)
    description = _description(document, name)
    expected = [f"{i}:{feature}" for i, feature in enumerate(description.feature_names)]
    frame = _frame(content, name)
    if frame.columns != expected or any(kind != pl.Float64 for kind in frame.dtypes) or _nulls(frame):
        raise ModelFileError(f"{name}: Expected a number in each of the schema's features. The file is damaged.")
    rados = np.ascontiguousarray(frame.to_numpy(), dtype=np.float64)
    if document["digest"] != _digest(document["description"], rados):
        raise ModelFileError(f"{name}: Expected content that matches its digest. Get an unchanged copy.")
    return RadoSet(rados, description)


def _nulls(frame: pl.DataFrame) -> bool:
    return any(column.null_count() for column in frame.iter_columns())


def _document(content: bytes, name: str) -> dict[str, Any]:
    text = None
    if content[:4] == b"PAR1":
        try:
            text = pl.read_parquet_metadata(io.BytesIO(content)).get(FORMAT)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
            text = None
    try:
        document = parsed(text) if text else None
    except ModelFileError:
        document = None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFileError(f"{name}: Expected rados of this package, got another or a damaged file.")
    if type(document.get("version")) is not int or not 1 <= document["version"] <= VERSION:
        raise ModelFileError(f"{name}: Expected format version 1 to {VERSION}. Read it with the release that wrote it.")
    if set(document) != {"format", "version", "digest", "description"}:
        raise ModelFileError(f"{name}: Expected format, version, digest and description. The file is damaged.")
    return document


def _description(document: dict[str, Any], name: str) -> RadoDescription:
    body = document["description"]
    try:
        if not isinstance(body, dict):
            raise ModelFileError("Expected a description, got another entry. The file is damaged.")
        return validated(RadoDescription, canonical(upgraded(body, document["version"])))
    except ModelFileError as error:
        message = f"{name}: {error}"
    raise ModelFileError(message)


def _frame(content: bytes, name: str) -> pl.DataFrame:
    try:
        return pl.read_parquet(io.BytesIO(content), hive_partitioning=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, zlib.error):
        message = f"{name}: Expected whole rados, got a damaged file. Copy it again."
    raise ModelFileError(message)


def _digest(body: Any, rados: NDArray[np.float64]) -> str:
    hasher = hashlib.sha256(canonical(body).encode("ascii"))
    hasher.update(str(rados.shape).encode())
    hasher.update(np.ascontiguousarray(rados, dtype="<f8").tobytes())
    return "sha256:" + hasher.hexdigest()

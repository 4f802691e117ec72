"""Merged models: what models of several tables say together, and the certificate of all of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from tacit.convex.number_losses import OF_LOGARITHMS
from tacit.errors import ModelFileError, ParameterError
from tacit.models.advisories import Advisory, advisories
from tacit.models.document import as_plain, canonical, digest
from tacit.models.explanation import Explanation
from tacit.models.merged_contributions import merged_contributions
from tacit.models.merged_effects import SUMS, merged_explanation
from tacit.models.merged_scorer import MergedScorer, WeighedNumber, WeighedScorers
from tacit.models.merged_weights import merged_weights
from tacit.models.model import Model
from tacit.models.regression import RegressionModel
from tacit.models.released import NOISE_BEFORE, Monotone, ReleasedModel
from tacit.models.scorer import Scorer
from tacit.models.target_scale import TargetScale
from tacit.notebook import as_lines
from tacit.privacy.merged import MergedGuarantee, PartCertificate
from tacit.schema import LearnedEntries, Schema, Target
from tacit.table import Rows

if TYPE_CHECKING:
    import polars as pl

LEARNER = "merged"

MERGED_MEASURED = "Not measured privately as a whole; tacit evaluate measures, on rows of other people."
"""Beside a merged model: held-out rows of a site are measured by its own model."""


class MergedParts(ReleasedModel):
    """What merged models of classes and of numbers share."""

    parts: Any
    """Models, in the order of the certificate's."""
    documents: tuple[str, ...]
    """JSON of each part as its own file has it, which its digest is of; this version might write it differently."""

    def body(self) -> dict[str, Any]:
        """Return what a file has of it: the certificates of its parts are in its own."""
        guarantee, bodies = as_plain(self.guarantee), [json.loads(each) for each in self.documents]
        for line, body in zip(guarantee["parts"], bodies, strict=True):
            line["certificate"] = body.pop("guarantee")
        return {"fitted_with": self.fitted_with, "guarantee": guarantee, "parts": bodies}

    @property
    def advisories(self) -> tuple[Advisory, ...]:
        """Known flaws of the versions that fitted its parts, which may make the certificate false."""
        found = [one for part in self.parts for one in part.advisories]
        return tuple(dict.fromkeys((*found, *advisories(self.fitted_with, self.guarantee))))

    @cached_property
    def explanation(self) -> Explanation:
        """All effects, where the log-odds of all parts are sums of what columns add.

        Raises
        ------
        ParameterError
            If those of a part are no such sum, as of a tree.
        """
        return merged_explanation(self._whole, self.schema)

    @property
    def _whole(self) -> MergedScorer:
        """The scorer whose effects are said."""
        return cast(MergedScorer, self.scorers[0])

    @property
    def unexplained(self) -> str:
        """Why effects are not known, as a sentence; empty where they are."""
        odd = [part.name for part in self._whole.parts if not part.adds_up]
        return f"No effects: log-odds of part {odd[0]} are no sum of what columns add. Ask each part." if odd else ""

    @property
    def caution(self) -> str:
        """Of what mean effects are the difference, and which noise is stated."""
        return f"{SUMS} {NOISE_BEFORE}" if self.monotone else SUMS

    def _repr_html_(self) -> str:
        return as_lines(f"{self.learner}: {self.schema.label.name}\n{self.guarantee}")


@dataclass(frozen=True)
class MergedModel(MergedParts, Model):
    """A classifier made of others: their mean log-odds, each weighted by its rows, or persons, and its noise.

    Its file holds all that its parts' files hold. ``tacit.merge`` makes it.

    Parameters
    ----------
    guarantee : MergedGuarantee
    parts : tuple of Model
        In the order of the certificate's.
    documents : tuple of str
        JSON of each part, as its own file has it.
    """

    _: KW_ONLY
    parts: tuple[Model, ...]
    documents: tuple[str, ...]

    @classmethod
    def of(
        cls, parts: Sequence[Model], bodies: Sequence[Mapping[str, Any]], guarantee: MergedGuarantee, fitted_with: str
    ) -> MergedModel:
        """Return the model that is made of these, whose own files hold the bodies.

        Raises ModelFileError unless the certificate is of them.
        """
        shared, weights = _shared(parts, bodies, guarantee, fitted_with), merged_weights(parts)
        weighed = zip(parts, weights, _names(parts, guarantee), strict=True)
        own = tuple(WeighedScorers(one.scorers, one.guarantee.n_rows, weight, name) for one, weight, name in weighed)
        return cls(
            **shared,
            scorers=cast("tuple[Scorer, ...]", (MergedScorer(own),)),
            class_weights=_class_weights(parts, weights),
        )

    @property
    def class_shares(self) -> NDArray[np.float64] | None:
        """Shares of the sorted classes among all parts' rows, where those of each are public or were released."""
        shares = [part.class_shares for part in self.parts]
        known = [each for each in shares if each is not None]
        rows = [part.guarantee.n_rows for part in self.parts]
        return np.asarray(np.average(known, axis=0, weights=rows)) if len(known) == len(shares) else None

    def _contributions(self, rows: Rows) -> pl.DataFrame:
        return merged_contributions(self._whole, self.schema, rows)


@dataclass(frozen=True)
class MergedRegressionModel(MergedParts, RegressionModel):
    """A regressor made of others: their mean prediction, weighted as that of a ``MergedModel``, within the bounds.

    Parameters
    ----------
    guarantee : MergedGuarantee
    parts : tuple of RegressionModel
        In the order of the certificate's.
    documents : tuple of str
        JSON of each part, as its own file has it.
    """

    _: KW_ONLY
    parts: tuple[RegressionModel, ...]
    documents: tuple[str, ...]

    @classmethod
    def of(
        cls,
        parts: Sequence[RegressionModel],
        bodies: Sequence[Mapping[str, Any]],
        guarantee: MergedGuarantee,
        fitted_with: str,
    ) -> MergedRegressionModel:
        """Return the model that is made of these, as ``MergedModel.of`` does."""
        shared, weights = _shared(parts, bodies, guarantee, fitted_with), merged_weights(parts)
        asked = {(part.loss, tuple(share for share, _ in part.quantiles)) for part in parts}
        if len(asked) > 1 or parts[0].loss in OF_LOGARITHMS:
            raise ModelFileError(
                "Expected parts of one loss and the same quantiles to merge, none of logarithms, got others. Take "
                "another loss."
            )
        weighed = list(zip(parts, weights, _names(parts, guarantee), strict=True))
        scorers = [_weighed_numbers(weighed, at) for at in range(len(parts[0].scorers))]
        starts = [one.scale.start for one in parts]
        of_quantiles = zip(*(part.quantiles for part in parts), strict=True)
        return cls(
            **shared,
            scorers=cast("tuple[Scorer, ...]", tuple(scorers)),
            scale=TargetScale(
                start=_mean(starts, weights, parts[0].target),
                unit=1.0,
                clip=max(one.scale.unit * one.scale.clip for one in parts),
            ),
            loss=parts[0].loss,
            quantiles=tuple(
                (each[0][0], _mean([start for _, start in each], weights, parts[0].target)) for each in of_quantiles
            ),
        )

    @property
    def _whole(self) -> MergedScorer:
        return cast(MergedScorer, self.main_scorer)

    def _contributions(self, rows: Rows) -> pl.DataFrame:
        import polars as pl

        found = merged_contributions(self._whole, self.schema, rows)
        start = pl.when(pl.col("column").is_null()).then(self.scale.start).otherwise(0.0)
        return found.with_columns(contribution=pl.col("contribution") + start)


def _weighed_numbers(weighed: Sequence[tuple[RegressionModel, float, str]], at: int) -> MergedScorer:
    """Return the mean of the parts' scorers at one place, in the target's unit."""
    own = [
        WeighedNumber((one.scorers[at],), one.guarantee.n_rows, weight * one.scale.unit, name)
        for one, weight, name in weighed
    ]
    return MergedScorer(tuple(own))


def _mean(numbers: Sequence[float], weights: Sequence[float], target: Target) -> float:
    """Return the weighted mean of numbers within bounds, which rounding may not take out of them."""
    mean = sum(weight * each for each, weight in zip(numbers, weights, strict=True))
    return min(max(mean, target.lower), target.upper)


def refuse_merged(model: object, asked: str) -> None:
    """Raise ParameterError for what is written of a single fit, if a model is a merged one."""
    if isinstance(model, MergedParts):
        raise ParameterError(
            f"Expected a model of one fit for {asked}, got a merged one. Ask it of each site's own file."
        )


def declared(schema: Schema) -> Schema:
    """Return a schema without what tells that it was learned: each part's certificate has what that cost."""
    return replace(schema, learned=None)


def part_certificate(part: ReleasedModel) -> PartCertificate:
    """Return the certificate of a part with the digest of what this version writes of it."""
    return PartCertificate(digest(canonical(part.body())), part.guarantee)


def _check_parts(
    parts: Sequence[ReleasedModel], bodies: Sequence[Mapping[str, Any]], guarantee: MergedGuarantee
) -> None:
    """Refuse a certificate of other parts, and parts that read or predict different things."""
    # Digests are of what was written: by an earlier version that may be other JSON of the same model.
    found = [(digest(canonical(body)), part.guarantee) for body, part in zip(bodies, parts, strict=True)]
    if found != [(line.digest, line.certificate) for line in guarantee.parts]:
        raise ModelFileError("Expected the parts that the certificate lists, got others. The file is damaged.")
    schemas = {canonical(as_plain(declared(part.schema))) for part in parts}
    if len(schemas) > 1 or any(isinstance(part, MergedParts) for part in parts):
        raise ModelFileError("Expected parts of one schema, none of them merged, got others. The file is damaged.")


def _shared(
    parts: Sequence[Any], bodies: Sequence[Mapping[str, Any]], guarantee: MergedGuarantee, fitted_with: str
) -> dict[str, Any]:
    """Return the fields of a merged model that do not depend on what it predicts."""
    _check_parts(parts, bodies, guarantee)
    coerces = all(part.on_invalid == "coerce" for part in parts)
    return {
        "learner": LEARNER,
        "schema": replace(parts[0].schema, learned=_learned(parts)),
        "guarantee": guarantee,
        "on_invalid": "coerce" if coerces else "raise",
        "fitted_with": fitted_with,
        "monotone": _monotone(parts),
        "parts": tuple(parts),
        "documents": tuple(map(json.dumps, bodies)),
    }


def _monotone(parts: Sequence[ReleasedModel]) -> Monotone:
    """Return in which numbers scores go the same way in all parts: then so does their mean, by positive weights."""
    first, *others = parts
    return tuple(each for each in first.monotone if all(each in part.monotone for part in others))


def _learned(parts: Sequence[ReleasedModel]) -> LearnedEntries | None:
    """Return what of the schema was learned: another fit by it pays for that, too."""
    found = {part.schema.learned for part in parts if part.schema.learned is not None}
    if len(found) > 1:
        raise ModelFileError("Expected a schema that was learned once, got two certificates. The file is damaged.")
    return next(iter(found), None)


def _names(parts: Sequence[ReleasedModel], guarantee: MergedGuarantee) -> list[str]:
    """Return what people call each part."""
    return [f"{part.name}, {model.learner}" for part, model in zip(guarantee.parts, parts, strict=True)]


def _class_weights(parts: Sequence[Model], weights: Sequence[float]) -> tuple[float, ...] | None:
    """Return how much rows of each class counted in the mean of log-odds: the geometric mean, the most being 1."""
    if all(part.class_weights is None for part in parts):
        return None
    n_classes = len(parts[0].schema.classes)
    logs = np.log([part.class_weights or (1.0,) * n_classes for part in parts])
    mean = np.exp(np.average(logs, axis=0, weights=list(weights)))
    return tuple((mean / mean.max()).tolist())

"""Merging: one model of several sites' models, each published with its own certificate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from tacit.errors import ParameterError, shown
from tacit.models import Model, RegressionModel, ReleasedModel, from_json, read_model, to_json
from tacit.models.advisories import this_version
from tacit.models.document import as_plain, canonical
from tacit.models.merged import MergedModel, MergedParts, MergedRegressionModel, declared, part_certificate
from tacit.privacy import Guarantee
from tacit.privacy.merged import PartCertificate, People, merged_guarantee
from tacit.schema import Schema
from tacit.verify import recomputed
from tacit.verify.merged import same_accounts


@dataclass(frozen=True)
class _Given:
    """A model to merge, and what errors call it."""

    name: str
    model: Model | RegressionModel
    line: PartCertificate


def merge(
    models: Iterable[Model | RegressionModel | str | Path], *, people: People = "at one site"
) -> MergedModel | MergedRegressionModel:
    """Return one model of several: the mean of their log-odds.

    Each counts by its public number of rows or persons, and by the noise that its budget lets expect. Of numbers to
    predict it is the mean of their predictions.

    Parameters
    ----------
    models : iterable of Model, RegressionModel, str or Path
        Models of one schema, or their files, each fitted at another site.
    people : {"at one site", "at several sites", "the same"}
        Whose data they are of. If no person is at two sites, the largest epsilon and delta hold for all; where persons
        may be at several, they add up, and also in an ensemble of models of the same people.

    Returns
    -------
    MergedModel or MergedRegressionModel
        The same whatever the order of models.

    Raises
    ------
    ParameterError
        If a model is merged already, is there twice, or differs from the first in its schema or in
        whom it protects; if its claim does not follow from its certificate; or if two were charged to one account, but
        are said to be of different people.
    ModelFileError
        If a file cannot be read, or all of them together are above the limits of a model's file.

    Notes
    -----
    Privacy: post-processing of what the sites released; costs nothing. Which site a person is at, and how many people
    each has, is public. Proof: ``proofs/privacy/merged.md``.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit import Label, NaiveBayesClassifier, Numeric, Schema, merge
    >>> schema = Schema([Numeric("x", -1, 1, cuts=[0])], label=Label("y", [0, 1]))
    >>> X = np.random.default_rng(0).uniform(-1, 1, (2000, 1))
    >>> y = (X[:, 0] > 0).astype(int)
    >>> sites = [NaiveBayesClassifier(schema, epsilon=0.5).fit(X[at::2], y[at::2]).model_ for at in (0, 1)]
    >>> both = merge(sites)
    >>> both.guarantee.epsilon, both.guarantee.n_rows
    (0.5, 2000)
    """
    if people not in ("at one site", "at several sites", "the same"):
        raise ParameterError(
            f"Expected 'at one site', 'at several sites' or 'the same', got people={shown(people)}. Say whose data "
            "the models are of."
        )
    given = sorted(_given(models), key=lambda each: each.line.digest)
    _check(given, people)
    guarantee = merged_guarantee([each.line for each in given], people)
    parts: list[Any] = [each.model for each in given]
    kind = MergedRegressionModel if given[0].model.schema.target else MergedModel
    merged = kind.of(parts, [part.body() for part in parts], guarantee, this_version())
    _as_written(merged)
    return merged


def _given(models: Iterable[Any]) -> list[_Given]:
    if isinstance(models, str | Path | ReleasedModel) or not isinstance(models, Iterable):
        raise ParameterError(f"Expected a list of models or of their files, got {shown(models)}. Put it in a list.")
    found = []
    for at, one in enumerate(models, start=1):
        name = Path(one).name if isinstance(one, str | Path) else f"model {at}"
        model = _released(read_model(one) if isinstance(one, str | Path) else one, name)
        found.append(_Given(name, model, part_certificate(model)))
    if len(found) < 2:
        raise ParameterError(f"Expected two models or more to merge, got {len(found)}. Name each site's file.")
    return found


def _released(model: Any, name: str) -> Model | RegressionModel:
    """Return a model as its file would give it back."""
    if isinstance(model, MergedParts):
        raise ParameterError(f"Expected models of one fit each, got a merged one: {name}. Merge its sites' own files.")
    if not isinstance(model, Model | RegressionModel):
        raise ParameterError(
            f"Expected a released model or its file, got {shown(model)}: {name}. Give model_ of a fit."
        )
    return _as_written(model)


def _as_written(model: ReleasedModel) -> Any:
    """Return a model read from the text of its file; raises ModelFileError where there can be none."""
    return from_json(to_json(model, allow=model.guarantee.status))


def _check(given: Sequence[_Given], people: People) -> None:
    """Refuse models that cannot be merged, naming the two that do not fit together, or the one that does not hold."""
    for one, other in pairwise(given):  # sorted by digest
        if one.line.digest == other.line.digest:
            raise ParameterError(
                f"Expected different models, got the same twice: {one.name} and {other.name}. Leave one out."
            )
    learned = [each for each in given if each.model.schema.learned is not None]
    for one in given[1:]:
        for what, do in _differences(given[0], one):
            raise ParameterError(f"Expected models of one {what}, got two: {given[0].name} and {one.name}. {do}")
    for one in learned[1:]:
        if one.model.schema.learned != learned[0].model.schema.learned:
            raise ParameterError(
                f"Expected a schema that was learned once, got two: {learned[0].name} and {one.name}. Learn it at one "
                "site, and fit all sites with that file."
            )
    for one in given:
        _check_claim(one)
    _check_people(given, people)


def _differences(one: _Given, other: _Given) -> Iterator[tuple[str, str]]:
    """Yield in what two models differ that cannot be merged then, and what to do."""
    schemas = [declared(each.model.schema) for each in (one, other)]
    if _classes(schemas[0]) != _classes(schemas[1]):
        yield "set of classes", "Fit all sites with one schema file."
    if (
        schemas[0].full.private_columns != schemas[1].full.private_columns
        or schemas[0].label.private != schemas[1].label.private
    ):
        yield "choice of public columns", "Fit all sites with one schema file."
    if len({canonical(as_plain(each)) for each in schemas}) > 1:
        yield "schema", "Fit all sites with one schema file."
    if _unit(one.model.guarantee) != _unit(other.model.guarantee):
        yield "unit of privacy", "Fit all sites with one identifier, and one number of rows of a person."


def _classes(schema: Schema) -> list[Any]:
    return [] if schema.target else sorted(schema.classes)


def _unit(guarantee: Guarantee) -> tuple[Any, ...]:
    return guarantee.columns, guarantee.label, guarantee.persons, guarantee.labeled_public


def _check_claim(one: _Given) -> None:
    """Refuse a model whose certificate is too old to be recomputed, or does not hold."""
    found = recomputed(one.model.guarantee, as_plain(one.model))
    reasons = [*found.faults, *(found.unknown if one.model.guarantee.status != "void" else ())]
    if reasons:
        raise ParameterError(
            f"Expected models whose claims follow from their certificates, got another: {one.name}. {reasons[0]} "
            "Fit it again with this version."
        )


def _check_people(given: Sequence[_Given], people: People) -> None:
    names = {each.line.digest: each.name for each in given}
    if people == "at one site":
        for one, other in same_accounts(tuple(each.line for each in given)):
            raise ParameterError(
                f"Expected models of different people, got two charged to one account: {names[one.digest]} and "
                f"{names[other.digest]}. If their people may be the same, say so with people='at several sites' or "
                "'the same' (--may-overlap, --same-people): their costs add up."
            )
    rows = [each.line.certificate.n_rows for each in given]
    if people == "the same" and len(set(rows)) > 1:
        first, second = given[0], given[next(at for at, each in enumerate(rows) if each != rows[0])]
        raise ParameterError(
            f"Expected models of the same people, got two of different numbers: {first.name} and {second.name}. Say "
            "people='at several sites' (--may-overlap)."
        )
    if sum(each.line.certificate.delta for each in given) >= 1 and people != "at one site":
        raise ParameterError("Expected deltas with a sum below 1, got more. Merge fewer models, or of smaller deltas.")

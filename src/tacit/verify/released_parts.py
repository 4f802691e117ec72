"""What a model's file says against its certificate: docs/certificate-sensitivities.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import isclose
from typing import Any

from tacit.errors import ModelFileError
from tacit.models.document import parsed
from tacit.privacy import Guarantee, RowWeight
from tacit.privacy.assumptions import weighed_rows
from tacit.privacy.limit import Slices
from tacit.verify.needs import (
    BY_GROUP,
    HALVES,
    HELD_OUT,
    LEAVES,
    PLACES,
    Needs,
    Part,
    Protected,
    Queries,
    Stating,
    held_out_needs,
    needs_of,
)

Basis = Mapping[str, Any] | None
"""That of a release, if it states one."""


def contradictions(model: Part, certificate: Guarantee) -> Iterator[str]:
    """Yield what the rest of a model's file says against its certificate, which promises something.

    Parameters
    ----------
    model : mapping
        The model, as its file has it.
    certificate : Guarantee
        Of version 2, and neither void nor public.
    """
    try:
        yield from (*_unprotected(model, certificate), *_learned(model), *_unlisted(model, certificate))
    # Whatever is made of fields that no model has; each is asked for as models have it.
    except (ModelFileError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        yield "The model is damaged: it has not the fields that models have."


def _unprotected(model: Part, certificate: Guarantee) -> Iterator[str]:
    """Yield that the schema declares more as private than the certificate protects."""
    schema = model["schema"]
    # What is computed of side tables is protected, whatever the schema says.
    columns, weight = (*schema["columns"], *schema.get("group_columns", ())), schema.get("weight")
    hides = bool(weight) and weight["private"]  # all that a row has
    private = {each["name"] for each in columns if each["private"] or each.get("from_table") or hides}
    if ((schema["label"]["private"] or hides) and not certificate.label) or not private <= set(certificate.columns):
        yield "The schema declares a column or the label private that the certificate does not protect."
    if (
        weight
        and weighed_rows(RowWeight(weight["name"], weight["cap"], weight["private"])) not in certificate.assumptions
    ):
        yield "Rows count as a weight of the schema says, and the certificate does not say so."


def _learned(model: Part) -> Iterator[str]:
    """Compare the certificate of a learned schema with that in the schema."""
    learned, stated = model["schema"]["learned"], model["guarantee"]["learned"]
    if learned is not None and stated is None:
        yield "The schema was learned from rows, but the certificate does not have what that cost."
    elif learned is not None and parsed(learned["certificate"]) != stated:
        yield "The certificate of the learned schema is not the one in the schema."


def _unlisted(model: Part, certificate: Guarantee) -> Iterator[str]:
    """Yield which parts of a model lack releases."""
    protected = Protected(frozenset(certificate.columns), certificate.label)
    scorers = [needs_of(scorer, protected) for scorer in model["scorers"]]
    needs: Counter[Queries] = sum((_at_least(each) for each in scorers), Counter())
    if model.get("monotone"):
        # Trees that were made monotone are as many as their curves need, whatever number was grown.
        needs = Counter({each: min(count, LEAVES.get(each, count)) for each, count in needs.items()})
    needs += _at_least(needs_of({**model, "kind": "model"}, protected))
    trained = _trained(certificate)
    yield from min((_lacking(needs, certificate, each) for each in trained), key=len, default=[])
    others, held_out = {limit.slice for limit in certificate.limits} - set(trained), model.get("held_out")
    yield from _lacking(_at_least(held_out_needs(held_out, protected)), certificate, *others)
    yield from _other_noise(held_out, protected, certificate, others)


def _at_least(needs: Needs) -> Counter[Queries]:
    """Return the needs of one scorer, whose fields share releases."""
    most: Counter[Queries] = Counter()
    for queries, count in needs:
        most[queries] = max(most[queries], int(count))
    return most


def _trained(certificate: Guarantee) -> list[Slices]:
    """Return the slices that the model may have been trained on: the largest without held-out rows."""
    held = {line.slice for line in certificate.releases if str((line.basis or {}).get("query")).startswith("held-out")}
    sizes = {limit.slice: limit.n_rows for limit in certificate.limits if limit.slice not in held}
    return [each for each, size in sizes.items() if size == max(sizes.values())]


def _lacking(needs: Counter[Queries], certificate: Guarantee, *slices: Slices) -> list[str]:
    """Return what is needed of the releases of some rows and is not there.

    A release without a basis may have been of any query, and of one.
    """
    bases = [line.basis for line in certificate.releases if line.slice in slices]
    found = {asked: _filled(asked, bases, certificate) for asked in needs if HALVES not in asked}
    # No selection fills two parts.
    halved = {asked: count for asked, count in needs.items() if HALVES in asked}
    if halved:
        by_others = [
            min(count, _filled(tuple({*asked} - {HALVES}), bases, certificate)) for asked, count in halved.items()
        ]
        every = tuple(sorted({str(each) for asked in halved for each in asked}))
        found[every] = sum(by_others) + _filled((HALVES,), bases, certificate)
        needs = Counter({**{asked: needs[asked] for asked in found if asked != every}, every: sum(halved.values())})
    short = {asked: needs[asked] - count for asked, count in found.items() if needs[asked] > count}
    # A release may be of a query and of what its basis states.
    whole = sum(count for asked, count in short.items() if not isinstance(asked[0], Stating))
    if max(whole, *short.values(), 0) <= bases.count(None):
        return []
    return [
        f"The model has parts that follow from {' or '.join(map(_said, asked))}: at least {needs[asked]} releases "
        f"of it, but {found[asked]} are listed."
        for asked in short
    ]


def _filled(asked: Queries, bases: Sequence[Basis], certificate: Guarantee) -> int:
    """Return how much of what is asked releases of these bases fill."""
    count = 0
    for basis in filter(None, bases):
        fills = any(
            basis["query"] == each
            if isinstance(each, str)
            else basis["query"] == each.query and basis.get(each.field, 0) >= each.least
            for each in asked
        )
        # Counts by place halve intervals of all their columns at once.
        count += fills * (len({*certificate.columns} & {*basis["columns"]}) if basis["query"] == PLACES else 1)
    return count


def _said(asked: str | Stating) -> str:
    return repr(asked) if isinstance(asked, str) else str(asked)


def _other_noise(found: Any, protected: Protected, certificate: Guarantee, slices: Collection[Slices]) -> Iterator[str]:
    """Yield that measures and sets would be made with other noise than counts have."""
    listed: list[Any] = [line for line in certificate.releases if line.slice in slices]
    if not found or any(line.basis is None for line in listed):
        return
    for query, scale in _noise(found, protected):
        known = [line.noise_scale / line.basis["weight"] for line in listed if line.basis["query"] == query]
        if not any(isclose(scale, each) for each in known):
            yield f"The model states noise of scale {scale:.6g} on {query!r}, and no release has that."


def _noise(found: Any, protected: Protected) -> Iterator[tuple[str, float]]:
    """Yield the queries of counts that measures and sets are made of, and the noise that they are said to have."""
    query = BY_GROUP if found.get("by_group") is not None else HELD_OUT
    yield query, found["scale"]
    # Distances from the start are exact where the target is public.
    if "distances" in found and protected.label:
        yield HELD_OUT, found["distances"]["scale"]
    elif found.get("by_class") is not None:
        yield HELD_OUT, found["by_class"]["scale"]
        yield HELD_OUT, found["by_class"]["own_scale"]

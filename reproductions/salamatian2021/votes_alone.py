"""LazyBB for searches of many fits: the same votes to the bit, without the noise of what columns add to them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from reproductions.salamatian2021.published import PublishedLazyBB, PublishedLazyBBClassifier
from tacit.boosting import LazyBB
from tacit.estimators import LazyBBClassifier
from tacit.models import LiteralVoteModel
from tacit.schema import Schema
from tacit.table import Table


class _Undescribed:
    def _described(self, model: LiteralVoteModel, schema: Schema) -> LiteralVoteModel:
        return model


class _CorrectedVotes(_Undescribed, LazyBB):
    pass


class _PublishedVotes(_Undescribed, PublishedLazyBB):
    pass


class VotesAlone(LazyBBClassifier):
    """``LazyBBClassifier`` whose models say nothing of their columns' noise, which takes a seventh of a short fit."""

    def _settings(self, table: Table) -> LazyBB:
        return _CorrectedVotes(**_own(super()._settings(table)))


class PublishedVotesAlone(PublishedLazyBBClassifier):
    """The same at the published cost."""

    def _settings(self, table: Table) -> PublishedLazyBB:
        return _PublishedVotes(**_own(super()._settings(table)))


def _own(settings: LazyBB) -> dict[str, Any]:
    return {field.name: getattr(settings, field.name) for field in fields(settings)}

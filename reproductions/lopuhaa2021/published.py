"""Naive Bayes, trees and linear classifiers at the cost of Lopuhaä-Zwakenberg and others (2021)."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from reproductions.framework.published import PublishedCost
from reproductions.lopuhaa2021.published_naive_bayes import PublishedNaiveBayes
from reproductions.lopuhaa2021.published_svm import PublishedObjective
from reproductions.lopuhaa2021.published_tree import PublishedTree
from tacit.cut_points import RankCuts
from tacit.errors import ParameterError
from tacit.estimators import LogisticClassifier, NaiveBayesClassifier, SVMClassifier, TreeClassifier
from tacit.estimators.linear import LinearFit
from tacit.learners.linear import LinearMethod
from tacit.table import Table


class PublishedNaiveBayesClassifier(PublishedCost, NaiveBayesClassifier):
    """Algorithm 1: every column pays, nothing is smoothed or calibrated; the certificate is void."""

    def _settings(self, table: Table) -> Any:
        return PublishedNaiveBayes(super()._settings(table))


class PublishedTreeClassifier(PublishedCost, TreeClassifier):
    """Algorithm 3, with ``growth="level"`` and ``criterion="counts"``; the certificate is void."""

    def _settings(self, table: Table) -> PublishedTree:
        settings = super()._settings(table)
        return PublishedTree(**{field.name: getattr(settings, field.name) for field in fields(settings)})


class PublishedObjectiveMixin(PublishedCost):
    """Algorithm 2: objective perturbation whose rows are taken to have norm one; the certificate is void."""

    def _method(
        self: LinearFit, name: str, table: Table, regularization: float | None, cuts: RankCuts | None
    ) -> LinearMethod:
        if self.method not in ("auto", "objective-perturbation"):
            raise ParameterError(
                f"Expected method 'objective-perturbation', got method={self.method!r}. No other was published."
            )
        return PublishedObjective(self._loss(), regularization)


class PublishedSVMClassifier(PublishedObjectiveMixin, SVMClassifier):
    """``SVMClassifier`` at the published cost."""


class PublishedLogisticClassifier(PublishedObjectiveMixin, LogisticClassifier):
    """``LogisticClassifier`` at the published cost."""

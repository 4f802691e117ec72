"""Private classifiers as scikit-learn estimators: each is a fit, and what scikit-learn asks of an estimator."""

from __future__ import annotations

from dataclasses import replace

from sklearn.base import ClassifierMixin

from tacit.estimators.auto import AutoFit, Choice
from tacit.estimators.base import PrivateFit
from tacit.estimators.boosted_trees import BoostedTreesFit
from tacit.estimators.brc import BRCFit
from tacit.estimators.estimator import PrivateEstimator
from tacit.estimators.fitted import FittedClassifier, StagedMixin
from tacit.estimators.lazybb import LazyBBFit
from tacit.estimators.logistic import LogisticFit
from tacit.estimators.naive_bayes import NaiveBayesFit
from tacit.estimators.radoboost import RadoBoostFit
from tacit.estimators.svm import SVMFit
from tacit.estimators.tree import TreeFit
from tacit.privacy import Budget
from tacit.schema import Schema


class PrivateClassifier(FittedClassifier, PrivateFit, ClassifierMixin, PrivateEstimator):
    """A classifier that pays for what it learns from protected cells."""


class TreeClassifier(TreeFit, PrivateClassifier):
    __doc__ = TreeFit.__doc__


class LogisticClassifier(LogisticFit, PrivateClassifier):
    __doc__ = LogisticFit.__doc__


class NaiveBayesClassifier(NaiveBayesFit, PrivateClassifier):
    __doc__ = NaiveBayesFit.__doc__


class BoostedTreesClassifier(StagedMixin, BoostedTreesFit, PrivateClassifier):
    __doc__ = BoostedTreesFit.__doc__


class LazyBBClassifier(StagedMixin, LazyBBFit, PrivateClassifier):
    __doc__ = LazyBBFit.__doc__


class BRCClassifier(StagedMixin, BRCFit, PrivateClassifier):
    __doc__ = BRCFit.__doc__


class SVMClassifier(SVMFit, PrivateClassifier):
    __doc__ = SVMFit.__doc__


class RadoBoostClassifier(RadoBoostFit, PrivateClassifier):
    __doc__ = RadoBoostFit.__doc__


CHOSEN: dict[str, type[PrivateClassifier]] = {
    each._learner: each for each in (TreeClassifier, LogisticClassifier, NaiveBayesClassifier, BoostedTreesClassifier)
}


class AutoClassifier(AutoFit, PrivateClassifier):
    __doc__ = AutoFit.__doc__

    def _choose(self, schema: Schema, budget: Budget, n_rows: int) -> Choice:
        # What the rule names is handed to users, who are to find an estimator.
        taken = super()._choose(schema, budget, n_rows)
        return replace(taken, estimator=CHOSEN[taken.learner])

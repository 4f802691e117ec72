"""Other libraries as learners of a study: in environments of their own, on the same splits, scored by the same code."""

from reproductions.external.environment import ENVIRONMENTS, Environment, environment, environments_folder
from reproductions.external.installation import InstallationFailed, install, remove
from reproductions.external.learner import ExternalLearner
from reproductions.external.predictions import ExternalLearners, external_predictions
from reproductions.external.process import ExternalFailed
from reproductions.external.registry import EXTERNAL, find_external
from reproductions.external.relation import Relation, external_budget
from reproductions.external.trial import try_out

__all__ = [
    "ENVIRONMENTS",
    "EXTERNAL",
    "Environment",
    "ExternalFailed",
    "ExternalLearner",
    "ExternalLearners",
    "InstallationFailed",
    "Relation",
    "environment",
    "environments_folder",
    "external_budget",
    "external_predictions",
    "find_external",
    "install",
    "remove",
    "try_out",
]

"""What is released: rules, votes, models, and the files they are published in."""

from tacit.models.file import from_json, read_model, to_json, write_atomically, write_model
from tacit.models.literal_votes import (
    CodeRule,
    ConstantRule,
    LiteralRule,
    LiteralVoteModel,
    PublicStart,
    start_encoding,
    with_cuts,
)
from tacit.models.model import Model
from tacit.models.rules import LinearRule, OpaqueRule, Rule, TreeRule, snapped
from tacit.models.scorer import Probabilistic, Scorer, ScoresRows, StagedScores
from tacit.models.vote import Vote, VoteModel

__all__ = [
    "CodeRule",
    "ConstantRule",
    "LinearRule",
    "LiteralRule",
    "LiteralVoteModel",
    "Model",
    "OpaqueRule",
    "Probabilistic",
    "PublicStart",
    "Rule",
    "Scorer",
    "ScoresRows",
    "StagedScores",
    "TreeRule",
    "Vote",
    "VoteModel",
    "from_json",
    "read_model",
    "snapped",
    "start_encoding",
    "to_json",
    "with_cuts",
    "write_atomically",
    "write_model",
]

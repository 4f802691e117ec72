"""What is released: rules, votes, models, and the files they are published in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.models.boosted_trees import BoostedTreesModel, ObliviousTree
    from tacit.models.decisions import Threshold
    from tacit.models.file import from_json, is_model_file, read_model
    from tacit.models.linear import LinearForm, LinearModel, LogisticModel, on_grid
    from tacit.models.literal_tree import Leaf, LiteralTree, LiteralTreeRule, Question
    from tacit.models.literal_votes import (
        STEPS_PER_VOTE,
        ConstantRule,
        LiteralRule,
        LiteralVoteModel,
        PublicStart,
        VotingRule,
        start_encoding,
    )
    from tacit.models.merged import MergedModel, MergedRegressionModel
    from tacit.models.model import Model
    from tacit.models.naive_bayes import BinTable, NaiveBayesModel, NormalTable
    from tacit.models.rado_form import RadoForm
    from tacit.models.ranked import RankedModel
    from tacit.models.regression import RegressionModel
    from tacit.models.released import ReleasedModel
    from tacit.models.rules import LinearRule, OpaqueRule, Rule, TreeRule, snapped
    from tacit.models.scorer import Scorer, StagedScores
    from tacit.models.target_scale import TargetScale
    from tacit.models.vote import Vote, VoteModel
    from tacit.models.writing import to_json, write_model
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "boosted_trees": "BoostedTreesModel ObliviousTree",
            "decisions": "Threshold",
            "file": "from_json is_model_file read_model",
            "linear": "LinearForm LinearModel LogisticModel on_grid",
            "literal_tree": "Leaf LiteralTree LiteralTreeRule Question",
            "literal_votes": "STEPS_PER_VOTE ConstantRule LiteralRule LiteralVoteModel PublicStart "
            "VotingRule start_encoding",
            "merged": "MergedModel MergedRegressionModel",
            "model": "Model",
            "naive_bayes": "BinTable NaiveBayesModel NormalTable",
            "rado_form": "RadoForm",
            "ranked": "RankedModel",
            "regression": "RegressionModel",
            "released": "ReleasedModel",
            "rules": "LinearRule OpaqueRule Rule TreeRule snapped",
            "scorer": "Scorer StagedScores",
            "target_scale": "TargetScale",
            "vote": "Vote VoteModel",
            "writing": "to_json write_model",
        },
    )

__all__ = [
    "STEPS_PER_VOTE",
    "BinTable",
    "BoostedTreesModel",
    "ConstantRule",
    "Leaf",
    "LinearForm",
    "LinearModel",
    "LinearRule",
    "LiteralRule",
    "LiteralTree",
    "LiteralTreeRule",
    "LiteralVoteModel",
    "LogisticModel",
    "MergedModel",
    "MergedRegressionModel",
    "Model",
    "NaiveBayesModel",
    "NormalTable",
    "ObliviousTree",
    "OpaqueRule",
    "PublicStart",
    "Question",
    "RadoForm",
    "RankedModel",
    "RegressionModel",
    "ReleasedModel",
    "Rule",
    "Scorer",
    "StagedScores",
    "TargetScale",
    "Threshold",
    "TreeRule",
    "Vote",
    "VoteModel",
    "VotingRule",
    "from_json",
    "is_model_file",
    "on_grid",
    "read_model",
    "snapped",
    "start_encoding",
    "to_json",
    "write_model",
]

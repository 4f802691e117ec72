"""Summaries of a study's results: means, ratios, paired comparisons, distributions, ranks, sizes of tables.

Pure functions from one polars frame to another. Failed and missing rows are left out, and every figure comes with the
number of fits or pairs behind it. Privacy: the results are as private as the training and test rows.
"""

from tacit.study.summary.accuracies import accuracies, distribution, table_sizes
from tacit.study.summary.calibration import calibrations
from tacit.study.summary.comparisons import (
    SignedRank,
    comparisons,
    mean_ranks,
    p_values,
    ratios,
    shares_learned,
    signed_rank,
)
from tacit.study.summary.leading import leading_measure, majority_share

__all__ = [
    "SignedRank",
    "accuracies",
    "calibrations",
    "comparisons",
    "distribution",
    "leading_measure",
    "majority_share",
    "mean_ranks",
    "p_values",
    "ratios",
    "shares_learned",
    "signed_rank",
    "table_sizes",
]

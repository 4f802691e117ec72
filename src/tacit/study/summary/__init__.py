"""What the rows of a study say together: means, ratios, paired comparisons, distributions, ranks, sizes of tables.

Pure functions, a polars frame in and another out. Failed and missing rows are left out, and every figure stands
beside the number of fits or pairs behind it. What they return is as private as the rows that were learned from.
"""

from tacit.study.summary.accuracies import accuracies
from tacit.study.summary.comparisons import comparisons, p_values
from tacit.study.summary.distributions import distribution
from tacit.study.summary.ranks import mean_ranks
from tacit.study.summary.ratios import ratios
from tacit.study.summary.signed_rank import SignedRank, signed_rank
from tacit.study.summary.sizes import table_sizes

__all__ = [
    "SignedRank",
    "accuracies",
    "comparisons",
    "distribution",
    "mean_ranks",
    "p_values",
    "ratios",
    "signed_rank",
    "table_sizes",
]

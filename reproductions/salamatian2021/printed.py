"""What Salamatian (2021) prints: the grid, sparsity, one model's votes, and estimates beside tested accuracies."""

from __future__ import annotations

from reproductions.framework.artefact import Paper

PAPER = Paper(
    "salamatian2021",
    "B. Salamatian: Private Boosted Decision Trees via Smooth Re-Weighting. MSc thesis, Simon Fraser University 2021.",
)

EPSILONS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 1.0, 3.0, 5.0)
"""Section 5.1.1."""

DELTA = 1e-5
"""Section 5.1.3."""

NAMES = ("adult", "cod-rna", "mushroom")

TRAINING_ROWS = {"adult": 32_561, "cod-rna": 59_535, "mushroom": 8_124}
"""All that is cross-validated; of Adult and cod-RNA, the files' first rows."""

SMALL_STEPS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)

GRID: dict[str, dict[str, tuple[float, ...]]] = {
    "one-rule": {
        "rounds": (5, 9, 15, 19, 25, 29, 39, 49, 65, 75, 99),
        "learning_rate": SMALL_STEPS,
        "density": SMALL_STEPS,
    },
    "tree": {
        "rounds": (5, 9, 15, 19, 25, 29, 35, 39, 45, 51),
        "learning_rate": (0.35, 0.4),
        "density": (0.25, 0.3),
    },
}
"""Table 5.1."""

ACCURACIES = {("adult", 0.4): 0.82, ("adult", 1.0): 0.83, ("cod-rna", 1.0): 0.86, ("mushroom", 1.0): 0.98}
"""The only accuracies in print: tables 5.3 and 5.4, boosted one-rules."""

ESTIMATES = {"adult": 0.37, "cod-rna": 0.09, "mushroom": 0.49}
"""Table 5.4, at epsilon 1."""

FEATURES = {"adult": 162, "cod-rna": 80, "mushroom": 117}

SPARSITY: dict[str, tuple[tuple[float, float, float], ...]] = {
    "adult": (
        (4.6, 0.489, 2.83), (4.8, 0.400, 2.96), (3.8, 0.400, 2.34), (3.6, 1.019, 2.22), (7.0, 0.632, 4.32),
        (13.8, 1.166, 8.51), (7.6, 0.489, 4.69), (6.4, 0.800, 3.95), (19.2, 2.785, 11.85), (12.8, 0.400, 7.90),
        (30.6, 1.200, 18.88), (72.8, 2.481, 44.93), (49.8, 2.785, 30.74),
    ),
    "cod-rna": (
        (6.0, 0.632, 7.50), (12.4, 1.744, 15.50), (19.6, 1.625, 24.50), (16.8, 1.327, 21.00), (11.2, 0.748, 14.00),
        (10.2, 0.748, 12.75), (26.4, 1.356, 33.00), (19.8, 2.482, 24.75), (34.4, 1.497, 43.00), (25.4, 2.653, 31.75),
        (54.2, 3.187, 67.75), (44.2, 2.227, 55.25), (32.0, 2.098, 40.00),
    ),
    "mushroom": (
        (4.6, 0.490, 3.93), (7.2, 1.166, 6.15), (5.8, 0.748, 4.95), (8.6, 1.497, 7.35), (6.2, 0.748, 5.29),
        (5.6, 0.490, 4.78), (9.0, 0.894, 7.69), (9.8, 1.166, 8.37), (9.4, 1.356, 8.03), (11.8, 1.720, 10.08),
        (14.4, 1.625, 12.03), (28.8, 2.926, 24.61), (11.8, 0.748, 10.08),
    ),
}  # fmt: skip
"""Tables A.1 to A.3, by ``EPSILONS``: mean and deviation of the number of features used, and their share in percent."""

VOTES = {
    "marital-status is Married-civ-spouse": 3,
    "capital-gain at most 0": -2,
    "occupation is Exec-managerial": 1,
    "occupation is Prof-specialty": 1,
    "education-num above 13 and at most 14.5": 1,
    "age at most 17": -1,
}
"""Table 5.3, in our words: votes for more than 50,000 a year."""

ASSUMED_ADVANTAGE = 0.05
"""Section 5.1.1's example of a weak learner: figure 5.1's learning rate is a quarter of it."""

FAILING_ROUND = 250
"""Where the thesis sees the weak learner's assumption fail."""

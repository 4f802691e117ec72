"""Why our figures differ from those of Shen and others (2022), with numbers of ours over ten random splits."""

from __future__ import annotations

BASELINES = (
    "The paper does not say how its private baseline was set up: ours is Algorithm 2 of Chaudhuri and others (2011), n "
    "Lambda = 1, on rows of ordinal codes and a constant one, divided by the root of their number so that the norm is "
    "at most one; diffprivlib's has C = 1, the norm that the schema admits, at the epsilon that it claims.",
    "The line of private logistic regression with K-norm noise is ours and not the paper's.",
)

_ONE_SPLIT = (
    "Each accuracy of section 5.3 is a whole number of rows of one test set, a tenth of the balanced table rounded up "
    "(on adult 1,771 and 1,440 of 2,338): those are of one split, and no means of ten."
)

_FIRST = (
    "The second reading keeps the first rows of each class in the file's order, in place of a random subset, with "
    "alphabetical codes where nothing is private: {} without privacy on all and on public columns. It is no random "
    "sample of the table."
)

_AS_PUBLISHED = " BRC then relates to its baseline as the paper says."

DIFFERENCES = {
    "adult": (
        "Without privacy ours has 0.809 on all columns, as the packaged schema orders categories by meaning; with "
        "codes in alphabetical order, as label encoders have them, it has 0.769, and 0.614 on public columns.",
        _FIRST.format("0.764 and 0.617 (0.7575 and 0.6159)"),
        "BRC is above the private baseline as published up to epsilon 0.08, as the paper has it, and below at 0.16; it "
        "passes the public columns from 0.02 on, as there.",
        _ONE_SPLIT,
    ),
    "credit-default": (
        _FIRST.format("0.848 and 0.585 (0.8298 and 0.5678)")
        + _AS_PUBLISHED
        + " Its ID, the number of the row, is then one of the private columns.",
        "With random rows logistic regression has 0.670, BRC is above the private baseline as published from epsilon "
        "0.02 on and above the public columns from 0.08 on; the paper has both earlier.",
        _ONE_SPLIT,
    ),
    "sepsis-survival": (
        _FIRST.format("0.701 and 0.532 (0.6983 and 0.5416)"),
        "With random rows logistic regression has 0.649. BRC comes as near to it as in the paper, but is above the "
        "private baseline as published at no epsilon: with three columns little norm is lost by scaling.",
        _ONE_SPLIT,
    ),
    "bank-marketing": (
        _FIRST.format("0.970 and 0.676 (0.9688 and 0.6711)") + _AS_PUBLISHED,
        "With random rows logistic regression has 0.803, and public columns 0.596. BRC is above the private baseline "
        "as published at each epsilon, as the paper has it, and above the public columns from 0.08 on, where the "
        "paper has 0.02.",
        _ONE_SPLIT,
    ),
}
"""Of figure 2, by data set."""

OPEN_OF_ONE_SPLIT = {
    "adult": "BRC's 0.73 is a rough value: our ten splits have 0.68 to 0.76.",
    "credit-default": (
        "0.8298 is of one split; our ten have 0.830 to 0.869 with the first rows of the file and the ID, 0.655 to "
        "0.687 with random rows: the mean, 0.848, misses a point. Standardized columns have 0.841, other penalties "
        "0.842 to 0.849, columns as they are 0.743. Spans from 0 to 1 and rows of length one have 0.831, but then "
        "0.547 on public columns (0.5678) and 0.633 on sepsis (0.6983): no reading of the paper."
    ),
    "sepsis-survival": (
        "BRC's 0.69 is a rough value: our ten splits have 0.61 to 0.70 with the first rows of the file, 0.62 to 0.66 "
        "with random rows."
    ),
}
"""Of numbers of figure 2 that no mean of ten splits reaches."""

ALL_PRIVATE = {
    "adult": (
        "The paper has BRC above its private baseline throughout; ours is at 0.02 and 0.04 (0.659 against 0.648), and "
        "below at 0.01 (0.555 against 0.576) and from 0.08 on (0.649 against 0.680).",
    ),
    "credit-default": ("BRC is above the private baseline as published at each epsilon, as the paper has it.",),
    "sepsis-survival": (
        "The paper has BRC above its private baseline throughout; ours is at no epsilon (0.564 against 0.632 at 0.04): "
        "with three columns little norm is lost by scaling.",
    ),
    "bank-marketing": ("BRC is above the private baseline as published at each epsilon, as the paper has it.",),
}
"""Of figure 3, by data set; the lines without privacy are figure 2's."""

SMALL_TABLE = (
    "A test set has 23 rows, so that one row is 4.3 points; the paper's 0.8261 and 0.6087 are 19 and 14 of 23: one "
    "split, and no mean of ten. One split of ours has a deviation of 7 to 10 points.",
    "BRC has 0.704 at epsilon 8, the paper 0.79, about 18 of 23.",
    "The paper has BRC above the public columns from epsilon 0.02 on, which this figure does not go down to; ours is "
    "at each epsilon, and above the private baseline as published up to 4.",
)

CONVERGENCE = (
    "BRC ends at 0.711 and AdaBoost at 0.697; BRC starts ahead, at 0.628 against 0.568 after a round, as a round may "
    "take a classifier of the public columns. From round 10 on both rise alike, as the paper has it.",
    "The paper does not say which columns and intercepts the random classifiers of AdaBoost have.",
    "Its numbers are not in the text; the private baseline as published has 0.518 at epsilon 0.01.",
)

PEOPLE_DIFFERS = (
    "The paper gives no parameters: weights are smooth ones (density 1/2, learning rate 1/2), the base learner private "
    "logistic regression on the private columns, as BRC's random classifiers are, each round has the same part.",
    "It finds Boosting for People not much better than guessing at these epsilons, and so do we, in each mode. What a "
    "round costs is counted for replaced rows, with a proof, in reproductions/shen2022/README.md.",
)

PATE_DIFFERS = (
    "As published it is void: a row's private columns are the question, which no noise on votes protects. With noise "
    "for all 23,374 queries together it is flat at what public columns and a random bit give, 0.623 over ten splits, "
    "and BRC passes it from 0.02 on, as in the paper. That level hangs on the codes of the public columns alone: 0.614 "
    "by the alphabet, 0.647 with a column for each category. Noise for each query alone has 0.628 to 0.786, and "
    "all queries add up to 23,374 times that epsilon.",
    "Corrected, teachers answer 16 public random questions, a rule is fitted to the answers, and noisy counts say how "
    "its bit goes with the label: epsilon covers all of it, for as many test rows as come. It has 0.65 to 0.67 "
    "at each epsilon, above BRC at 0.01 (0.628), level with it at 0.02 (0.667) and below from 0.04 on (0.713).",
)

INTERCEPTS = (
    "The paper finds zero and uniform intercepts about as accurate. Over ten splits of adult, zero has 0.68 to 0.72 "
    "from epsilon 0.02 on, uniform 0.66 to 0.69: features are centered, and random planes miss more of the rows.",
    "Selecting costs half of the budget: 0.53 at epsilon 0.02, 0.68 at 0.16. The paper's candidates are data values, "
    "which is not private; ours are a public grid.",
)

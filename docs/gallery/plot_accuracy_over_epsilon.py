"""
How much accuracy does privacy cost?
====================================

Epsilon says how much of one person's data may show in the model. A small epsilon means much noise, and noise costs
accuracy. How much depends on the number of rows. Here are 48,842 people of a census. The question is who earns more
than 50,000 dollars a year.

A `Study` trains a learner at each epsilon and counts how often it is right on rows that it has not seen. Everything
is private here: all 14 columns, and the income. Two lines show the limits: gradient boosting without any privacy, and
the majority class, which always says "at most 50,000".
"""

from tacit.report import PrivacyCurveDisplay, write_picture
from tacit.study import LearnerSpec, Study

study = Study(
    datasets=["adult"],
    learners=[
        LearnerSpec("auto", name="Tacit, automatic choice"),
        LearnerSpec("baseline:hist-gradient-boosting", name="no privacy"),
        LearnerSpec("baseline:majority", name="majority class"),
    ],
    epsilons=[0.01, 0.03, 0.1, 0.3, 1.0, 3.0],
    deltas=[1e-6],
    repeats=2,
    privacy=["all-private"],
)
rows = study.run(workers=1)

# %%
# The band is one standard deviation over two random splits of the rows into training and test rows.

display = PrivacyCurveDisplay.from_study(rows)
write_picture(display.description, "accuracy.html", title="Accuracy over epsilon")

# %%
# Read it from right to left. At an epsilon of 1 the model is about two points below the one without privacy. Each
# step to the left costs more, and at 0.01 the model is hardly better than the majority class.
#
# A rule of thumb: what counts is the number of rows times epsilon. With ten times as many rows you get about the same
# accuracy at a tenth of the epsilon.
#
# A study reads its test rows without noise. That is fine for a public table such as this one. For your own rows,
# ``tacit advise`` says what to expect without reading any of them, and ``holdout=0.1`` measures a model privately.

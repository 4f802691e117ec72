"""
How far off is a predicted number, at which epsilon?
====================================================

A model may predict a number in place of a class. Here it is how many hours a week somebody works, for the 48,842
people of a census, from the 13 other columns. Everything is private: the columns and the hours.

Three lines need no privacy: gradient boosting, ridge regression, and the mean alone, which says the same for all.
"""

from pathlib import Path
from tempfile import mkdtemp

from tacit.datasets import load
from tacit.report import PrivacyCurveDisplay, write_picture
from tacit.schema import Schema, Target
from tacit.study import DataSpec, LearnerSpec, Study

census, folder = load("adult"), Path(mkdtemp())
columns = [column for column in census.schema.columns if column.name != "hours-per-week"]
schema = Schema(columns, label=Target("hours-per-week", 0, 168)).all_private()  # a week has no more hours
census.frame.write_parquet(folder / "census.parquet")
(folder / "census.toml").write_text(schema.to_toml())

study = Study(
    datasets=[DataSpec(folder / "census.parquet", folder / "census.toml")],
    learners=[
        LearnerSpec("auto", name="Tacit, automatic choice"),
        LearnerSpec("baseline:hist-gradient-boosting", name="gradient boosting, no privacy"),
        LearnerSpec("baseline:ridge", name="ridge, no privacy"),
        LearnerSpec("baseline:mean", name="the mean alone"),
    ],
    epsilons=[0.01, 0.03, 0.1, 0.3, 1.0, 3.0],
    deltas=[1e-6],
    repeats=2,
)
rows = study.run(workers=1, ledger="none")  # public rows: no ledger notes that they were used

# %%
# The curve is the root mean square error, in hours. The mean is off by 12: most people work 40 hours, and how many
# others work is hard to tell from their columns, with privacy or without.

display = PrivacyCurveDisplay.from_study(rows, metric="rmse")
write_picture(display.description, "hours.html", title="Error of predicted hours over epsilon")

# %%
# Where the curve meets the mean, the model says nothing about the columns. At an epsilon of 1 the model is better than
# ridge regression without privacy. R2 says the same without a unit: it is 0 for the mean, and 1 without any error.

write_picture(PrivacyCurveDisplay.from_study(rows, metric="r2").description, "r2.html", title="R2 over epsilon")

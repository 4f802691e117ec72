"""
What do I gain if some columns are public?
==========================================

Sometimes not everything is secret. You may decide that everybody knows what people do for a living, but not how they
live. Public columns are read without noise, and cost nothing.

There are two switches, the label and the columns, and they work together. If the label is private, nothing that uses
it is exact, and public columns help little. If the label is public as well, the model first learns from the public
columns without noise, and the budget only pays for what the private columns add.
"""

import polars as pl

from tacit import AutoClassifier
from tacit.datasets import load
from tacit.report import write_picture
from tacit.report.figures import privacy_curve

adult = load("adult")
test = adult.split == "test"
private = ["marital-status", "relationship", "race", "sex", "native-country"]
schemas = {
    "nine columns and the label public": adult.schema.with_private(private, label=False),
    "nine columns public": adult.schema.with_private(private, label=True),
    "everything private": adult.schema.all_private(),
}

# %%
# Each of the three at three epsilons, two fits each, which differ in their noise. They learn from 32,561 rows and are
# tested on 16,281 others.

points = []
for name, schema in schemas.items():
    for epsilon in (0.01, 0.1, 1.0):
        scores = []
        for seed in range(2):
            model = AutoClassifier(schema, epsilon=epsilon, delta=1e-6, random_state=seed)
            model.fit(adult.frame.filter(~test), adult.target.filter(~test))
            scores.append(model.score(adult.frame.filter(test), adult.target.filter(test)))
        points.append({"name": name, "epsilon": epsilon, "delta": 1e-6, "runs": 2, "scores": scores})

scores = pl.col("scores").list
points = pl.DataFrame(points).with_columns(
    mean=scores.mean(), deviation=scores.std(), least=scores.min(), most=scores.max()
)
write_picture(privacy_curve(points), "partly-public.html", title="Accuracy with public columns")

# %%
# With the label public too, even a very small epsilon gives a useful model: most of it is exact. With a private label
# the gain is small. With a generous epsilon all three come close to each other, and there is little reason to declare
# anything public.
#
# What is public has no protection at all. Declare a column or the label public only if everybody may know it of
# *every* person in the table, not just of most.

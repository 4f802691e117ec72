"""
How do I find a rare class?
===========================

Few people in this table earn a lot. A model that makes the fewest mistakes then says "no" nearly always, and misses
most of those whom you look for. You can change that in two ways: train with class weights, or move the threshold
above which a probability counts as a "yes". Both are settings, and neither needs more of the budget than 2 %.

We make the class rarer still: of the people with a high income only every fifth is kept.
"""

import numpy as np

from tacit import LogisticClassifier
from tacit.datasets import load
from tacit.report import write_picture
from tacit.report.layout import axis, curve_look, layout

adult = load("adult")
rich = adult.target.to_numpy() == ">50K"
kept = np.flatnonzero(~rich | (np.arange(len(rich)) % 5 == 0))
train, test = kept[kept % 4 != 0], kept[kept % 4 == 0]
rows, labels = adult.frame[test], adult.target[test].to_numpy()
print(f"{np.mean(labels == '>50K'):.1%} of the test rows have a high income")

# %%
# Three rules, at the same epsilon:

schema = adult.schema.all_private()
settings = {"epsilon": 1.0, "delta": 1e-6, "holdout": 0.1, "random_state": 0}
plain = LogisticClassifier(schema, **settings).fit(adult.frame[train], adult.target[train])
weighed = LogisticClassifier(schema, class_weight="balanced", **settings).fit(adult.frame[train], adult.target[train])

predicted = {
    "fewest mistakes": plain.predict(rows),
    "balanced threshold": plain.predict(rows, threshold="balanced"),
    "class weights": weighed.predict(rows),
}
found = {name: np.mean(said[labels == ">50K"] == ">50K") for name, said in predicted.items()}
right = {name: np.mean(said[said == ">50K"] == labels[said == ">50K"]) for name, said in predicted.items()}

# %%
# For each rule, how many of the rare class it finds, and how many of those whom it names belong to it.

bars = [
    {"type": "bar", "name": name, "x": list(shares), "y": [float(share) for share in shares.values()]}
    | {"marker": {"color": curve_look(place).color}}
    for place, (name, shares) in enumerate({"found, of the rare class": found, "right, of those named": right}.items())
]
picture = {"data": bars, "layout": layout(axis(""), axis("share", range=[0, 1], tickformat=".0%"), "")}
write_picture(picture, "rare-class.html", title="A rare class")

# %%
# Finding more of them means more false alarms. Which is worse is not a question of privacy, but of what you do with
# the answer. The model's card shows both figures, measured privately, where you fit with ``holdout=0.1``.

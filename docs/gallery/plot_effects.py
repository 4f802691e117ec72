"""
What has the model learned, and what is noise?
==============================================

Each fit adds noise, so two fits of the same rows give two models. If you read off a model that a group has a higher
risk, you should know whether that can be noise alone. Tacit knows the distributions of its own noise, and says so for
each effect. This costs no budget: it is computed from the published model.
"""

from tacit import LogisticClassifier
from tacit.datasets import load
from tacit.report import EffectsDisplay, ImportanceDisplay, write_picture

adult = load("adult")
schema = adult.schema.all_private()
model = LogisticClassifier(schema, epsilon=0.2, delta=1e-6, random_state=0).fit(adult.frame, adult.target).model_

# %%
# Which columns matter? The lines are intervals of 95 % that hold the noise. A column whose interval begins at zero
# may say nothing.

write_picture(ImportanceDisplay.from_model(model).description, "importance.html", title="Importance of the columns")

# %%
# One column in detail: what each age adds to the score of a high income. The band is two standard deviations of the
# noise to either side.

write_picture(EffectsDisplay.from_model(model, "age").description, "age.html", title="What age adds to the score")

# %%
# A column of categories, with a bar for each:

write_picture(EffectsDisplay.from_model(model, "marital-status").description, "status.html", title="Marital status")

# %%
# ``explain`` gives the same as a table, with a verdict for each effect.

print(model.explain().filter(column="marital-status").select("cell", "effect", "deviation", "verdict"))

# %%
# An effect is not a cause. That married people earn more in this table does not say that marrying raises pay. Another
# sample of people would also give other effects: the band holds the noise of privacy alone.

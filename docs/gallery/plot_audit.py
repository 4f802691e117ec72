"""
Would anybody notice if the promise were broken?
================================================

A certificate is a claim. An audit tries to refute it. It builds pairs of tables that differ in one row, fits both
with the same answers, and compares what each release reveals with what it may reveal.

An audit that finds nothing says little, unless it would have found something. So each audit is repeated on learners
that are broken on purpose: half the noise, half the sensitivity. If these are caught, the audit is strong enough to
count.
"""

from tacit import Categorical, Label, NaiveBayesClassifier, Numeric, Schema
from tacit.audit import audit
from tacit.report import write_picture
from tacit.report.audit_figures import bounds, shares

schema = Schema(
    [Numeric("age", 0, 100), Categorical("smoker", ["no", "yes"])],
    label=Label("ill", ["no", "yes"]),
)
report = audit(NaiveBayesClassifier(schema, epsilon=1.0), minutes=0.1)
finding = report.findings[0]
print("verdict:", finding.verdict)

# %%
# The line is what was claimed, epsilon 1. The first bar is the most that the audit could make the real learner
# reveal.
#
# The gray bars are of known cases. Half the noise and half the sensitivity are broken, so they must be beyond the
# line. Exact counts are right, so they must not be. A learner that shows a private cell is caught in another way: two
# neighbors get different models although all answers were the same.

write_picture(bounds(finding), "bounds.html", title="What the audit found, and what it would have found")

# %%
# The same for each release: its largest loss over its share of the budget. Above 1 would be a violation. Far below 1
# would mean that the bound is loose, or the audit too weak.

write_picture(shares(finding.releases), "shares.html", title="Each release and its share")

# %%
# An audit never shows that a guarantee holds. That is what the proofs are for. It shows that the program does what
# the proof says, on the tables that were tried. ``tacit audit model.json`` checks a certificate without any rows, and
# ``tacit audit --learner logistic --epsilon 1`` does the above from the command line.

"""The page about other libraries: what they claim, what was found, and what in their source it is due to."""

from __future__ import annotations

from textwrap import fill

from reproductions.audits.cases import CASES
from reproductions.audits.exact_forest import largest_loss as largest_loss_of_trees
from reproductions.audits.exact_logistic import largest_loss
from tacit.audit import AuditReport, Finding

_HEAD = """\
# Other libraries, audited

Made by `python -m reproductions audits`, from environments that [other libraries](external.md) says how to install.
Each model was fitted many times to two tables that are neighbors under the relation named, with bounds, classes and
norms given, as its documentation asks. **At least** is a lower bound on the true epsilon at 95 % confidence in each row
([what that means](../proofs/audit/sampling.md)); above the claim, the claim is refuted for that relation. **At half the
noise** is what the same audit, until it was above the claim, found for the same model at twice the epsilon: where that
is below the claim, the audit is too weak to say anything.

diffprivlib states nowhere which tables are neighbors. Its counts and selections have the noise that one row more or
less needs; under replace-one, where the number of rows is fixed, a row counts twice. Both are shown. DP-EBM's noise is
for one row more or less.

| model | version | neighbors | claim | at least | at half the noise | verdict | found on |
|---|---|---|---|---|---|---|---|
"""

_LOGISTIC = """\
The distribution of the logistic regression is known, so that its loss on these two tables can be computed:
**{ten:.2f}** at norm 10 and **{hundred:.2f}** at norm 100, for a claim of 1, C = 1 and no intercept. Sampling comes
near to it only slowly, as the outputs that show it are rare.

"""

_TREES = """\
So can that of trees and forests, whose splits are drawn without the rows: **{tree:.2f}** for a tree and
**{forest:.2f}** for a forest where a label is replaced. That is the most that any replaced row can do, as it moves two
counts by one each: sampling comes near to twice the claim from below. Of one row less it is **{less:.2f}** for a
tree, as claimed, and **{all_less:.2f}** for the six trees of the forest; more trees lose more.

"""


def page(report: AuditReport) -> str:
    """Return the page in Markdown."""
    reasons = "".join(fill(f"- **{case.name}**: {case.why}", 120, subsequent_indent="  ") + "\n" for case in CASES)
    base = [(0.0, 0), (0.0, 1)]
    ten, hundred = (largest_loss([*base, (0.0, 1)], [*base, (norm, 1)], norm) for norm in (10.0, 100.0))
    trees = {name: _loss_of_trees(case) for name, case in _TREE_CASES.items()}
    rows = "".join(_row(each) for each in report.findings)
    return (
        f"{_HEAD}{rows}\n{_LOGISTIC.format(ten=ten, hundred=hundred)}{_TREES.format(**trees)}"
        f"## What in their source it is due to\n\n{reasons}"
    )


_TREE_CASES = {
    "tree": "tree, one label replaced",
    "forest": "forest, one label replaced",
    "less": "tree, one row less",
    "all_less": "forest, one row less",
}


def _loss_of_trees(name: str) -> float:
    """Return the exact loss of a case of trees."""
    case = next(case for case in CASES if case.name == name)
    first, second = ([label for _, label in rows] for rows in (case.first, case.second))
    return largest_loss_of_trees(first, second, case.settings.get("n_estimators", 1))


def _row(finding: Finding) -> str:
    claim = f"{finding.claim.epsilon:g}" + (f", delta {finding.claim.delta:g}" if finding.claim.delta else "")
    library = [f"{name} {version}" for name, version in finding.versions.items() if name in _LIBRARIES]
    cells = [
        finding.subject,
        *library,
        finding.claim.relation,
        claim,
        f"{finding.bound:.2f}",
        f"{finding.half_noise:.2f}" if finding.half_noise is not None else "",
        finding.verdict,
        finding.made[:10],
    ]
    return "| " + " | ".join(cells) + " |\n"


_LIBRARIES = ("diffprivlib", "interpret-core")

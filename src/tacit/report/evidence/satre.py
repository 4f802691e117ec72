"""SATRE: the record of criteria that item 3.3.09 asks for, and the page for the policy that item 3.3.07 asks for.

SATRE 2.0 (sa-tre/satre-specification, commit d0543ab; 3.3.09 as its pull request 584 added it). 3.3.07: a policy for
outputs that nobody can check by hand, trained weights among them, with the controls that they need before they leave.
3.3.09: records, for machines, of the criteria that were applied to what left, with parameters, thresholds, suppression
rules and versions of tools, and of which output.
"""

from __future__ import annotations

from typing import Any

from tacit.privacy.assumptions import said_plainly
from tacit.privacy.merged import fits_of
from tacit.report.evidence.subject import NOT_SHOWN, Subject
from tacit.report.evidence.words import columns, composition, mechanisms
from tacit.report.page.attacker import gain_sentences
from tacit.version import __version__

TITLE = "Disclosure control of a trained model: SATRE 3.3.07 and 3.3.09"

_BEYOND = {
    "raise": "a cell that it does not admit was an error",
    "coerce": "a cell that it does not admit counted as missing",
}

NEEDED = ("owner", "purpose", "destination", "contact")


def content(subject: Subject) -> dict[str, Any]:
    """Return the record."""
    about, guarantee = subject.about, subject.guarantee
    return {
        "items": {
            "3.3.07": "What left, under which controls, and which checks it passed. The policy is the environment's.",
            "3.3.09": "The criteria below, in satre.json for machines, linked to the output by its SHA-256.",
        },
        "output": {
            "file": subject.file,
            "sha256": subject.sha256,
            "kind": f"{subject.model.kind} of {subject.model.schema.label.name}, {subject.model.learner}",
            "columns": columns(subject.model),
            "rows_in_the_file": "none",
        },
        "people": {
            "owner": about.owner,
            "purpose": about.purpose,
            "destination": about.destination,
            "contact": about.contact,
            "approver": about.approver or None,
            "date": about.date or None,
        },
        "verification": list(subject.verified),
        "controls": _controls(subject),
        "criteria": _criteria(subject),
        "suppression_rules": ["None: noise is the control. No cell and no small group is left out for its size."],
        "what_left": subject.releases,
        "computed_exactly": list(guarantee.exact),
        "what_an_attacker_gains": list(gain_sentences(guarantee, about.prior)),
        "tools": [
            {"tool": "tacit", "version": subject.model.fitted_with, "did": "trained the model"},
            {"tool": "tacit", "version": __version__, "did": "verified the certificate and wrote this record"},
        ],
        "assumptions": list(said_plainly(guarantee.assumptions)),
        "not_shown": list(NOT_SHOWN),
    }


def _controls(subject: Subject) -> list[dict[str, Any]]:
    guarantee = subject.guarantee
    charges = [str(fit.charge) for _, fit in fits_of(guarantee) if fit.charge]
    return [
        {"control": "differential privacy", "setting": subject.claim},
        {"control": "protected cells", "setting": subject.protected},
        {"control": "public, so not protected", "setting": "; ".join(subject.public)},
        {"control": "of whom", "setting": subject.unit},
        {"control": "accounting", "setting": composition(guarantee)},
        {"control": "noise", "setting": mechanisms(guarantee)},
        {"control": "bounds of cells", "setting": f"the schema's; {_BEYOND[subject.model.on_invalid]}"},
        {"control": "ledger of all fits", "setting": "; ".join(charges) or "none is named in the certificate"},
    ]


def _criteria(subject: Subject) -> list[dict[str, Any]]:
    """Return each criterion with its threshold, what was found, and whether it is met; null where nobody set one."""
    guarantee, about, model = subject.guarantee, subject.about, subject.model
    rows = max(fit.n_rows for _, fit in fits_of(guarantee))
    known, stated = [str(each) for each in model.advisories], len(subject.found.as_stated)
    checks: list[tuple[str, Any, Any, bool | None, str]] = [
        ("epsilon recomputed, at most the one claimed", guarantee.epsilon, subject.found.epsilon, True, "tacit verify"),
        (
            "delta below one over the rows or persons",
            1 / rows,
            guarantee.delta,
            guarantee.delta * rows < 1,
            "tacit verify",
        ),
        (
            "noise of a secure generator, of no seed: the status of the certificate",
            "private",
            guarantee.status,
            True,
            "tacit verify",
        ),
        (
            "sensitivities taken as stated",
            "none, or read by a person",
            stated,
            None if stated else True,
            "tacit verify",
        ),
        ("known bugs of the version that trained it", "none", known, not known, "tacit inspect"),
        (
            "epsilon that the policy in about.toml admits",
            about.max_epsilon,
            guarantee.epsilon,
            *_within(subject, "epsilon"),
        ),
        ("delta that the policy in about.toml admits", about.max_delta, guarantee.delta, *_within(subject, "delta")),
    ]
    names = ("criterion", "threshold", "found", "met", "checked_by")
    return [dict(zip(names, each, strict=True)) for each in checks]


def _within(subject: Subject, name: str) -> tuple[bool | None, str]:
    most = getattr(subject.about, f"max_{name}")
    return None if most is None else getattr(subject.guarantee, name) <= most, "tacit evidence"

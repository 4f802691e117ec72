"""The parts of a guarantee after NIST SP 800-226 (March 2025): what Tacit knows of each, and blanks for the rest.

The publication puts them into a pyramid: each part holds as far as those below it do.
"""

from __future__ import annotations

from typing import Any

from tacit.privacy.assumptions import said_plainly
from tacit.report.evidence.subject import NOT_SHOWN, Subject
from tacit.report.evidence.words import composition, mechanisms, tuning
from tacit.report.page.attacker import gain_sentences

TITLE = "Parts of a differential privacy guarantee, after NIST SP 800-226"

NEEDED: tuple[str, ...] = ()


def content(subject: Subject) -> dict[str, Any]:
    """Return the parts from the top of the pyramid down; a part that only a person knows is null."""
    guarantee, about = subject.guarantee, subject.about
    return {
        "verification": list(subject.verified),
        "epsilon_and_delta": subject.claim,
        "what_an_attacker_gains": list(gain_sentences(guarantee, about.prior)),
        "why_this_epsilon": about.reasons or None,
        "unit_of_privacy": [
            f"Neighboring tables differ in {subject.unit}, there in {subject.protected}.",
            f"Public: {'; '.join(subject.public)}.",
            *guarantee.exact,
        ],
        "algorithms_and_correctness": {
            "learner": subject.model.learner,
            "mechanisms": mechanisms(guarantee),
            "composition": composition(guarantee),
            "settings_and_schema": tuning(subject),
            "proofs": "each query and mechanism has a page of proof in the source of Tacit, under proofs/",
        },
        "utility": subject.utility or None,
        "bias": None,
        "trust_model": {
            "model": f"central: {subject.trained}",
            "the_attacker": "sees the model, and may know everything but one person's protected cells",
            "assumptions": list(said_plainly(guarantee.assumptions)),
        },
        "side_channels": {
            "floating_point": "samplers are exact, but where a release names another",
            "timing_and_memory": "not protected: assumed not to be observed",
            "measures_of_the_place": None,
        },
        "data_security_and_access": about.data_security or None,
        "data_collection": about.data_collection or None,
        "not_shown": list(NOT_SHOWN),
    }

"""An entry for OpenDP's public registry of deployments, its tiers 1 to 3 filled.

Fields as in schemas/deployments-schema.yaml of opendp/deployments-registry-data, commit
057e5d81cf60150dd3307e0cf4504b957802fb3b. JSON is YAML: the entry goes there as it is, with the ending .yaml.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from tacit.errors import ParameterError
from tacit.privacy.assumptions import said_plainly
from tacit.report.evidence.subject import NOT_SHOWN, Subject
from tacit.report.evidence.words import composition, domain, mechanisms, tuning

TITLE = "Entry for the registry of differential privacy deployments"

NEEDED = ("title", "owner", "owner_type", "purpose", "region", "date", "data_security", "reasons", "registry_author")


def content(subject: Subject) -> dict[str, Any]:
    """Return the entry.

    Raises
    ------
    ParameterError
        If the date is none.
    """
    about = subject.about
    try:
        year = date.fromisoformat(about.date).year
    except ValueError:
        raise ParameterError(
            f"Expected a date as 2026-01-31 in --about, got date={about.date!r}. Write year, month and day."
        ) from None
    words = re.findall(r"[a-z0-9]+", f"{about.title} {about.owner} {year}".lower())
    return {
        "url_slug": "-".join(words),
        "deployment": {
            "basic": _basic(subject),
            "dp_variant": {
                "variant_name": "Approximate DP" if subject.guarantee.delta else "Pure DP",
                "data_domain": domain(subject.model),
                "unprotected_quantities": _listed([*subject.public, *subject.guarantee.exact]),
            },
            "privacy_loss": _privacy_loss(subject),
            "deployment_model": _deployment_model(subject),
            "implementation": _implementation(subject),
            "administrative": _administrative(subject, str(year)),
        },
    }


def _basic(subject: Subject) -> dict[str, Any]:
    about, schema = subject.about, subject.model.schema
    sector = {"data_product_sector": about.sector} if about.sector else {}
    period = f" Data of {about.data_period}." if about.data_period else ""
    return {
        "name": about.title,
        "data_curators": [{"data_curator_name": about.owner, "data_curator_type": about.owner_type}],
        "description": f"A {subject.model.kind} ({subject.model.learner}) that predicts {schema.label.name} from "
        f"{len(schema.inputs)} column{'s' * (len(schema.inputs) > 1)}, trained with differential privacy.{period}",
        "intended_use": about.purpose,
        "data_product_type": "Machine learning model",
        "data_product_region": about.region,
        **sector,
        "publication_date": about.date,
    }


def _privacy_loss(subject: Subject) -> dict[str, Any]:
    guarantee = subject.guarantee
    delta = {"delta": guarantee.delta} if guarantee.delta else {}
    return {
        "privacy_unit": "Row" if guarantee.persons is None else "Person",
        "privacy_unit_details": f"Adjacent tables have the same number of {guarantee.counted} and differ in "
        f"{subject.unit}, there in {subject.protected}.",
        "number_of_privacy_units": guarantee.n_rows,
        "privacy_parameters": {"epsilon": guarantee.epsilon, **delta},
        "privacy_parameters_details": _listed(composition(guarantee)),
    }


def _deployment_model(subject: Subject) -> dict[str, Any]:
    about = subject.about
    destination = f"Goes to: {about.destination}" if about.destination else "Anyone who gets the model."
    return {
        "model_name": "Central",
        "model_name_details": f"{subject.trained.capitalize()}; noise was added before anything left.",
        "trust_assumptions": _listed(said_plainly(subject.guarantee.assumptions)),
        "actors": _listed((f"Holds the rows and trains: {about.owner}", destination)),
        "release_type": "One release",
        "release_type_details": "One model file. Other fits on the same rows add to epsilon, and are not in it.",
        "data_source_type": "Static",
        "access_type": "Non-interactive",
        "access_type_details": "Nobody can query the rows; predictions of new rows are computed from the file.",
    }


def _implementation(subject: Subject) -> dict[str, Any]:
    about, model = subject.about, subject.model
    library = f"Library: tacit {model.fitted_with}, samplers of OpenDP where a release says so."
    side_channels = "Timing and memory are assumed not to be observed."
    secure = f"Security of the rows: {about.data_security}"
    return {
        "preprocessing_and_hyperparameter_tuning": _listed(tuning(subject)),
        "mechanisms": _listed((*mechanisms(subject.guarantee), library, side_channels, secure)),
        "composition": _listed(composition(subject.guarantee)),
        "post_processing": "The model's numbers are a public function of the noisy releases and of the schema.",
        "justification": about.reasons,
        "utility": _listed(subject.utility) or "Not measured privately.",
        "additional_information": _listed((*subject.verified, *NOT_SHOWN)),
    }


def _administrative(subject: Subject, year: str) -> dict[str, Any]:
    certificate = {
        "title": f"Certificate of differential privacy in {subject.file}",
        "author": subject.about.owner,
        "year": year,
        "note": f"SHA-256 of the file: {subject.sha256}",
    }
    source = {"evidence_source_type": "Authorized organizational attestation", "misc": certificate}
    return {
        "evidence_sources": {"certificate": source},
        "status": "Draft",
        "registry_authors": [subject.about.registry_author],
        "tier": 3,
    }


def _listed(sentences: Any) -> str:
    """Return sentences as the list that the registry shows: its texts are Markdown."""
    return "\n".join(f"- {each}" for each in sentences)

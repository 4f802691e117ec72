"""A model's card as Markdown, under the metadata in YAML that model hubs read."""

from __future__ import annotations

import json
from typing import Any

from tacit.measures.held_out import HeldOut
from tacit.models import Model
from tacit.report.evidence.markdown import from_page, text
from tacit.report.evidence.subject import NOT_SHOWN, Subject
from tacit.report.page.attacker import gain_sentences
from tacit.report.page.card import model_card

TITLE = "Card"

NEEDED: tuple[str, ...] = ()

_TASKS = {"classifier": "tabular-classification", "regressor": "tabular-regression"}


def content(subject: Subject) -> dict[str, Any]:
    """Return the metadata, and what the card says of privacy."""
    held_out = _held_out(subject)
    return {
        "metadata": metadata(subject),
        "verification": list(subject.verified),
        "people": {name.lower().replace(" ", "_"): said or None for name, said in subject.about.lines()},
        "protected": subject.protected,
        "of_whom": subject.unit,
        "public": subject.public,
        "what_an_attacker_gains": list(gain_sentences(subject.guarantee, subject.about.prior)),
        "releases": subject.releases,
        "held_out": held_out.measures() if held_out else None,
        "not_shown": list(NOT_SHOWN),
    }


def metadata(subject: Subject) -> dict[str, Any]:
    """Return what a hub finds the model by: its names are those of Hugging Face's model cards, but for the last."""
    about, model, guarantee = subject.about, subject.model, subject.guarantee
    name, task = about.title or f"{model.learner}, {model.schema.label.name}", _TASKS[model.kind]
    return {
        **({"license": about.license} if about.license else {}),
        "library_name": "tacit",
        "pipeline_tag": task,
        "model_name": name,
        "tags": [task, "differential-privacy", "tacit"],
        **({"model-index": [_measured(subject, name, held_out)]} if (held_out := _held_out(subject)) else {}),
        "differential_privacy": {
            "epsilon": guarantee.epsilon,
            "delta": guarantee.delta,
            "unit": subject.unit,
            "sha256": subject.sha256,
        },
    }


def _held_out(subject: Subject) -> HeldOut | None:
    return subject.model.held_out if isinstance(subject.model, Model) else None


def _measured(subject: Subject, name: str, held_out: HeldOut) -> dict[str, Any]:
    accuracy = {"type": "accuracy", "value": held_out.accuracy.value}
    dataset = {"type": "private", "name": subject.about.data_period or "held-out rows"}
    return {
        "name": name,
        "results": [{"task": {"type": _TASKS[subject.model.kind]}, "dataset": dataset, "metrics": [accuracy]}],
    }


def page(subject: Subject, picture: str) -> str:
    """Return the card: its document is that of ``inspect --html``, with the verification first."""
    head = "\n".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in metadata(subject).items())
    body = from_page(model_card(subject.model, subject.about), picture)
    first, heading, rest = body.partition("\n## ")
    listed = "\n".join(f"- {text(each)}" for each in (*subject.verified, *NOT_SHOWN))
    return f"---\n{head}\n---\n\n{first}\n## Verification\n\n{listed}\n{heading}{rest}"

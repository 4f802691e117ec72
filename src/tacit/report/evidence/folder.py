"""The folder of evidence: a page and JSON for each reader, of a model whose claim was verified first."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType

from tacit.errors import ParameterError
from tacit.report.evidence import hub_card, nist, registry, satre
from tacit.report.evidence.apart import refuse_reports_on_rows
from tacit.report.evidence.markdown import document, text
from tacit.report.evidence.subject import Subject, read_subject
from tacit.report.page.about import CHOICES, About
from tacit.report.page.attacker import attacker_picture, gain_sentences
from tacit.saving import new_folder, write_folder

KINDS: Mapping[str, ModuleType] = {"satre": satre, "registry": registry, "nist": nist, "card": hub_card}
"""Each has a title, the entries that a person must write, and content of a subject."""

PICTURE = "attacker.svg"


def write_evidence(
    model: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    kinds: Iterable[str],
    about: About | None = None,
    *,
    signer: str | os.PathLike[str] | None = None,
    signature: str | os.PathLike[str] | None = None,
) -> list[str]:
    """Write evidence for those who must approve a model, and return the names of the files.

    The model's claim is verified first: of one that fails there is no evidence.

    Parameters
    ----------
    model : str or path
        A file that ``Model.save`` wrote.
    folder : str or path
        New or empty; it appears whole or not at all.
    kinds : iterable of {"satre", "registry", "nist", "card"}
        For whom: a page ``.md`` and ``.json`` each, and one picture of what an attacker gains.
    about : About, optional
        What a person knows; entries that a kind needs are asked for.
    signer : str or path, optional
        An Ed25519 public key, as PEM: the pages then say that the model is signed by it. Needs the extra ``sign``.
    signature : str or path, optional
        Where the signature is; by default next to the model, its name with ``.sig`` after it.

    Raises
    ------
    ModelFileError
        If the file holds no model, or there is no signature of a signer that is named.
    ParameterError
        If the claim does not follow or promises nothing, an entry of ``about`` lacks, the signature is none of the
        signer's, or the folder holds something or is inside one with a report on real rows.

    Notes
    -----
    Privacy: follows from the model alone, which is released or public, and from what a person wrote.
    """
    chosen, about = _checked(kinds), about or About()
    _check_entries(chosen, about)
    target = new_folder(Path(folder))
    refuse_reports_on_rows(target)
    key, place = (None if each is None else Path(each) for each in (signer, signature))
    subject = read_subject(Path(model), about, key, place)
    picture = attacker_picture(subject.guarantee, alone=True)
    files = {PICTURE: picture} if picture else {}
    for name in chosen:
        found = KINDS[name].content(subject)
        files[f"{name}.md"] = _page(name, found, subject)
        files[f"{name}.json"] = _json(found)
    write_folder(target, files)
    return list(files)


def _checked(kinds: Iterable[str]) -> list[str]:
    chosen = list(dict.fromkeys(kinds))
    if not chosen or not KINDS.keys() >= set(chosen):
        wrong = next((repr(name) for name in chosen if name not in KINDS), "none")
        raise ParameterError(f"Expected evidence for some of {', '.join(KINDS)}, got {wrong}. Name one of them.")
    return chosen


def _check_entries(chosen: list[str], about: About) -> None:
    """Refuse an about that lacks what the chosen kinds need: all of it in one message."""
    needed = dict.fromkeys(name for kind in chosen for name in KINDS[kind].NEEDED)
    if lacking := [_asked(name) for name in needed if not getattr(about, name)]:
        raise ParameterError(
            f"Expected entries that only a person knows for {', '.join(chosen)}, got no {', no '.join(lacking)}. Write "
            "them into the TOML file of --about."
        )


def _asked(name: str) -> str:
    return f"{name} ({' or '.join(CHOICES[name])})" if name in CHOICES else name


def _json(content: Mapping[str, object]) -> str:
    written = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    # The registry reads YAML 1.1, which takes a number without a point for text.
    return re.sub(r'(?m)^(\s*"\w+": \d+)(?=e-\d+,?$)', r"\1.0", written)


def _page(name: str, content: Mapping[str, object], subject: Subject) -> str:
    if name == "card":
        return hub_card.page(subject, PICTURE)
    lead = [f"- {text(each)}" for each in subject.verified]
    gains = [f"- {text(each)}" for each in gain_sentences(subject.guarantee, subject.about.prior)]
    picture = ["", f"![The largest share of people that a test finds, by its false alarms]({PICTURE})", "", *gains]
    # Both are above already.
    rest = {key: value for key, value in content.items() if key not in ("verification", "what_an_attacker_gains")}
    return "\n".join([f"# {KINDS[name].TITLE}", "", *lead, *(picture if gains else ()), *document(rest), ""])

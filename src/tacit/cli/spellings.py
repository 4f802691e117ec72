"""What errors call by its name in Python, as the command line calls it."""

from __future__ import annotations

import re

_EXACT = (
    ("Pass Label(..., prevalence=[...]) or class_weight={class: weight}.",
     "Write prevalence = [...] under [label] in the schema, or pass --class-weight CLASS=NUMBER."),
    ("Pass Label(..., prevalence=[...]) in the schema", "Write prevalence = [...] under [label] in the schema"),
    ("predict(threshold='balanced')", "tacit predict --threshold balanced"),
    ("predict(threshold=)", "tacit predict --threshold"),
    ("Decide by predict_proba.", "Decide by --probabilities."),
    ("class_weight=None", "no --class-weight"),
    ("holdout_by= ", "--holdout-by "),
    ("Expected None or up to", "Expected up to"),
    ("got quantiles=a tuple", "got others with --quantile"),
)  # fmt: skip

_OPTIONS = re.compile(r"\b(on_invalid|threshold|class_weight|holdout|holdout_by|loss)=('[^']*'|[\w.]*\w)")
_QUANTILES = re.compile(r"\bquantiles=\(([\d., ]+)\)")


def as_options(message: str) -> str:
    """Return the text of an error with parameters as the options that set them.

    Examples
    --------
    >>> as_options("Complete the classes in the schema, or pass on_invalid='coerce'.")
    'Complete the classes in the schema, or pass --on-invalid coerce.'
    """
    for python, option in _EXACT:
        message = message.replace(python, option)
    message = _QUANTILES.sub(lambda found: " ".join(f"--quantile {each}" for each in _numbers(found[1])), message)
    return _OPTIONS.sub(lambda found: f"--{found[1].replace('_', '-')} {found[2].strip(chr(39))}", message)


def _numbers(listed: str) -> list[str]:
    return [each.strip() for each in listed.split(",") if each.strip()]

"""A learner of a study with its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tacit.study.learners import check_learner
from tacit.study.plain_values import check_text, numbers, several


@dataclass(frozen=True)
class LearnerSpec:
    """A learner of a study.

    Parameters
    ----------
    learner : str
        A private learner ("brc"), a reference without privacy ("reference:logistic") or a peer ("peer:...").
    parameters : mapping
        Of the learner; plain JSON values.
    name : str, optional
        What it is called in results; the learner's name if not given.
    deltas : sequence of float, optional
        In place of the study's.

    Raises
    ------
    ParameterError
        If there is no such learner, or it lacks a parameter.

    Examples
    --------
    >>> LearnerSpec("brc", {"rounds": 9}).called
    'brc'
    """

    learner: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None
    deltas: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        check_text(self.learner, "learner")
        if self.name is not None:
            check_text(self.name, "name")
        object.__setattr__(self, "parameters", dict(self.parameters))
        if self.deltas is not None:
            object.__setattr__(self, "deltas", numbers(several(self.deltas, "deltas"), "deltas"))
        check_learner(self.learner, self.parameters)

    @property
    def called(self) -> str:
        """The name in results."""
        return self.name or self.learner

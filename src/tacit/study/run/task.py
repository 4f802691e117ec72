"""One row of a study, described so fully that it can be computed alone, anywhere, with the same result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from tacit.errors import ParameterError


@dataclass(frozen=True, eq=False)
class Task:
    """What to measure, and on what; its key and its seed follow from that alone.

    Examples
    --------
    >>> one = Task("fit", {"data": "adult", "epsilon": 1.0})
    >>> one == Task("fit", {"epsilon": 1.0, "data": "adult"}), one.seed == Task("fit", {"data": "adult"}).seed
    (True, False)
    """

    measure: str
    """Name of a measure; see `tacit.study.run.measures`."""
    inputs: Mapping[str, Any]
    """Plain JSON values under text keys; everything the result depends on."""
    labels: Mapping[str, Any] = field(default_factory=dict)
    """Plain JSON values that say what the row is called or where it is shown. They are columns of the row under their
    own names, and no part of the key: two tasks that differ in labels alone are computed once."""

    def __post_init__(self) -> None:
        for name in ("inputs", "labels"):
            # Through JSON and back: a tuple and a list, or 1 and NumPy's 1, must not give two keys.
            object.__setattr__(self, name, _plain(getattr(self, name)))

    @cached_property
    def key(self) -> str:
        """32 hexadecimal digits of SHA-256 over measure and inputs: 128 bits, so that no two tasks share one."""
        return sha256(_canonical([self.measure, dict(self.inputs)]).encode()).hexdigest()[:32]

    @property
    def seed(self) -> int:
        """A seed of 63 bits, what a signed integer holds, for everything random in this task."""
        return int(self.key, 16) & (2**63 - 1)

    def labeled(self, **labels: Any) -> Task:
        """Return the same task with these labels, and its own others."""
        return self._called({**self.labels, **labels})

    def unlabeled(self) -> Task:
        """Return the same task without labels."""
        return self._called({})

    def document(self) -> str:
        """Return measure and inputs as one line of JSON."""
        return _canonical({"measure": self.measure, "inputs": dict(self.inputs)})

    def _called(self, labels: Mapping[str, Any]) -> Task:
        task = object.__new__(Task)
        # Inputs are plain already, and a key that was found stays: figures of papers call 100,000 tasks by new names.
        vars(task).update(vars(self), labels=_plain(labels))
        return task

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Task) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __reduce__(self) -> Any:
        return Task, (self.measure, dict(self.inputs), dict(self.labels))


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _plain(values: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(json.loads(_canonical(dict(values))) if values else {})


def _canonical(value: Any) -> str:
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError):
        message = "Expected inputs of plain JSON values (texts, finite numbers, lists), got another type."
    raise ParameterError(message)

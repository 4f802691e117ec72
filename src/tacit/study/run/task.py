"""One row of a study, described so fully that it can be computed alone, anywhere, with the same result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from tacit.errors import ParameterError


@dataclass(frozen=True, eq=False)
class Task:
    """What to measure, and on what; its key and its seed follow from that alone.

    Parameters
    ----------
    measure : str
        Name of a measure; see `tacit.study.run.measures`.
    inputs : mapping
        Plain JSON values under text keys; everything the result depends on.

    Examples
    --------
    >>> one = Task("fit", {"data": "adult", "epsilon": 1.0})
    >>> one == Task("fit", {"epsilon": 1.0, "data": "adult"}), one.seed == Task("fit", {"data": "adult"}).seed
    (True, False)
    """

    measure: str
    inputs: Mapping[str, Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", MappingProxyType(json.loads(_canonical(dict(self.inputs)))))

    @cached_property
    def key(self) -> str:
        """32 hexadecimal digits that tell this task from any other."""
        return sha256(_canonical([self.measure, dict(self.inputs)]).encode()).hexdigest()[:32]

    @property
    def seed(self) -> int:
        """A seed of 63 bits for everything random in this task."""
        return int(self.key, 16) & (2**63 - 1)

    def document(self) -> str:
        """Return measure and inputs as one line of JSON."""
        return _canonical({"measure": self.measure, "inputs": dict(self.inputs)})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Task) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __reduce__(self) -> Any:
        return Task, (self.measure, dict(self.inputs))


def _canonical(value: Any) -> str:
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    except (TypeError, ValueError):
        message = "Expected inputs of plain JSON values (texts, finite numbers, lists), got another type."
    raise ParameterError(message)

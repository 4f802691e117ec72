"""One model of another library, as a learner of a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from reproductions.external.encoding import PeerEncoding
from reproductions.external.environment import Environment
from reproductions.external.relation import Neighbors, external_budget
from tacit.errors import ParameterError

_FOR_ALL = {"timeout": 1800.0}
_FOR_PRIVATE_ONES = {"relation": "ours"}
_FOR_LINEAR_ONES = {"encoding": "one-hot", "n_bins": 8}


@dataclass(frozen=True)
class ExternalLearner:
    """A model of another library.

    Attributes
    ----------
    model : str
        Its name in the environment's script.
    environment : Environment
    encoding : {"linear", "ordinal", "codes"}
        What it is trained on; see `reproductions.external.encoding`. ``"linear"`` lets the parameter ``encoding``
        choose.
    own : mapping
        Parameters of the model with their defaults.
    neighbors : {"add-remove", "replace-one"} or None
        Which neighbors its noise is made for; None without privacy.
    basis : str
        How its neighbors are known.
    needs_delta, two_classes : bool
        What it cannot do without.
    of_numbers : bool
        Whether it predicts a number, and not classes.
    """

    model: str
    environment: Environment
    encoding: PeerEncoding
    own: Mapping[str, Any] = field(default_factory=dict)
    neighbors: Neighbors | None = None
    basis: str = ""
    needs_delta: bool = False
    two_classes: bool = False
    of_numbers: bool = False

    @property
    def name(self) -> str:
        """The learner's name behind ``external:``, which carries the library's version."""
        return f"{self.environment.called}-{self.model}"

    @property
    def private(self) -> bool:
        """Whether it spends a budget."""
        return self.neighbors is not None

    @property
    def defaults(self) -> Mapping[str, Any]:
        """All parameters that it takes, with their defaults."""
        private = _FOR_PRIVATE_ONES if self.private else {}
        linear = _FOR_LINEAR_ONES if self.encoding == "linear" else {}
        return MappingProxyType({**private, **linear, **self.own, **_FOR_ALL})

    def complete(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters with defaults for those that are not given.

        Raises
        ------
        ParameterError
            If one is not known, or of another type than its default.
        """
        for name, value in parameters.items():
            if name not in self.defaults:
                raise ParameterError(
                    f"Expected parameters of external:{self.name} ({', '.join(self.defaults)}), got {name!r}. Drop it."
                )
            kind = type(self.defaults[name])
            if isinstance(value, bool) or not isinstance(value, (int, float) if kind is float else kind):
                words = {int: "a whole number", float: "a number", str: "a text"}
                raise ParameterError(
                    f"Expected {name} of external:{self.name} to be {words[kind]}, got {name}={value!r}."
                )
        given = {**self.defaults, **parameters}
        if self.private:
            external_budget(1.0, 0.0, given["relation"], "replace-one")
        return given

    def settings(self, given: Mapping[str, Any], epsilon: float | None, delta: float | None) -> dict[str, Any]:
        """Return what the model is made with: its own parameters, and the budget that its neighbors ask for.

        Raises
        ------
        ParameterError
            If there is no budget where one is needed.
        """
        own = {name: given[name] for name in self.own}
        if self.neighbors is None:
            return own
        if epsilon is None or not epsilon > 0:
            raise ParameterError(
                f"Expected an epsilon above 0 for external:{self.name}, got epsilon={epsilon}. Pass one."
            )
        if self.needs_delta and not delta:
            raise ParameterError(
                f"Expected a delta above 0 for external:{self.name}, got delta={delta or 0}. Pass one."
            )
        asked, slack = external_budget(epsilon, delta or 0.0, given["relation"], self.neighbors)
        return {**own, "epsilon": asked, "delta": slack}

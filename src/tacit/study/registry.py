"""Registry of measures and learners that other packages add to a study."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from tacit.errors import ParameterError

ValueT = TypeVar("ValueT")


class Registry(Generic[ValueT]):
    """Values by name, and which modules added them.

    Worker processes start empty: they import the modules, which add their names again.

    Parameters
    ----------
    what : str
        What a name denotes, in messages.

    Examples
    --------
    >>> registry: Registry[int] = Registry("number")
    >>> registry.add("one", 1, module="numbers")
    >>> registry["one"], list(registry), registry.modules
    (1, ['one'], ('numbers',))
    """

    def __init__(self, what: str):
        self._what = what
        self._values: dict[str, ValueT] = {}
        self._modules: dict[str, str] = {}

    def add(self, name: str, value: ValueT, *, module: str) -> None:
        """Add a name; the module that added it may do so again, as it does when it is reloaded.

        Raises
        ------
        ParameterError
            If another module has added it.
        """
        # Two modules of one name would make a row depend on which was imported last.
        if self._modules.get(name, module) != module:
            raise ParameterError(
                f"Expected each {self._what} once, got {name!r} from {self._modules[name]} and {module}. Rename one."
            )
        self._values[name], self._modules[name] = value, module

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that added names, in order, each once."""
        return tuple(dict.fromkeys(self._modules.values()))

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __getitem__(self, name: str) -> ValueT:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

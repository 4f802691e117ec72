"""What travels to workers and between them: functions as bytes, and values that show nothing of what they hold."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, TypeVar

import cloudpickle
import numpy as np

from tacit.errors import ParameterError, PrivacyError, SchemaError, TableError, TacitError, lacks_memory
from tacit.table.batches import Batch
from tacit.table.blocks import Block, PerBlock
from tacit.table.persons import Members
from tacit.table.rows import Rows
from tacit.table.table import Table

T = TypeVar("T")

_ROWS = (Batch, Block, Members, Rows)

_DRAWS = ("tacit.mechanisms", "tacit.privacy.accountant")
"""Modules of what draws noise and keeps accounts: their objects stay with the driver."""


NO_MEMORY = "Expected workers with more memory, got too little. Take larger or more workers."


class PackedCall:
    """A function or argument as bytes.

    Distributed shows arguments in its logs, so that this shows nothing.

    Parameters
    ----------
    content : bytes
    """

    def __init__(self, content: bytes):
        self.content = content

    def __repr__(self) -> str:
        return "<packed>"

    def __sizeof__(self) -> int:
        return 2**16


class Held:
    """What a worker holds, or a task returns.

    Its size, which a dashboard shows, is stated by the driver: that of state of rows could tell a count.

    Parameters
    ----------
    value : object
    size : int
        Bytes to state.
    """

    def __init__(self, value: Any, size: int):
        self.value, self.size = value, size

    def __repr__(self) -> str:
        return "<held>"

    def __sizeof__(self) -> int:
        return self.size

    def __reduce_ex__(self, protocol: Any) -> Any:
        if protocol >= 5 and _are_arrays(self.value):
            # Dask sends arrays as they are; packed, each would be copied four times on its way.
            return Held, (self.value, self.size)
        # From worker to worker, which see rows anyway, and to the driver what was summed.
        return _held, (_dumped(self.value, _RowsPickler), self.size)


def _are_arrays(value: Any) -> bool:
    return type(value) is list and all(type(each) is np.ndarray and each.dtype.kind != "O" for each in value)


class Failure:
    """What went wrong on a worker, without anything that a row holds.

    Parameters
    ----------
    kind : str
        Name of a type in ``tacit.errors``; any that rows do not raise becomes a ``PrivacyError``.
    message : str
    """

    def __init__(self, kind: str, message: str):
        self.kind, self.message = kind, message

    def error(self) -> TacitError:
        """Return the error to raise where the driver is."""
        return _ERRORS.get(self.kind, PrivacyError)(self.message)


_ERRORS: dict[str, type[TacitError]] = {each.__name__: each for each in (ParameterError, SchemaError, TableError)}


def held(compute: Callable[..., Any], given: Sequence[Any], size: int) -> Held:
    """Return what a function makes of held values; an error is a value, too, as Dask would log it with arguments."""
    values = [each.value if isinstance(each, Held) else each for each in given]
    for value in values:
        if isinstance(value, Failure):
            return Held(value, size)
    try:
        return Held(compute(*values), size)
    except TacitError as error:
        failed = Failure(type(error).__name__, str(error))
    # What other libraries say could quote a cell.
    except Exception as error:  # noqa: BLE001
        failed = Failure(TableError.__name__, NO_MEMORY) if lacks_memory(error) else _foreign(error)
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # polars' is no Exception
            raise
        failed = _foreign(error)
    return Held(failed, size)


def _foreign(error: BaseException) -> Failure:
    return Failure(
        PrivacyError.__name__,
        f"Expected workers to compute what they were asked, got failure={type(error).__name__!r}. Compare their "
        "packages with the driver's; report this if they are the same.",
    )


def packed(function: Callable[..., Any]) -> tuple[PackedCall, list[PerBlock[Any]]]:
    """Return a function as bytes, and the state of rows that it asks for, in the order in which it must arrive.

    Raises
    ------
    PrivacyError
        If it holds rows, unreleased statistics, or what draws noise or keeps accounts.
    """
    stream = io.BytesIO()
    packer = _FunctionPickler(stream)
    packer.dump(function)
    return PackedCall(stream.getvalue()), packer.states


def packed_argument(value: Any) -> PackedCall:
    """Return an argument as bytes."""
    return PackedCall(cloudpickle.dumps(value))


def unpacked(content: PackedCall, states: Sequence[dict[int, Any]] = ()) -> Any:
    """Return what was packed, with state of the rows that are here."""
    token = _arriving.set(states)
    try:
        return cloudpickle.loads(content.content)
    finally:
        _arriving.reset(token)


class ArrivedBlocks(PerBlock[T]):
    """State of some blocks, where they are.

    Parameters
    ----------
    values : dict
        By the block's position in its table.
    """

    def __init__(self, values: dict[int, T]):
        self._values = values

    def __getitem__(self, block: Block) -> T:
        """Return the value of a block that is here."""
        return self._values[block.index]

    def advance(self, update: Callable[[Block, T], T]) -> None:
        """Refuse: the driver advances state."""
        raise PrivacyError("Expected state to be advanced by the driver, got a worker. Report this.")


_arriving: ContextVar[Sequence[dict[int, Any]]] = ContextVar("arriving", default=())


class _RowsPickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Admits rows."""

    def reducer_override(self, thing: Any) -> Any:
        if isinstance(thing, _ROWS):
            return _restored, (type(thing), dict(vars(thing)))
        return super().reducer_override(thing)


class _FunctionPickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Replaces tables and state of rows, and refuses what must not leave the driver."""

    def __init__(self, stream: io.BytesIO):
        super().__init__(stream, protocol=5)
        self.states: list[PerBlock[Any]] = []

    def reducer_override(self, thing: Any) -> Any:
        if isinstance(thing, PerBlock):
            places = [at for at, state in enumerate(self.states) if state is thing]
            if not places:
                self.states.append(thing)
            return _arrived, (places[0] if places else len(self.states) - 1,)
        if isinstance(thing, Table):
            return _restored, (Table, {**vars(thing), "_shards": None, "_storage": None})
        if type(thing).__module__.startswith(_DRAWS) or isinstance(thing, np.random.Generator):
            raise PrivacyError(
                "Expected noise and accounts to stay with the driver, got a task with them. Report this."
            )
        return super().reducer_override(thing)


def _dumped(value: Any, pickler: Any) -> bytes:
    stream = io.BytesIO()
    pickler(stream, protocol=5).dump(value)
    return stream.getvalue()


def _held(content: bytes, size: int) -> Held:
    return Held(cloudpickle.loads(content), size)


def _restored(cls: type[T], attributes: dict[str, Any]) -> T:
    made = cls.__new__(cls)
    made.__dict__.update(attributes)
    return made


def _arrived(place: int) -> ArrivedBlocks[Any]:
    return ArrivedBlocks(_arriving.get()[place])

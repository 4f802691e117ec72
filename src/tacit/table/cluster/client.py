"""The client of a Dask cluster: checked before a row is read, and asked for results without a cell in any error."""

from __future__ import annotations

import asyncio
import sys
from asyncio import CancelledError
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from socket import create_connection
from typing import Any, TypeVar
from urllib.parse import urlsplit
from uuid import uuid4
from weakref import WeakKeyDictionary

from distributed import Client, Future, KilledWorker
from distributed.comm import connect

from tacit.errors import ClusterError, ParameterError, TableError, TacitError, lacks_memory, shown
from tacit.table.cluster.shipping import NO_MEMORY, Failure, Held
from tacit.version import __version__

T = TypeVar("T")

_PATIENCE = 60
"""Seconds to wait for a first worker."""

_PATIENCE_SCHEDULER = 6
"""Seconds to wait for a scheduler, so that a command says within ten that none answers."""

_PATIENCE_EACH = 2
"""Seconds to wait for a connection to a worker, whose results come by way of the scheduler otherwise."""

NO_PARTITION = (
    "Expected a data frame whose partitions can be computed, got one that fails. Compute it by itself, to see why."
)
"""What an error says of a Dask data frame; what Dask says could quote cells."""

_reaching: WeakKeyDictionary[Client, bool] = WeakKeyDictionary()
"""Whether a client gets results from workers themselves."""


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """Give a client of the scheduler at an address, such as ``tcp://scheduler:8786``.

    Raises
    ------
    ClusterError
        If none answers there.
    """
    client = None
    with suppress(Exception):  # a server of something else may raise anything, even a lack of memory
        # A client that does not get its connection is closed by waiting for it.
        asyncio.run(_answer_of(address))
        client = Client(address, set_as_default=False, timeout=_PATIENCE_SCHEDULER)
    if client is None:
        raise ClusterError(
            f"Expected a Dask scheduler, got no answer from cluster={shown(address)}. Check its address."
        )
    with client:
        yield client


async def _answer_of(address: str, **given: Any) -> None:
    """Connect to a scheduler, and go."""
    connection = await asyncio.wait_for(connect(address, timeout=_PATIENCE_SCHEDULER, **given), _PATIENCE_SCHEDULER)
    connection.abort()


def checked_client(client: Any) -> Client:
    """Return the client of a cluster that can compute for us, once it has a worker.

    Raises
    ------
    ParameterError
        If it is no client that waits for results.
    ClusterError
        If the client is closed, its scheduler does not answer, no worker comes, or one of them has another version of
        this package or of Python.
    """
    if not isinstance(client, Client) or client.asynchronous:
        kind = type(client).__name__
        raise ParameterError(f"Expected a synchronous distributed.Client, got client of type {kind}. Make one of it.")
    _check_scheduler(client)
    found: dict[str, Any] = {}
    with suppress(Exception):  # what is missing is said below
        client.wait_for_workers(1, timeout=_PATIENCE)
        found = client.run(_versions)
        # By way of the scheduler, which does not pass arrays on as they are, results take several times as long.
        _reaching[client] = client.direct_to_workers if client.direct_to_workers is not None else _all_reached(found)
    if not found:
        raise ClusterError(
            "Expected workers that have this package, got none that answers. Start workers, and install "
            f"tacit[dask]=={__version__} there."
        )
    if set(found.values()) != {_versions()}:
        raise ClusterError(
            f"Expected tacit {__version__} and Python {sys.version_info[0]}.{sys.version_info[1]} on every worker, got "
            "others. Install the same on all machines."
        )
    return client


def _check_scheduler(client: Client) -> None:
    """Refuse a client that is closed, and one whose scheduler does not answer soon."""
    if client.status in ("closing", "closed"):
        raise ClusterError("Expected a client that is connected, got one that was closed. Make a new one.")
    with suppress(Exception, CancelledError):
        client.sync(client.scheduler.identity, callback_timeout=_PATIENCE_SCHEDULER)
        return
    raise ClusterError("Expected a scheduler that answers, got none from the client's. Look whether it runs.")


def _all_reached(addresses: Iterable[str]) -> bool:
    """Tell whether this process can connect to all workers, which may be in a network of their own."""
    for host, port in ((each.hostname, each.port) for each in map(urlsplit, addresses)):
        try:
            create_connection((host, port), timeout=_PATIENCE_EACH).close()
        except (OSError, TypeError):  # workers of this process have no port
            return False
    return True


def _versions() -> tuple[str, tuple[int, int]]:
    return __version__, sys.version_info[:2]


def new_keys(doing: str, n_tasks: int) -> list[tuple[str, int]]:
    """Return names of tasks, which tell what kind of task it is and nothing else.

    Dask's own are digests of a task's arguments, by which their values could be guessed. Each call makes a group of its
    own: if a group grew larger than the cluster while it follows from few tasks, Dask would take any free worker for
    each, and send it the rows.
    """
    group = f"tacit-{doing}-{uuid4().hex}"
    return [(group, at) for at in range(n_tasks)]


def submitted(client: Client, doing: str, task: Callable[..., Any], *given: Any) -> Future:
    """Return the future of one task."""
    # Not pure: then Dask neither hashes the arguments nor takes one task for another.
    [key] = new_keys(doing, 1)
    return sent(client, lambda: client.submit(task, *given, key=key, pure=False))


def fetched(client: Client, futures: Sequence[Future]) -> list[Any]:
    """Return results that have the type that tasks of ours return.

    Raises
    ------
    TacitError
        What a worker refused.
    TableError
        If a partition that another library makes fails.
    ClusterError
        If the cluster, or the connection to it, is lost.
    """
    found: list[Held] = sent(client, lambda: client.gather(list(futures), direct=_reaching.get(client)), futures)
    for each in found:
        if isinstance(each.value, Failure):
            raise each.value.error()
    return [each.value for each in found]


def fetching(client: Client, futures: Sequence[Future]) -> Callable[[], list[Any]]:
    """Fetch results from now on, while the caller does something else; what is returned waits for them.

    Raises
    ------
    TacitError
        As ``fetched``, when they are waited for.
    """
    thread = ThreadPoolExecutor(1)
    coming = thread.submit(fetched, client, futures)
    thread.shutdown(wait=False)  # ends when it is done
    return coming.result


def sent(client: Client, ask: Callable[[], T], awaited: Sequence[Future] = ()) -> T:
    """Return what a client answers; of its own errors, whose messages could name more than we would, one of ours.

    Raises
    ------
    TacitError
        As ``fetched``.
    """
    # One that connects again has given up what was asked, and keeps what is sent meanwhile for as long as it tries.
    if client.status == "running":
        with suppress(Exception, CancelledError):
            return ask()
    raise _failure(awaited)


def _failure(awaited: Sequence[Future]) -> TacitError:
    """Return what went wrong, by how each task ended: one of ours returns its failure, so that what raised is not."""
    raised = [each.exception() for each in awaited if getattr(each, "status", None) == "error"]
    others = [error for error in raised if not isinstance(error, KilledWorker)]
    if any(map(lacks_memory, others)):
        return TableError(NO_MEMORY)
    if any(isinstance(error, ImportError) for error in others):
        return ClusterError("Expected workers that have the driver's packages, got one that lacks some. Compare them.")
    if others:
        return TableError(NO_PARTITION)
    if raised:
        return ClusterError(
            "Expected workers that live until the fit is done, got some that died several times at the same task. "
            "Nothing more was released; look for their memory."
        )
    return ClusterError(
        "Expected a cluster that stays until the fit is done, got a lost connection. Nothing more was released; look "
        "whether its scheduler runs."
    )

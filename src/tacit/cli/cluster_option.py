"""The option that names a cluster, and the client that it opens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Annotated, Any

import typer

from tacit.errors import MissingExtra

ClusterOption = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Dask scheduler whose workers read files and keep rows."),
]


def client_of(address: str | None) -> AbstractContextManager[Any]:
    """Give a client of the cluster at an address, None without one; its workers answer before anything is charged.

    Raises
    ------
    MissingExtra
        If Dask is not installed.
    ClusterError
        If no scheduler answers there.
    """
    if address is None:
        return nullcontext()
    try:
        # Dask takes long to import, and need not be there.
        from tacit.table.cluster import connected
    except ModuleNotFoundError:
        pass
    else:
        return _checked(connected(address))
    raise MissingExtra("Expected Dask for --cluster, got none. Install tacit[dask], here and on the workers.")


@contextmanager
def _checked(connection: AbstractContextManager[Any]) -> Iterator[Any]:
    from tacit.table import check_client

    with connection as client:
        check_client(client)
        yield client

"""The option that names a cluster, and the client that it opens."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Annotated, Any

import typer

ClusterOption = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Dask scheduler whose workers read files and keep rows."),
]


def client_of(address: str | None) -> AbstractContextManager[Any]:
    """Give a client of the cluster at an address, None without one; its scheduler answers before anything is charged.

    Raises
    ------
    MissingExtra
        If Dask is not installed.
    ClusterError
        If no scheduler answers there.
    """
    if address is None:
        return nullcontext()
    from tacit.table.sources import dask_cluster

    connected: AbstractContextManager[Any] = dask_cluster().connected(address)
    return connected

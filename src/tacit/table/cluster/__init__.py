"""Rows on the workers of a Dask cluster: nothing here is imported until a client is named (extra ``dask``)."""

from tacit.table.cluster.client import checked_client, connected
from tacit.table.cluster.reading import read_on_cluster

__all__ = ["checked_client", "connected", "read_on_cluster"]

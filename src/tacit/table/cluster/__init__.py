"""Rows on the workers of a Dask cluster: nothing here is imported until a client is named (extra ``dask``)."""

from tacit.table.cluster.client import connected
from tacit.table.cluster.reading import check_cluster, read_on_cluster

__all__ = ["check_cluster", "connected", "read_on_cluster"]

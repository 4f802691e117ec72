"""One small cluster of two worker processes for the tests of a module."""

from __future__ import annotations

import warnings

import pytest


@pytest.fixture(scope="module")
def client():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from distributed import Client, LocalCluster

        given = {"dashboard_address": None, "silence_logs": 50, "memory_limit": 0}
        with LocalCluster(n_workers=2, threads_per_worker=1, **given) as cluster, Client(cluster) as opened:
            yield opened

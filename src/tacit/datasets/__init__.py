"""Well-known tables, each with the public schema that its documentation gives.

`load` finds a data set's files in the folder that `TACIT_DATA` names, in the cache, or at their source, and checks what
it read against a digest. The schemas are written from documentation, and say where it is silent and what was assumed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.datasets.catalog import Dataset, load, names
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "catalog": "Dataset load names",
        },
    )

__all__ = ["Dataset", "load", "names"]

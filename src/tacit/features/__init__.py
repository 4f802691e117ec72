"""What is computed of rows: codes of bins, features of linear forms, cells of fine grids; each row's from it alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.features.bin_encoding import BinEncoding
    from tacit.features.cell_encoding import CellEncoding
    from tacit.features.distance_encoding import DistanceEncoding
    from tacit.features.encoding import Cuts, Encoding
    from tacit.features.feature_encoding import OneHotEncoding
    from tacit.features.grid_encoding import GridEncoding
    from tacit.features.grid_window import GridWindow
    from tacit.features.linear_encoding import GRID, GRID_STEPS, LinearEncoding
    from tacit.features.ranked_encoding import RankedEncoding
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "bin_encoding": "BinEncoding",
            "cell_encoding": "CellEncoding",
            "distance_encoding": "DistanceEncoding",
            "encoding": "Cuts Encoding",
            "feature_encoding": "OneHotEncoding",
            "grid_encoding": "GridEncoding",
            "grid_window": "GridWindow",
            "linear_encoding": "GRID GRID_STEPS LinearEncoding",
            "ranked_encoding": "RankedEncoding",
        },
    )

__all__ = [
    "GRID",
    "GRID_STEPS",
    "BinEncoding",
    "CellEncoding",
    "Cuts",
    "DistanceEncoding",
    "Encoding",
    "GridEncoding",
    "GridWindow",
    "LinearEncoding",
    "OneHotEncoding",
    "RankedEncoding",
]

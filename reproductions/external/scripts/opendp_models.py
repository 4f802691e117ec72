"""The line of OpenDP's Theil-Sen regression, made from settings and from what the schema says."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version as version_of
from typing import Any

import numpy as np

_ONE_ROW = 1  # more or less, by OpenDP's symmetric distance


def version() -> str:
    """Return the version that is installed."""
    return version_of("opendp")


class Line:
    """A line through one feature. The library takes a scale of noise; its own map says what epsilon that is.

    Parameters
    ----------
    settings : mapping
        epsilon, and feature, its place.
    public : mapping
        Bounds of features and target.
    """

    def __init__(self, settings: Mapping[str, Any], public: Mapping[str, Any]):
        self.settings, self.public = settings, public

    def fit(self, rows: Any, labels: Any) -> Line:
        """Train; the scale of the noise is found here, too."""
        # The map is of one over the scale: what a scale of 1 costs says which one costs epsilon.
        scale = self._line(1.0).measurement.map(_ONE_ROW) / self.settings["epsilon"]
        self._fitted = self._line(scale).fit(rows[:, [self._place]], labels)
        return self

    def predict(self, rows: Any) -> Any:
        """Return the number of each row."""
        return self._fitted.predict(rows[:, [self._place]])

    @property
    def _place(self) -> int:
        return int(self.settings["feature"])

    def _line(self, scale: float) -> Any:
        import opendp.prelude as dp

        dp.enable_features("contrib", "honest-but-curious", "idealized-numerics")
        bounds = self.public["low"][self._place], self.public["high"][self._place]
        return dp.sklearn.linear_model.LinearRegression(
            dp.max_divergence(), x_bounds=[bounds], y_bounds=tuple(self.public["target"]), scale=scale
        )


def line(settings: Mapping[str, Any], public: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the line; nothing is imported while the time runs. Pairs of rows are drawn from the seed, noise is not."""
    import opendp.prelude  # noqa: F401
    import sklearn.linear_model  # noqa: F401

    np.random.seed(settings["seed"])  # noqa: NPY002  the library draws from there
    return Line(settings, public), None


MODELS = {"line": line}

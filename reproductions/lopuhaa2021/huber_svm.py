"""The support vector machine of Lopuhaä-Zwakenberg and others (2021), section 2.2, without privacy."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize


class HuberSVM:
    """Linear, Huber loss, regularized, through the origin; one against the rest for more than two classes.

    Parameters
    ----------
    h : float
        Half the width of the loss's rounded corner.
    regularization : float
        The paper's Lambda, on the mean loss.
    """

    def __init__(self, h: float = 0.05, regularization: float = 10**-2.5):
        self.h, self.regularization = h, regularization

    def fit(self, features: np.ndarray, labels: np.ndarray) -> HuberSVM:
        """Fit on features, shape (n_rows, n_features), and labels."""
        self.classes_ = np.unique(labels)
        positives = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        self.weights_ = np.stack([self._weights(features, np.where(labels == one, 1.0, -1.0)) for one in positives])
        return self

    def predict(self, features: np.ndarray) -> np.ndarray:
        """Return the class of each row."""
        scores = features @ self.weights_.T
        return self.classes_[(scores[:, 0] > 0).astype(int) if len(self.classes_) == 2 else scores.argmax(axis=1)]

    def objective(self, weights: np.ndarray, features: np.ndarray, signs: np.ndarray) -> tuple[float, np.ndarray]:
        """Return equation 5 and its gradient."""
        margins = signs * (features @ weights)
        inside = np.clip(1 + self.h - margins, 0, 2 * self.h)
        losses = np.where(margins < 1 - self.h, 1 - margins, inside**2 / (4 * self.h))
        value = losses.mean() + self.regularization / 2 * weights @ weights
        slopes = -inside / (2 * self.h) * signs / len(signs)
        return float(value), features.T @ slopes + self.regularization * weights

    def _weights(self, features: np.ndarray, signs: np.ndarray) -> np.ndarray:
        start = np.zeros(features.shape[1])
        found = minimize(self.objective, start, (features, signs), "L-BFGS-B", jac=True, options={"maxiter": 500})
        return found.x

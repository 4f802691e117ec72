"""Logistic regression by DP-SGD in Opacus, made from settings and from what the schema says."""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib.metadata import version as version_of
from typing import Any


def version() -> str:
    """Return the version that is installed."""
    return version_of("opacus")


class Logistic:
    """One linear layer that starts at zero, trained by clipped and noisy gradients.

    Parameters
    ----------
    settings : mapping
        epsilon, delta, steps, learning_rate, clip, sampling_rate (1 for all rows in each step; see `sampled`), seed.
    n_classes : int
    """

    def __init__(self, settings: Mapping[str, Any], n_classes: int):
        self.settings, self.n_outputs = settings, 1 if n_classes == 2 else n_classes

    def fit(self, rows: Any, labels: Any) -> Logistic:
        """Train; the noise is calibrated here, too."""
        import torch
        from opacus import PrivacyEngine

        given = self.settings
        torch.set_num_threads(1)
        torch.manual_seed(given["seed"])
        self._rows = torch.as_tensor(rows, dtype=torch.float32)
        self._labels = torch.as_tensor(labels, dtype=torch.float32 if self.n_outputs == 1 else torch.int64)
        self._loss = torch.nn.BCEWithLogitsLoss() if self.n_outputs == 1 else torch.nn.CrossEntropyLoss()
        layer = torch.nn.Linear(rows.shape[1], self.n_outputs)
        for parameter in layer.parameters():
            torch.nn.init.zeros_(parameter)
        data = torch.utils.data.TensorDataset(self._rows, self._labels)
        size, rate = sampled(given["sampling_rate"], len(rows))
        self._model, optimizer, batches = PrivacyEngine(accountant="prv").make_private(
            module=layer,
            optimizer=torch.optim.SGD(layer.parameters(), lr=given["learning_rate"]),
            data_loader=torch.utils.data.DataLoader(data, batch_size=size),
            noise_multiplier=noise_multiplier(**_budget(given), sampling_rate=rate),
            max_grad_norm=given["clip"],
            poisson_sampling=rate < 1,
            noise_generator=torch.Generator().manual_seed(given["seed"]),
        )
        self._train(optimizer, batches if rate < 1 else None)
        return self

    def decision_function(self, rows: Any) -> Any:
        """Return scores, above zero for the second of two classes."""
        scores = self._scores(rows)
        return scores[:, 0] if self.n_outputs == 1 else scores

    def predict(self, rows: Any) -> Any:
        """Return the class of each row."""
        scores = self._scores(rows)
        return scores[:, 0] > 0 if self.n_outputs == 1 else scores.argmax(axis=1)

    def _train(self, optimizer: Any, batches: Any) -> None:
        steps = 0
        while steps < self.settings["steps"]:
            for rows, labels in batches or [(self._rows, self._labels)]:
                optimizer.zero_grad()
                scores = self._model(rows)
                self._loss(scores[:, 0] if self.n_outputs == 1 else scores, labels).backward()
                optimizer.step()
                steps += 1
                if steps == self.settings["steps"]:
                    break

    def _scores(self, rows: Any) -> Any:
        import torch

        with torch.no_grad():
            return self._model(torch.as_tensor(rows, dtype=torch.float32)).double().numpy()


def sampled(sampling_rate: float, n_rows: int) -> tuple[int, float]:
    """Return the rows of a batch, and the rate at which Opacus then draws each row into a step.

    Opacus draws at one over the number of batches of the loader, which rounds up: of 1,000 rows in batches of 400 it
    makes 3, and draws a third. Noise for 0.4 would be more than the guarantee needs.
    """
    size = min(n_rows, max(1, round(sampling_rate * n_rows)))
    return size, 1 / math.ceil(n_rows / size)


def noise_multiplier(*, epsilon: float, delta: float, steps: int, sampling_rate: float) -> float:
    """Return how many times the clip the noise of one step is, for rows that are added or removed.

    All rows in each step make a composition of Gaussian mechanisms, which is known exactly (Dong, Roth and Su 2022);
    Opacus' own accountant comes within 2 % of it and takes up to a minute. For fewer rows it is asked.
    """
    if sampling_rate >= 1:
        return math.sqrt(steps) / gaussian_mu(epsilon, delta)
    from opacus.accountants.utils import get_noise_multiplier

    return float(
        get_noise_multiplier(
            target_epsilon=epsilon,
            target_delta=delta,
            sample_rate=sampling_rate,
            steps=steps,
            accountant="prv",
            epsilon_tolerance=epsilon / 100,
            eps_error=epsilon / 100,
        )
    )


def gaussian_mu(epsilon: float, delta: float) -> float:
    """Return the largest shift, in deviations, that is (epsilon, delta)-private: Balle and Wang (2018), Theorem 8."""
    from scipy.special import ndtr

    low, high = 1e-12, 1e3
    for _ in range(200):
        middle = math.sqrt(low * high)
        reached = ndtr(middle / 2 - epsilon / middle) - math.exp(epsilon) * ndtr(-middle / 2 - epsilon / middle)
        low, high = (low, middle) if reached > delta else (middle, high)
    return low


def _budget(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: settings[name] for name in ("epsilon", "delta", "steps")}


def logistic(settings: Mapping[str, Any], public: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return logistic regression; nothing is imported while the time runs."""
    import opacus  # noqa: F401
    import scipy.special  # noqa: F401

    return Logistic(settings, public["n_classes"]), Logistic.decision_function


MODELS = {"logistic": logistic}

"""Where an estimator's noise and its data-free draws come from."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from tacit.errors import PrivacyWarning
from tacit.mechanisms import noise_source, public_generator
from tacit.privacy import NoiseSource


def randomness(random_state: Any, *, stacklevel: int = 3) -> tuple[NoiseSource, np.random.Generator]:
    """Return the noise source, and the generator of what does not depend on data.

    ``None`` means secure noise from the operating system, whatever NumPy's seed; anything else means simulated
    noise that can be repeated, with a warning that it protects nobody.
    """
    if random_state is None:
        return noise_source(None), public_generator(None)
    warnings.warn(
        "A random_state makes the noise predictable: the certificate will be simulated. Leave random_state=None for "
        "a model to publish.",
        PrivacyWarning,
        stacklevel=stacklevel,
    )
    return noise_source(random_state), public_generator(random_state)

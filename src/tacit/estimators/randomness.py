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

    Parameters
    ----------
    random_state : None, int, Generator or RandomState
        None means secure noise from the operating system, whatever NumPy's seed; anything else, simulated noise that
        can be repeated.
    stacklevel : int
        Of the warning, so that it points at the caller of ``fit``.

    Warns
    -----
    PrivacyWarning
        Noise that can be repeated can be subtracted, and protects nobody.
    """
    if random_state is None:
        # Both are drawn from the operating system: a seed that a program sets for NumPy must not reach the noise.
        return noise_source(None), public_generator(None)
    warnings.warn(
        "A random_state makes the noise predictable: the certificate will be simulated. Leave random_state=None for "
        "a model to publish.",
        PrivacyWarning,
        stacklevel=stacklevel,
    )
    return noise_source(random_state), public_generator(random_state)

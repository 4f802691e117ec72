"""The only source of randomness: exact samplers to publish, OpenDP's and one for vectors; NumPy's to study.

OpenDP is imported here alone, and only when the first secure noise is drawn.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.metadata import version
from math import ceil, expm1
from os import environ, urandom
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError, PrivacyError
from tacit.mechanisms.exact_samplers import (
    MAX_SCALE,
    MIN_SCALE,
    discrete_gaussian,
    discrete_laplace,
    exponentials,
    integers,
    largest_by_exponential,
    logarithms_hold,
    uniforms,
)
from tacit.privacy import NoiseSource
from tacit.privacy.mechanism import Number

Distribution = Literal["laplace", "gaussian", "permute-and-flip", "exponential-mechanism"]
SAMPLER = "TACIT_SAMPLER"
"""The environment variable that names whose sampler draws secure vectors: "tacit", also if unset, or "opendp"."""

RandomState = int | np.integer[Any] | np.random.Generator | np.random.RandomState | None

_BATCH = 64
"""Vectors of at least so many whole numbers, and permute-and-flip selections among so many, are drawn by the batch
sampler. OpenDP 0.16 needs 5 to 19 microseconds a number: about a millisecond a release below it, and above it most of
what a fit of a hundred releases would wait for."""

_MAX_SCORE = 2.0**500
"""Selections among scores beyond it are left to OpenDP: float64 might overflow."""

# Above it, the table of the discrete Gaussian distribution would grow without being needed for studies.
_TABLED_DEVIATION = 64.0
# Two streams of one seed: public draws that repeated the noise would reveal it.
_NOISE_STREAM, _PUBLIC_STREAM = (1,), (2,)


@final
class SecureNoise:
    """Noise that nobody can know or repeat: exact samplers, fed by the operating system.

    A vector is one call. ``numpy.random.seed`` and every other seed change nothing. With the environment variable
    ``TACIT_SAMPLER=opendp``, as it was when the source was made, OpenDP draws everything but ``integers``, ``uniform``
    and ``exponential``.

    Privacy: distributions are sampled exactly: on all integers for int64 values, on the multiples of the least positive
    float, rounded, for float64 ones. OpenDP draws continuous distributions, the exponential mechanism, and vectors and
    selections of fewer than 64 numbers. Larger vectors of whole numbers, and permute-and-flip among more, at scales in
    the ordinary, are drawn by ``exact_samplers``, provided that NumPy's logarithms are found as accurate as
    their proof assumes. ``check`` asks OpenDP's privacy map, for all.

    Raises ParameterError if ``TACIT_SAMPLER`` is set, but neither "tacit" nor "opendp".
    """

    is_private = True

    def __init__(self) -> None:
        self._only_opendp = _opendp_is_named() or not logarithms_hold()

    @property
    def description(self) -> str:
        """Where the noise comes from, in words."""
        return f"exact samplers of {self._makers()}, fed by the operating system's secure generator"

    @property
    def sampler(self) -> str:
        """Short name for a release record."""
        return f"exact, {self._makers()}"

    def laplace(self, values: NDArray[Number], scale: float) -> NDArray[Number]:
        """Return values plus independent Laplace noise, discrete for int64 values."""
        scale = float(scale)
        if self._is_batch(values, scale):
            return _plus(values, discrete_laplace(_words, values.size, scale).reshape(values.shape))
        return _add("laplace", values, scale)

    def gaussian(self, values: NDArray[Number], deviation: float) -> NDArray[Number]:
        """Return values plus independent Gaussian noise, discrete for int64 values."""
        deviation = float(deviation)  # float32 would round its square
        if self._is_batch(values, deviation):
            return _plus(values, discrete_gaussian(_words, values.size, deviation).reshape(values.shape))
        return _add("gaussian", values, deviation)

    def permute_and_flip(self, scores: NDArray[Any], scale: float) -> int:
        """Return the index of the largest score after exponential noise of mean ``scale``."""
        scale = float(scale)
        if self._chooses(scores, scale):
            return largest_by_exponential(_words, scores, scale)
        return int(_measurement("permute-and-flip", scores.dtype.kind, scale)(_vector(scores)))

    def exponential_mechanism(self, scores: NDArray[Any], scale: float) -> int:
        """Return index i with probability proportional to exp(scores[i] / scale)."""
        return int(_measurement("exponential-mechanism", scores.dtype.kind, float(scale))(_vector(scores)))

    def integers(self, stops: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return independent integers, each uniform on 0 up to and without its stop: exact draws."""
        return integers(_words, stops)

    def uniform(self, size: int) -> NDArray[np.float64]:
        """Return independent numbers uniform on (0, 1): exact draws, each rounded by at most 2^-49 of itself."""
        return uniforms(_words, size)

    def exponential(self, size: int) -> NDArray[np.float64]:
        """Return independent standard exponential numbers: exact draws, each rounded by at most 2^-47 of itself."""
        return exponentials(_words, size)

    def check(self, distribution: Distribution, sensitivity: float, scale: float, loss: float) -> None:
        """Compare a claimed loss with the one that OpenDP proves, before anything is drawn.

        Raises PrivacyError if the claim is too low.
        """
        if not _proved_loss(distribution, sensitivity, scale) <= loss:
            raise PrivacyError(
                f"Expected noise for the claimed loss, got scale={scale!r} for {distribution}. Raise the scale."
            )

    def _makers(self) -> str:
        batches = "" if self._only_opendp else ", vectors by Tacit"
        return f"{_opendp_name()}{batches}"

    def _is_batch(self, values: NDArray[Any], scale: float) -> bool:
        """Return whether noise on these is drawn by the batch sampler."""
        many = values.dtype == np.int64 and values.size >= _BATCH
        return many and self._is_ordinary(scale)

    def _chooses(self, scores: NDArray[Any], scale: float) -> bool:
        """Return whether a choice among these is drawn by the batch sampler."""
        many = scores.dtype in (np.int64, np.float64) and scores.size >= _BATCH
        return bool(many and self._is_ordinary(scale) and np.abs(scores.astype(np.float64)).max() <= _MAX_SCORE)

    def _is_ordinary(self, scale: float) -> bool:
        return not self._only_opendp and MIN_SCALE <= scale <= MAX_SCALE


@final
class SimulatedNoise:
    """Noise from a NumPy generator, repeatable: for studies and tests, never to publish.

    Integers get the discrete Laplace distribution (a difference of geometric draws), and the discrete Gaussian
    distribution from a table up to deviation 64; above that a rounded Gaussian, whose variance is larger by 1/12.

    Privacy: none, as the noise can be computed from the seed and subtracted.

    Raises ParameterError if it is none of these.
    """

    is_private = False
    description = "NumPy's generator from a seed: simulated, can be repeated"
    sampler = "simulated"

    def __init__(self, random_state: int | np.integer[Any] | np.random.Generator | np.random.RandomState) -> None:
        self._generator = _generator(random_state, _NOISE_STREAM)

    def laplace(self, values: NDArray[Number], scale: float) -> NDArray[Number]:
        """Return values plus independent Laplace noise, discrete for int64 values."""
        if values.dtype.kind == "f":
            return _plus(values, self._generator.laplace(0.0, scale, values.shape))
        # A difference of two geometric numbers has the discrete Laplace distribution.
        stop = -expm1(-1 / scale)
        up, down = self._generator.geometric(stop, (2, *values.shape))
        return _plus(values, up - down)

    def gaussian(self, values: NDArray[Number], deviation: float) -> NDArray[Number]:
        """Return values plus independent Gaussian noise, discrete for int64 values."""
        if values.dtype.kind == "f":
            return _plus(values, self._generator.normal(0.0, deviation, values.shape))
        if deviation > _TABLED_DEVIATION:
            return _plus(values, np.rint(self._generator.normal(0.0, deviation, values.shape)).astype(np.int64))
        # Beyond 13 deviations lies less than 1e-37 of the distribution: no double draws it.
        reach = ceil(13 * deviation) + 1
        cumulated = np.cumsum(np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * deviation**2)))
        draws = self._generator.random(values.shape) * cumulated[-1]
        return _plus(values, np.searchsorted(cumulated, draws, side="right") - reach)

    def permute_and_flip(self, scores: NDArray[Any], scale: float) -> int:
        """Return the index of the largest score after exponential noise of mean ``scale``."""
        return int(np.argmax(scores + self._generator.exponential(scale, scores.shape)))

    def exponential_mechanism(self, scores: NDArray[Any], scale: float) -> int:
        """Return index i with probability proportional to exp(scores[i] / scale)."""
        return int(np.argmax(scores + self._generator.gumbel(0.0, scale, scores.shape)))

    def integers(self, stops: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return independent integers, each uniform on 0 up to and without its stop."""
        return np.asarray(self._generator.integers(0, stops))

    def uniform(self, size: int) -> NDArray[np.float64]:
        """Return independent numbers in (0, 1), of 53 random bits."""
        return _open_uniform(self._generator.integers(0, 2**53, size, dtype=np.uint64))

    def exponential(self, size: int) -> NDArray[np.float64]:
        """Return independent standard exponential numbers."""
        return np.asarray(-np.log(self.uniform(size)))


def noise_source(random_state: RandomState) -> NoiseSource:
    """Return secure noise for None, simulated noise for anything else.

    Raises ParameterError if it is neither None, an integer, a Generator nor a RandomState.
    """
    return SecureNoise() if random_state is None else SimulatedNoise(random_state)


def public_generator(random_state: RandomState) -> np.random.Generator:
    """Return a generator for draws that nothing secret depends on, such as random classifiers.

    From the operating system's entropy for None. A seed gives another stream here than to ``SimulatedNoise``, so
    that public draws do not repeat the noise.

    Privacy: never for noise on a statistic.
    """
    return np.random.default_rng() if random_state is None else _generator(random_state, _PUBLIC_STREAM)


def own_generator(generator: np.random.Generator) -> np.random.Generator:
    """Return a generator of its own for one of several runs, whatever the others draw.

    Each takes the same few numbers from the given one. Privacy: never for noise on a statistic.

    Examples
    --------
    >>> first, second = (own_generator(public_generator(0)) for _ in range(2))
    >>> first.integers(9, size=5).tolist() == second.integers(9, size=5).tolist()
    True
    """
    return np.random.default_rng(generator.integers(2**63, size=4))


def check_claim(noise: NoiseSource, distribution: Distribution, sensitivity: float, scale: float, loss: float) -> None:
    """Let secure noise verify that its distribution at this scale costs no more than claimed."""
    if isinstance(noise, SecureNoise):
        noise.check(distribution, sensitivity, scale, loss)


def _generator(random_state: object, stream: tuple[int, ...]) -> np.random.Generator:
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31, size=4))
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool) and random_state >= 0:
        return np.random.default_rng(np.random.SeedSequence(int(random_state), spawn_key=stream))
    raise ParameterError(
        "Expected None, a non-negative integer, a Generator or a RandomState, "
        f"got random_state of type {type(random_state).__name__}. Use None for noise that may be published."
    )


def _opendp_is_named() -> bool:
    named = environ.get(SAMPLER, "tacit")
    if named not in ("tacit", "opendp"):
        raise ParameterError(
            f"Expected the environment variable {SAMPLER} to be 'tacit' or 'opendp', got {SAMPLER}={named!r}. "
            "Without it, it is 'tacit'."
        )
    return named == "opendp"


def _words(size: int) -> NDArray[np.uint64]:
    """Return independent uniform words of 64 bits from the operating system's generator."""
    # Straight from the operating system: no state in this process that a copy or a fork could repeat.
    return np.frombuffer(urandom(8 * size), dtype=np.uint64)


def _open_uniform(integers: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return (k + 1/2) / 2**53 for integers k below 2**53, so that neither end is ever drawn."""
    return np.asarray(np.minimum((integers + 0.5) * 2.0**-53, 1 - 2.0**-53))


def _plus(values: NDArray[Number], noise: NDArray[Any]) -> NDArray[Number]:
    return np.asarray(values + noise, dtype=values.dtype)


def _add(distribution: Distribution, values: NDArray[Number], scale: float) -> NDArray[Number]:
    """Add noise in one call; a scalar goes as a vector of one."""
    answer = _measurement(distribution, values.dtype.kind, scale)(_vector(values))
    return np.array(answer, dtype=values.dtype).reshape(values.shape)


def _vector(values: NDArray[Any]) -> NDArray[Any]:
    """Return a writable copy as one row, as OpenDP refuses read-only arrays."""
    return np.array(values, order="C").ravel()


@lru_cache(maxsize=64)
def _measurement(distribution: Distribution, kind: str, scale: float) -> Any:
    """Return OpenDP's measurement for vectors of float64 (kind "f") or int64 (kind "i")."""
    dp = _opendp()
    number = float if kind == "f" else "i64"
    atoms = {"T": number, "nan": False} if kind == "f" else {"T": number}
    domain = dp.domains.vector_domain(dp.domains.atom_domain(**atoms))
    if distribution == "laplace":
        return dp.measurements.make_laplace(domain, dp.metrics.l1_distance(T=number), scale)
    if distribution == "gaussian":
        return dp.measurements.make_gaussian(domain, dp.metrics.l2_distance(T=number), scale)
    pure = distribution == "permute-and-flip"
    measure = dp.measures.max_divergence() if pure else dp.measures.zero_concentrated_divergence()
    return dp.measurements.make_noisy_max(domain, dp.metrics.linf_distance(T=number), measure, scale)


@lru_cache(maxsize=256)
def _proved_loss(distribution: Distribution, sensitivity: float, scale: float) -> float:
    """Return the loss that OpenDP's privacy map proves; kept, as the releases of one plan often are alike."""
    # Noisy maximum: OpenDP doubles the distance for scores that move apart; a range is that doubled distance.
    distance = sensitivity if distribution in ("laplace", "gaussian") else sensitivity / 2
    return float(_measurement(distribution, "f", scale).map(distance))


@cache
def _opendp_name() -> str:
    return f"OpenDP {version('opendp')}"


@cache
def _opendp() -> Any:
    # Not its prelude, which imports scikit-learn, SciPy's statistics and data frames for what is not used here.
    import opendp.domains
    import opendp.measurements
    import opendp.measures
    import opendp.metrics
    import opendp.mod

    # Global to the process: these constructors carry no other flag.
    opendp.mod.enable_features("contrib")
    return opendp

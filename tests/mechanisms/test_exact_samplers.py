"""Exact samplers decide by float64 where its error allows it, else by more bits: by hand, and to the last bit."""

import decimal
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import islice, pairwise
from math import floor, log

import numpy as np
import pytest
from scipy import stats

from harness.noise import frequency_p_value, permute_and_flip_probabilities
from tacit.mechanisms import SecureNoise, exact_samplers, noise
from tacit.mechanisms.exact_samplers import (
    MAX_SCALE,
    MIN_SCALE,
    RELATIVE,
    SLACK,
    ExactExponentials,
    discrete_gaussian,
    discrete_laplace,
    exponentials,
    largest_by_exponential,
    logarithms_hold,
    uniforms,
)

LEVEL = 1e-6
ENOUGH = 2**64 - 1


class Script:
    """Words in the order in which they will be asked for; more of them fail."""

    def __init__(self, *words):
        self._words = iter(words)

    def __call__(self, size):
        found = np.fromiter(islice(self._words, size), dtype=np.uint64)
        assert len(found) == size, "more words were asked for than expected"
        return found

    @property
    def left(self):
        return len(list(self._words))


class Seeded:
    """First words from one generator, all that is drawn later from another, so that both ways see the same draws."""

    def __init__(self, seed):
        self._first, self._later = np.random.default_rng(seed), np.random.default_rng(seed + 1)

    def __call__(self, size):
        generator = self._first if size > 1 else self._later
        return generator.integers(0, ENOUGH, size, dtype=np.uint64, endpoint=True)


def digits(probability, words):
    """Return the leading binary digits of a Decimal in (0, 1), as words of 64."""
    with localcontext() as context:
        context.prec = 120
        whole = int(probability * 2 ** (64 * words))
    return [(whole >> (64 * (words - 1 - at))) & ENOUGH for at in range(words)]


def precise_exp(exponent):
    with localcontext() as context:
        context.prec = 120
        return (Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()


def test_draws_by_hand():
    """U = 1/2 and 1/4: E = 0.693 and 1.386."""
    draws = ExactExponentials(Script(2**63, 2**62), 2)
    assert np.allclose(draws.middle, [log(2), log(4)], rtol=1e-15)
    assert (draws.radius < 2e-14).all()


def test_laplace_by_hand():
    """10 E is 6.93 and 13.86, so 6 - 13."""
    assert discrete_laplace(Script(2**63, 2**62), 1, 10.0).tolist() == [-7]


def test_gaussian_by_hand():
    """Deviation 1.5: proposals of scale 2, 2 E being 1.39 and 4.16 for U = 1/2 and 1/8, so 1 - 4 = -3.

    It is kept where E exceeds (3 - 1.125)^2 / 4.5 = 0.78: for U = 1/4, not for 1/2; then 1 - 1 = 0 comes, and needs
    1.125^2 / 4.5 = 0.28.
    """
    half = 2**63
    assert discrete_gaussian(Script(half, half // 4, half // 2), 1, 1.5).tolist() == [-3]
    assert discrete_gaussian(Script(half, half // 4, half, half, half, half), 1, 1.5).tolist() == [0]


@pytest.mark.parametrize("words", [[0], [1], [2**40], [2**53 + 1], [2**63], [ENOUGH - 2**12], [ENOUGH]])
def test_a_draw_lies_in_its_brackets_and_these_narrow(words):
    draws = ExactExponentials(Script(*words, 12345, 2**63), 1)
    brackets = list(islice(draws.brackets(0), 3))
    for (low, high), (least, most) in pairwise(brackets):
        assert low <= least < most <= high
    low, high = brackets[0]
    assert float(low) >= draws.middle[0] - draws.radius[0]
    assert float(high) <= draws.middle[0] + draws.radius[0]
    least, most = brackets[-1]
    assert most - least < Decimal(2) ** -60


def test_brackets_are_those_of_the_uniform():
    """exp(-E) of a bracket's ends, to 40 digits, encloses the interval of the word, and little else."""
    for word in np.random.default_rng(0).integers(1, ENOUGH, 200, dtype=np.uint64).tolist():
        low, high = next(ExactExponentials(Script(word), 1).brackets(0))
        with localcontext() as context:
            context.prec = 60
            bottom, top = (-high).exp() * 2**64, (-low).exp() * 2**64
            assert word - Decimal("1e-20") < bottom <= word
            assert word + 1 <= top < word + 1 + Decimal("1e-20")


def test_a_middle_is_eight_times_as_good_as_its_radius():
    """NumPy's logarithm, whatever instructions it uses here, against one of 60 digits."""
    generator = np.random.default_rng(1)
    words = generator.integers(0, ENOUGH, 4_000, dtype=np.uint64) >> generator.integers(0, 63, 4_000).astype(np.uint64)
    near_one = np.uint64(ENOUGH) - (np.uint64(1) << np.arange(64, dtype=np.uint64)) + np.uint64(1)
    words = np.maximum(np.concatenate([words, near_one]), np.uint64(1))
    draws = ExactExponentials(lambda size: words, len(words))
    with localcontext() as context:
        context.prec = 60
        whole = Decimal(2**64).ln()
        for word, middle in zip(words.tolist(), draws.middle.tolist(), strict=True):
            error = abs(Decimal(middle) - (whole - Decimal(word).ln()))
            assert error <= Decimal(SLACK / 8) * (1 + Decimal(middle)), word


HARD_WORDS = [
    *(2**bits + extra for bits in (0, 10, 30, 46, 48, 49, 50, 62, 63) for extra in (0, 1)),
    *(2**64 - 2**bits - extra for bits in (0, 10, 30, 46, 48, 49, 50, 62) for extra in (0, 1) if bits or not extra),
    *np.random.default_rng(2).integers(0, ENOUGH, 500, dtype=np.uint64).tolist(),
    0,
]


@pytest.mark.parametrize("following", [[1, 0, 5], [ENOUGH, ENOUGH, 5], [0, 3, 7], [2**63, 1, 1]])
def test_numbers_are_as_good_near_zero_and_far_out_as_anywhere(following):
    """First words near both ends, against logarithms of the same bits to 60 digits: of all bits drawn, and more."""
    for word in HARD_WORDS:
        known = word
        for more in following:
            known = (known << 64) + more
        with localcontext() as context:
            context.prec = 100
            scale = Decimal(2) ** (64 * (1 + len(following)))
            uniform = (Decimal(known) + Decimal("0.5")) / scale
            number = -uniform.ln()
            [found] = exponentials(Script(word, *following), 1).tolist()
            assert abs(Decimal(found) - number) <= number * Decimal(RELATIVE), word
            [found] = uniforms(Script(word, *following), 1).tolist()
            assert abs(Decimal(found) - uniform) <= uniform * Decimal(2) ** -49 and 0 < found < 1, word


def test_numbers_have_their_distributions():
    words = Seeded(3)
    assert stats.kstest(exponentials(words, 20_000), "expon").pvalue > LEVEL
    assert stats.kstest(uniforms(words, 20_000), "uniform").pvalue > LEVEL
    assert stats.kstest(1.05 * exponentials(words, 20_000), "expon").pvalue < LEVEL


def test_what_a_program_sets_for_decimal_numbers_changes_nothing(monkeypatch):
    def brackets():
        logarithms_hold.cache_clear()
        return list(islice(ExactExponentials(Script(7, 9, 0), 1).brackets(0), 3)), logarithms_hold()

    before, default = brackets(), decimal.DefaultContext
    monkeypatch.setitem(default.traps, decimal.Inexact, True)
    monkeypatch.setitem(default.flags, decimal.Rounded, True)
    for name, value in {"prec": 3, "Emin": -2, "Emax": 2, "clamp": 1, "rounding": decimal.ROUND_UP}.items():
        monkeypatch.setattr(default, name, value)
    with localcontext(decimal.Context()):
        assert brackets() == before


@pytest.mark.parametrize(
    ("scale", "steps"), [(1.0, 1), (31.1, 40), (0.37, 2), (5e7 + 0.1, 10**8), (2.0**36, 2**36 + 7)]
)
def test_a_geometric_draw_is_decided_to_the_last_bit(scale, steps):
    """P(floor(scale E) >= k) = exp(-k / scale): U a few units of the 128th digit below or above that decides."""
    bound = precise_exp(-steps / Fraction(scale))
    first, second = digits(bound, 2)
    half = 2**63
    other = floor(scale * log(2))
    for words, answer in (
        ([first, half, second - 2], steps),
        ([first, half, second + 2], steps - 1),
        ([first - 1, half], steps),
        ([first + 1, half], steps - 1),
    ):
        script = Script(*words)
        assert discrete_laplace(script, 1, scale).tolist() == [answer - other]
        assert script.left == 0


@pytest.mark.parametrize(
    ("deviation", "word"), [(0.7, 2**62), (3.3, 2**62), (1000.1, 2**62), (3.3, 2**52), (1000.1, 2**51)]
)
def test_a_gaussian_proposal_is_kept_to_the_last_bit(deviation, word):
    """U is below exp(-(|k| - deviation^2 / scale)^2 / (2 deviation^2)), or above, by a few units of the 128th digit.

    The second words propose numbers of nine deviations, which only a draw of about 40 keeps.
    """
    half, exact = 2**63, Fraction(deviation) ** 2
    scale = floor(deviation) + 1
    proposed = floor(scale * -log(word / 2**64)) - floor(scale * log(2))
    bound = precise_exp(-((abs(proposed) - exact / scale) ** 2) / (2 * exact))
    first, second = digits(bound, 2)
    kept = Script(word, half, first, second - 2)
    assert discrete_gaussian(kept, 1, deviation).tolist() == [proposed]
    assert kept.left == 0
    again = Script(word, half, first, second + 2, half, half, *digits(Decimal(1) / 1000, 1))
    assert discrete_gaussian(again, 1, deviation).tolist() == [0]
    assert again.left == 0


def test_equal_first_words_are_told_apart_by_the_next():
    """The smaller U has the larger E."""
    scores = np.asarray([1.0, 1.0, -1e9])
    for words, larger in (([7, 9], 0), ([9, 7], 1), ([5, 5, 9, 7], 1)):
        assert largest_by_exponential(Script(*[2**60] * 3, *words), scores, 2.0) == larger


SCORES = {
    "one apart": ([0.0, 0.75], 1.0),
    "far behind": ([3.3, -80.1], 2.7),
    "further behind": ([3.3, -180.1], 2.7),
    "a large scale": ([-5.0, 7e5], 2.0**20 + 0.1),
    "a large scale, not far apart": ([0.0, 333.3], 2.0**20 + 0.1),
    "a larger scale, not far apart": ([1e9, 1.2e9], 1e12 + 0.1),
    "integers beyond float64": ([2**62 + 1, 2**62 + 334], 100.1),
    "integers at both ends": ([-(2**63), 2**63 - 1], 2.0**62),
    "huge and alike": ([1e100, 1e100], 1e90),
    "nearly alike": ([0.1, 0.1 + 2.0**-56], 2.0**-53),
}


@pytest.mark.parametrize("case", SCORES)
def test_a_selection_is_decided_to_the_last_bit(case):
    """Two candidates, U = 1/2 for the first; the second wins if U_1 < U_0 exp((q_1 - q_0)/s)."""
    scores, scale = SCORES[case]
    scores, half = np.asarray(scores), 2**63
    lead = (Fraction(scores[1].item()) - Fraction(scores[0].item())) / Fraction(scale)
    with localcontext() as context:
        context.prec = 120
        bound = precise_exp(lead) / 2
    if bound > 1:  # no noise of the second is small enough: exponential noise is never negative
        assert largest_by_exponential(Script(half, ENOUGH), scores, scale) == 1
        return
    first, second = digits(bound, 2)
    for off, winner in ((-50, 1), (50, 0)):
        leading, trailing = divmod((first << 64) + second + off, 2**64)
        script = Script(half, leading, 0, trailing)
        assert largest_by_exponential(script, scores, scale) == winner
        assert script.left == 0
    if 9 < first < ENOUGH - 9:
        assert largest_by_exponential(Script(half, first - 9), scores, scale) == 1
        assert largest_by_exponential(Script(half, first + 9), scores, scale) == 0


@pytest.mark.parametrize("score", [0, 2**62, -(2**63), 1e-300, -1e150])
def test_ties_are_as_easy_however_large_they_are(monkeypatch, score):
    """Else time would tell of the scores."""

    def refuse(*_):
        raise AssertionError("left to exact arithmetic")

    monkeypatch.setattr(exact_samplers, "_scaled", refuse)
    assert largest_by_exponential(Script(2**62, 2**61, 2**63), np.asarray([score] * 3), 0.1) == 1


def test_a_first_word_of_zero_is_no_trap():
    """U near 0: E of at least 44."""
    scores, half = np.asarray([0.0, 80.0]), 2**63
    assert largest_by_exponential(Script(0, half, half, half), scores, 1.0) == 1
    assert largest_by_exponential(Script(0, half, 5, half), scores, 1.0) == 0  # E = 128 ln 2 - ln 5 = 87.1


def test_frequencies_of_selections():
    scores, words = np.asarray([4, 1, 3, 3]), Seeded(4)
    observed = np.bincount([largest_by_exponential(words, scores, 2.0) for _ in range(20_000)], minlength=4)
    assert frequency_p_value(observed, permute_and_flip_probabilities(scores, 2.0)) > LEVEL
    assert frequency_p_value(observed, permute_and_flip_probabilities(scores, 2.2)) < LEVEL


WAYS = {
    "laplace": lambda words, scale: discrete_laplace(words, 300, scale).tolist(),
    "gaussian": lambda words, scale: discrete_gaussian(words, 300, scale).tolist(),
    "exponential": lambda words, scale: [
        largest_by_exponential(words, np.linspace(0, 5 * scale, 12), scale) for _ in range(25)
    ],
}


@pytest.mark.parametrize("scale", [0.6, 31.1, 5e7])
@pytest.mark.parametrize("way", WAYS)
def test_float64_decides_as_exact_arithmetic_does(monkeypatch, way, scale):
    """With a bound on the error so wide that it leaves every decision open."""
    fast = WAYS[way](Seeded(1), scale)
    monkeypatch.setattr(exact_samplers, "SLACK", 1e9)
    assert WAYS[way](Seeded(1), scale) == fast


@pytest.mark.parametrize("scale", [0.25, 1.0, 6.7])
@pytest.mark.parametrize("distribution", ["laplace", "gaussian"])
def test_frequencies(distribution, scale):
    points = np.arange(-60, 61)
    size = 200_000
    draw = {"laplace": discrete_laplace, "gaussian": discrete_gaussian}[distribution]

    def weights(at):
        found = np.exp(-np.abs(points) / at if distribution == "laplace" else -(points**2) / (2 * at**2))
        return found / found.sum()

    observed = np.bincount(np.clip(draw(Seeded(3), size, scale), -60, 60) + 60, minlength=121)
    likely = weights(scale) * size > 5
    observed, expected = (np.append(each[likely], each[~likely].sum()) for each in (observed, weights(scale)))
    assert frequency_p_value(observed, expected) > LEVEL
    wrong = weights(scale * 1.05)
    assert frequency_p_value(observed, np.append(wrong[likely], wrong[~likely].sum())) < LEVEL


def test_large_noise_has_its_quantiles():
    """P(|k| > scale ln 2) is a half, at scales that leave decisions to exact arithmetic now and then."""
    for scale in (5e9, MAX_SCALE):
        above = np.abs(discrete_laplace(Seeded(5), 20_000, scale)) > scale * log(2)
        assert abs(above.mean() - 0.5) < 5 * 0.5 / 20_000**0.5


def test_the_least_scale_gives_no_noise():
    assert not discrete_laplace(Seeded(6), 1_000, MIN_SCALE).any()
    assert not discrete_gaussian(Seeded(6), 1_000, MIN_SCALE).any()


@pytest.mark.parametrize("method", ["laplace", "gaussian"])
@pytest.mark.parametrize("scale", [MIN_SCALE / 2, MAX_SCALE * 2])
def test_scales_out_of_the_ordinary_are_opendps(monkeypatch, method, scale):
    asked = []
    monkeypatch.setattr(noise, "_add", lambda distribution, values, at: asked.append((distribution, at)))
    getattr(SecureNoise(), method)(np.zeros(1_000, dtype=np.int64), scale)
    assert asked == [(method, scale)]


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_scales_are_float64_before_anything_is_computed(monkeypatch, name):
    """The square of a float32 would be rounded to 24 bits, and the distribution be another."""
    asked = []
    monkeypatch.setattr(
        noise, f"discrete_{name}", lambda words, size, scale: asked.append(scale) or np.zeros(size, dtype=np.int64)
    )
    for scale in (np.float32(0.7), np.int64(3), 5):
        getattr(SecureNoise(), name)(np.zeros(1_000, dtype=np.int64), scale)
    assert asked == [float(np.float32(0.7)), 3.0, 5.0]
    assert all(type(scale) is float for scale in asked)


@pytest.mark.parametrize("dtype", [np.int32, np.uint64, np.float32, np.longdouble])
def test_numbers_of_other_types_are_not_drawn_for(monkeypatch, dtype):
    """The proof speaks of int64 and float64."""
    monkeypatch.setattr(noise, "_words", lambda size: 1 / 0)
    for method in ("laplace", "gaussian", "permute_and_flip", "exponential_mechanism"):
        with pytest.raises(TypeError, match="dtype"):
            getattr(SecureNoise(), method)(np.zeros(1_000, dtype=dtype), 1.0)


def test_sums_are_taken_modulo_2_to_the_64():
    top = np.full(1_000, 2**63 - 1)
    noisy = SecureNoise().laplace(top, 10.0)
    assert (noisy > 0).any()
    assert (noisy < 0).any()  # 2^63 - 1 + k for k > 0
    assert (np.abs((noisy.view(np.uint64) - top.view(np.uint64)).view(np.int64)) < 1_000).all()


@pytest.mark.parametrize("method", ["laplace", "gaussian"])
def test_no_values_get_no_noise(method):
    assert getattr(SecureNoise(), method)(np.zeros((0, 3), dtype=np.int64), 1.0).shape == (0, 3)


def test_no_draw_is_used_twice(monkeypatch):
    """Each word that a draw needs is asked for once: two for a Laplace number, one for a candidate."""
    sizes = []
    monkeypatch.setattr(noise, "urandom", lambda size: sizes.append(size) or np.random.default_rng(7).bytes(size))
    SecureNoise().laplace(np.zeros((100, 20), dtype=np.int64), 3.0)
    SecureNoise().permute_and_flip(np.zeros(1_500), 3.0)
    assert sizes == [8 * 4_000, 8 * 1_500]


@pytest.mark.parametrize("off", [0.0, 1e-13, -1e-13, float("nan")])
def test_the_logarithms_of_this_machine_are_measured(monkeypatch, off):
    """A logarithm that is off by ten times what the proof allows, anywhere among a thousand words, is noticed."""
    log_of = np.log

    def skewed(values):
        found = log_of(values)
        found[len(found) // 2] += off
        return found

    monkeypatch.setattr(exact_samplers.np, "log", skewed)
    logarithms_hold.cache_clear()
    assert logarithms_hold() == (off == 0.0)
    assert ("Tacit" in SecureNoise().sampler) == (off == 0.0)
    monkeypatch.undo()
    logarithms_hold.cache_clear()
    assert logarithms_hold()


@pytest.mark.parametrize(("name", "off"), [("log1p", 1e-13), ("log1p", float("nan")), ("log", 1e-13)])
def test_where_logarithms_do_not_hold_numbers_come_from_decimals(monkeypatch, name, off):
    real = getattr(np, name)
    monkeypatch.setattr(exact_samplers.np, name, lambda values: real(values) * (1 + off))
    logarithms_hold.cache_clear()
    assert not logarithms_hold()
    half, quarter = exponentials(Script(2**63, 2**62, *[0] * 4), 2).tolist()
    assert half == pytest.approx(log(2), rel=1e-15) and quarter == pytest.approx(log(4), rel=1e-15)
    monkeypatch.undo()
    logarithms_hold.cache_clear()
    assert logarithms_hold()

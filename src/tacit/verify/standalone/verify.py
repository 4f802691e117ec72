"""Recompute the claim of a model's privacy certificate (version 2) from the model's file alone.

`python verify.py model.json [--json]` says yes or no and why. Exit status: 0 if the claim holds, 1 if it does not or
nothing is promised, 2 if the file cannot be read or the claim cannot be recomputed. As a module: `certificate_of`
takes the certificate out of the text of a file, and `check` recomputes its claim.
"""

import argparse
import hashlib
import json
import math
import re
import sys
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from types import SimpleNamespace

MAX_FILE = 64 * 2**20  # bytes
DEEPEST = 200  # levels of lists and objects
MAX_VALUES = 1_000_000  # more than the format allows, so that memory is bounded
SHOWN = 20  # sentences of one sort that are printed
TOLERANCE = Fraction(1, 10**9)  # between figures that should be equal or within each other
_near = partial(math.isclose, rel_tol=float(TOLERANCE))  # of two figures that should be equal
LOSS_TOLERANCE = 1e-6  # between a loss and what its mechanism costs, and a sensitivity and what its basis gives
PART = 0.99  # of a budget, for the noise of the K-norm and objective mechanisms


class BadInput(ValueError):
    """The file or the certificate has not the form that the format prescribes."""


@dataclass(frozen=True)
class Result:
    """What was claimed and what follows from the limits; `faults`, and what is `unknown`, being taken as stated."""

    status: str
    claimed_epsilon: float
    claimed_delta: float
    epsilon: float | None
    delta: float | None
    faults: tuple[str, ...]
    unknown: tuple[str, ...]
    holds: bool  # never of a simulated certificate, whose arithmetic may be without faults


# Normal tails. With the density f, M(t) = P(Z > t) / f(t) falls slowly, and K(t) = 1 - t M(t) = -M'(t) is above 0.

ROOT_TWO = math.sqrt(2.0)
LOG_ROOT_TWO_PI = 0.5 * math.log(2.0 * math.pi)
EIGHT = (  # nodes and weights of Gauss-Legendre quadrature, one side
    (0.1834346424956498, 0.3626837833783620), (0.5255324099163290, 0.3137066458778873),
    (0.7966664774136267, 0.2223810344533745), (0.9602898564975363, 0.1012285362903763),
)  # fmt: skip
FAR_LEFT = -8.0  # below, P(Z > t) is 1 but for 1e-15, and M would overflow


def _mills(t: float) -> tuple[float, float]:
    """Return M(t) and K(t), for t of at least FAR_LEFT."""
    if t < 3.0:
        tail = math.sqrt(0.5 * math.pi) * math.erfc(t / ROOT_TWO) * math.exp(0.5 * t * t)
        return tail, 1.0 - t * tail
    rest = t  # M = 1 / (t + 1 / (t + 2 / (t + 3 / ...))), which needs no difference of numbers that are nearly equal
    for k in range(int(12 + 700 / (t * t)), 1, -1):
        rest = t + k / rest
    tail = 1.0 / (t + 1.0 / rest)
    return tail, tail / rest


def _log_normal_delta(epsilon: float, m: float) -> tuple[float, float]:
    """Return log(u - v), the delta of one Gaussian release, and b = v / (u - v), at an epsilon of at least 0."""
    y = epsilon / m - 0.5 * m
    if y < FAR_LEFT:  # then m > 16, and v is below 1e-14
        u = 0.5 * math.erfc(y / ROOT_TWO)
        v = math.exp(-0.5 * y * y - LOG_ROOT_TWO_PI) * _mills(y + m)[0]
        return math.log(u - v), v / (u - v)
    # u = f(y) M(y) and v = f(y) M(y + m). Where they are close, their difference is integrated: it is of K, above 0.
    if m < 0.5:
        half = 0.5 * m
        points = ((half * (1.0 + n), half * (1.0 - n), w) for n, w in EIGHT)
        difference = half * sum(w * (_mills(y + a)[1] + _mills(y + b)[1]) for a, b, w in points)
    else:
        difference = _mills(y)[0] - _mills(y + m)[0]
    if not difference > 0.0:  # so far out that the numbers underflow
        return -math.inf, math.inf
    return -0.5 * y * y - LOG_ROOT_TWO_PI + math.log(difference), _mills(y + m)[0] / difference


def _log_excess(epsilon: float, m: float) -> float:
    """Return log E max(Z - epsilon, 0), Z normal of mean m^2 / 2 and deviation m."""
    y = epsilon / m - 0.5 * m
    if y < FAR_LEFT:
        return math.log(m) + math.log(math.exp(-0.5 * y * y - LOG_ROOT_TWO_PI) - 0.5 * y * math.erfc(y / ROOT_TWO))
    curvature = _mills(y)[1]
    return math.log(m) - 0.5 * y * y - LOG_ROOT_TWO_PI + math.log(curvature) if curvature > 0.0 else -math.inf


# From rho to epsilon: curves say log delta at an epsilon, and fall as it grows.


def _log_zcdp_delta(rho: float, epsilon: float) -> float:
    """Return log D(rho, epsilon). Each order a = t + 1 gives a true bound, so that an inexact one errs upwards."""
    if rho <= 0.0:
        return -math.inf
    # The slope in t is concave and rises: Newton's steps from a point left of its zero stay left of it.
    t = min(1.0, 1.0 / math.expm1(min(max(3.0 * rho - epsilon, 1e-9), 700.0)))
    t = max(t, min(0.5 * (epsilon / rho - 1.0), 1e150))
    for _ in range(200):
        slope = (2.0 * t + 1.0) * rho - epsilon - math.log1p(1.0 / t)
        step = -slope / (2.0 * rho + 1.0 / (t * (t + 1.0)))
        t = max(t + step, 0.001 * t)
        if not abs(step) > 1e-11 * t:
            break
    value = t * ((t + 1.0) * rho - epsilon) - t * math.log1p(1.0 / t) - math.log1p(t)
    return 0.0 if math.isnan(value) else min(value, 0.0)


def _log_last_delta(before: float, last: float, epsilon: float) -> float:
    """Return log H(epsilon). Each x gives a true bound, so that an inexact one errs upwards."""
    m = math.sqrt(2.0 * last)
    low, high = 0.0, epsilon if before > 0.0 else 0.0
    for _ in range(60):  # x - (2 b + 1) before rises with x; at the end `high` is right of its zero, or epsilon
        if high - low <= 1e-10 * high:
            break
        x = 0.5 * (low + high)
        b = _log_normal_delta(epsilon - x, m)[1]
        low, high = (x, high) if x < (2.0 * b + 1.0) * before else (low, x)
    value, b = _log_normal_delta(epsilon - high, m)
    if before > 0.0:
        value += b * ((b + 1.0) * before - high)
    return math.inf if math.isnan(value) else value + math.log1p(2.0**-16)


def _curve(loss: float, gaussian: float, one_in: int | None, d: float, epsilon: float) -> float:
    """Return log delta at an epsilon, of a limit in rho, as E, G or R have it."""
    if one_in is not None:
        log_n = math.log(one_in)
        more = log_n if log_n < loss else 2.0 * math.sqrt(loss * log_n) - loss
        if epsilon < more or (epsilon == more and loss > 0.0):
            return math.inf
        return math.log((one_in - 1) / log_n) + _log_zcdp_delta(loss, epsilon - more)
    value = _log_zcdp_delta(loss, epsilon)
    if gaussian > 0.0 and d >= 1e-15 and epsilon >= 0.001 and value > math.log(d):  # else H changes nothing
        value = min(value, _log_last_delta(max(loss - gaussian, 0.0), gaussian, epsilon))
    return value


def _least(curve, log_d: float) -> float:
    """Return the least epsilon of at least 0 at which a falling curve is at most `log_d`, rounded up."""
    if curve(0.0) <= log_d:
        return 0.0
    low, high = 0.0, 0.001
    while curve(high) > log_d:
        low, high = high, 2.0 * high
        if high > 1e300:
            return math.inf
    for _ in range(1200):
        middle = 0.5 * (low + high)
        if high - low <= 1e-13 * high or not low < middle < high:
            break
        low, high = (middle, high) if curve(middle) > log_d else (low, middle)
    return high


@lru_cache(maxsize=65536)
def _rho_to_epsilon(loss: float, gaussian: float, one_in: int | None, d: float) -> float:
    """Return E(loss, d), G(loss - gaussian, gaussian, d) or, with `one_in`, R(loss, d)."""
    return _least(partial(_curve, loss, gaussian, one_in, d), math.log(d))


# Mechanisms: kind of sensitivity, names of the losses in epsilon and in rho. At r = sensitivity / noise scale.

ROWS = (
    (("Laplace", "discrete Laplace"), ("l1", "r", "r tanh(r/2)")),
    (("Gaussian", "thresholded discrete Gaussian"), ("l2", None, "r^2/2")),
    (("discrete Gaussian",), ("l2", None, "discrete")),
    (("thresholded discrete Laplace",), ("l1", "r", None)),
    (("permute-and-flip", "joint permute-and-flip", "weighted noisy max", "weighted exponential mechanism"),
     ("range", "r", "r tanh(r/2)")),
    (("exponential mechanism", "joint exponential mechanism"), ("range", None, "r^2/8")),
    (("exponential mechanism over cells",), ("range", "r", "r^2/8")),
    (("K-norm",), ("gauge", "r/0.99", None)),
    (("K-norm objective perturbation", "divided K-norm objective perturbation"), ("gauge", "K-norm objective", None)),
    (("objective perturbation",), ("l2", "objective", None)),
    (("analytic Gaussian",), ("l2", "analytic", None)),
    (("Gaussian objective perturbation",), ("l2", "Gaussian objective", None)),
)  # fmt: skip
MECHANISMS = {name: row for names, row in ROWS for name in names}
APPROXIMATE = ("analytic Gaussian", "Gaussian objective perturbation")
COUNTED_LAST = ("Gaussian", "discrete Gaussian")  # only these are normal noise, which G takes for granted
PLAIN = {
    "r": lambda r: r,
    "r tanh(r/2)": lambda r: r * math.tanh(0.5 * r),
    "r^2/2": lambda r: 0.5 * r * r,
    "r^2/8": lambda r: 0.125 * r * r,
    "r/0.99": lambda r: r / PART,
}
LAMBDA = re.compile(r"\blambda\s+([0-9.][0-9.eE+-]*)")


def _curvature(release: dict) -> float | None:
    """Return g, what the curvature of an objective costs: 0 if no lambda is named, None if one is no number."""
    try:
        found = [float(text.rstrip(".,")) for text in LAMBDA.findall(release["query"])]
    except ValueError:
        return None
    least, half = min(found, default=math.inf), 0.5 * release["sensitivity"]  # of several the one that costs most
    return None if found and not 0.0 < least < math.inf else math.log1p(0.249 * half * half / least)


def _discrete_gaussian(release: dict, r: float) -> tuple[float, float] | None:
    """Return the least and the largest loss in rho of discrete Gaussian noise."""
    plain, scale = 0.5 * r * r, release["noise_scale"]
    counted_last = release["counted"] == "gaussian"
    if scale <= 2.0:  # no continuous noise is left under the rounding
        return None if counted_last else (plain, plain)
    rounded = 0.5 * (release["sensitivity"] / (scale - 2.0)) * (release["sensitivity"] / (scale + 2.0))
    return (rounded, rounded) if counted_last else (plain, rounded)


def _range_of_loss(release: dict, name: str, r: float) -> tuple[float, float] | None:
    """Return the least and the largest loss that a release may state, or None if there is none."""
    if name in PLAIN:
        return PLAIN[name](r), PLAIN[name](r)
    if name == "discrete":
        return _discrete_gaussian(release, r)
    if name == "K-norm objective":
        if not _near(release["sensitivity"], 2.0):
            return None
        if "logistic objective" in release["query"]:
            return r / PART, r / PART
    g = _curvature(release)
    return None if g is None else ((r + g) / PART, 2.0 * r / PART)


def _fits_normal(release: dict, name: str, r: float) -> bool:
    """Say whether the loss of an approximate Gaussian mechanism is within what it may state, without a search."""
    if not release["delta"] > 0.0 or r == math.inf:
        return False
    if r < 1e-300:  # it costs nothing that a float could hold
        return True
    low, high = release["loss"] * (1.0 - LOSS_TOLERANCE), release["loss"] * (1.0 + LOSS_TOLERANCE)
    log_d = math.log(release["delta"])
    if name == "analytic":
        return _log_normal_delta(high, r)[0] <= log_d and (low <= 0.0 or _log_normal_delta(low, r)[0] >= log_d)
    g = _curvature(release)
    e1 = -1.0 if g is None else high * PART - g
    if e1 < 0.0 or _log_two(lambda e, m: _log_normal_delta(e, m)[0], 0.5 * r, e1) > log_d:
        return False
    e2 = max(0.75 * low * PART, low * PART - 30.0)  # the largest loss, min(e2 / 0.75, e2 + 30) / 0.99, turned round
    return e2 <= 0.0 or _log_two(_log_excess, 0.5 * r, e2) >= log_d


def _log_two(log_f, s: float, epsilon: float) -> float:
    """Return log(f(epsilon, 2 s) + 2 f(epsilon, s)), given log f."""
    low, high = sorted((log_f(epsilon, 2.0 * s), math.log(2.0) + log_f(epsilon, s)))
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


def _check_loss(release: dict, name: str, faults: list, unknown: list) -> None:
    """Compare the loss of a release with what its mechanism costs (check 5)."""
    formula = MECHANISMS[release["mechanism"]][1 if release["currency"] == "epsilon" else 2]
    if formula is None:
        faults.append(f"{name}: {release['mechanism']} has no loss in {release['currency']}.")
        return
    needs_delta = release["mechanism"] in APPROXIMATE or release["mechanism"].startswith("thresholded")
    if needs_delta and not release["delta"] > 0.0 and release["sensitivity"] > 0.0:
        faults.append(f"{name}: {release['mechanism']} has a delta, but none is stated.")
    if release["sensitivity"] == 0.0:  # answered exactly, at any loss
        return
    if release["noise_scale"] == 0.0:
        faults.append(f"{name}: it has a sensitivity above 0, but no noise.")
        return
    r, loss = release["sensitivity"] / release["noise_scale"], release["loss"]
    if formula in ("analytic", "Gaussian objective"):
        if not _fits_normal(release, formula, r):
            faults.append(f"{name}: its loss is {loss!r}, which is not what its noise costs at its delta.")
        elif formula != "analytic":
            unknown.append(f"{name}: within what its noise allows, the loss is taken as stated.")
        return
    bounds = _range_of_loss(release, formula, r)
    if bounds is None:
        faults.append(f"{name}: {release['mechanism']} has no loss at this sensitivity, noise and query.")
    elif not bounds[0] * (1.0 - LOSS_TOLERANCE) <= loss <= bounds[1] * (1.0 + LOSS_TOLERANCE):
        wanted = f"{bounds[0]!r}" if bounds[0] == bounds[1] else f"{bounds[0]!r} to {bounds[1]!r}"
        faults.append(f"{name}: its loss is {loss!r}, but its noise costs {wanted}.")
    elif "objective" in formula and bounds[0] != bounds[1]:
        unknown.append(f"{name}: between {bounds[0]:.6g} and {bounds[1]:.6g}, the loss is taken as stated.")


def _check_mechanism(release: dict, name: str, faults: list, unknown: list) -> None:
    """Check mechanism, kind of sensitivity, loss and how the release is counted (check 5)."""
    row = MECHANISMS.get(mechanism := release["mechanism"])
    if row is None:
        faults.append(f"{name}: the mechanism {_shown(mechanism)} is not in the table.")
        return
    if release["sensitivity_kind"] != row[0]:
        faults.append(f"{name}: {mechanism} has the kind {row[0]}, not {_shown(release['sensitivity_kind'])}.")
    if (release["counted"] == "approximate") != (mechanism in APPROXIMATE):
        faults.append(f"{name}: {mechanism} is counted as {release['counted']}.")
    elif release["counted"] == "gaussian" and mechanism not in COUNTED_LAST:
        faults.append(f"{name}: {mechanism} is counted as gaussian, but its noise is not.")
    _check_loss(release, name, faults, unknown)
    if mechanism.startswith("thresholded") and release["delta"] > 0.0:
        unknown.append(f"{name}: its delta is taken as stated, as the threshold is not in the file.")


# Form of a certificate. Each field has a kind; a kind that ends in "?" may be null.

RELEASE = {
    "query": "text", "mechanism": "text", "sampler": "text", "sensitivity": "amount", "sensitivity_kind": "text",
    "noise_scale": "amount", "loss": "amount", "currency": "epsilon|rho", "delta": "share", "slice": "slice",
    "order": "count", "counted": "pure|zcdp|gaussian|approximate", "basis": "object?",
}  # fmt: skip
LIMIT = {
    "slice": "slice", "composition": "pure|zcdp", "loss": "amount", "gaussian": "amount", "epsilon": "amount",
    "delta": "share", "released": "count", "n_rows": "count",
}  # fmt: skip
PERSONS = {"identifier": "names?", "rows": "rows", "same_rows": "flag"}
CERTIFICATE = {
    "status": "private|simulated|void|public", "columns": "texts", "label": "flag", "n_rows": "count",
    "epsilon": "amount", "delta": "share", "composition": "pure|zcdp", "rho": "amount?", "gaussian": "amount?",
    "releases": "list", "limits": "list", "noise": "text", "assumptions": "texts", "exact": "texts",
    "reasons": "texts", "persons": "object?", "charge": "object?", "runs": "object?", "learned": "object?",
    "labeled_public": "flag", "version": "count",
}  # fmt: skip
SITES = "at which {} a person is, and how many each site has, is public"
PEOPLE = {
    "at one site": ["no person is at two of the sites; " + SITES.format("site")],
    "at several sites": [SITES.format("sites")], "the same": [],
}  # fmt: skip
WORST, UNITED, ACCOUNT = ("void", "simulated", "private", "public"), ("assumptions", "exact"), ("ledger", "account")
AS_WRITTEN, NEWER, MODEL = "Take the file as it was written", "Check it with a newer program", "Take a model's file"
PROMISES = (
    ("void", "The certificate is void: nothing is promised."),
    ("simulated", "The noise is simulated and can be repeated: nothing is promised."),
    ("public", "The certificate is public: nothing is protected."),
)
STATED = (
    "How many rows a limit is for, within those of the certificate.",
    "That no part of the model lacks its release, which `tacit verify` checks.",
)
FIRST_VERSION = "A certificate of version 1 has no limits: its claim cannot be recomputed from the file alone."

KINDS = {
    "text": ("a text", lambda v: type(v) is str),
    "texts": ("a list of texts", lambda v: type(v) is list and all(type(t) is str for t in v)),
    "names": ("a name or several", lambda v: type(v) is str or (type(v) is list and all(type(t) is str for t in v))),
    "flag": ("true or false", lambda v: type(v) is bool),
    "amount": ("a number from 0 to below 1e300",  # so that sums are finite; and one that a 64-bit float holds
               lambda v: type(v) in (int, float) and 0 <= v < 1e300 and int(float(v)) == int(v)),
    "share": ("a number from 0 to below 1", lambda v: type(v) in (int, float) and 0 <= v < 1),
    "count": ("a whole number of at least 0", lambda v: type(v) is int and 0 <= v < 10**20),
    "rows": ('"mean" or a whole number above 0', lambda v: v == "mean" or (type(v) is int and v > 0)),
    "slice": ("a slice, pairs [i, n] with 1 <= i <= n", lambda v: type(v) is list and all(
        type(p) is list and [*map(type, p)] == [int, int] and 1 <= p[0] <= p[1] for p in v)),
    "list": ("a list", lambda v: type(v) is list),
    "object": ("an object", lambda v: type(v) is dict),
    "whole": ("a whole number of at least 0", lambda v: type(v) is int and v >= 0),
    "weight": ("a whole number of at least 1", lambda v: type(v) is int and v >= 1),
    "finite": ("a finite number of at least 0", lambda v: type(v) in (int, float) and 0 <= v < math.inf),
}  # fmt: skip


def _shown(value: object) -> str:
    """Return a short ASCII form of any value, for sentences."""
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    if isinstance(value, int) and abs(value) >= 10**20:
        return "a huge number"
    text = json.dumps(value) if isinstance(value, str | int | float | None) else type(value).__name__
    return text if len(text) <= 60 else text[:57] + "..."


def _expect(good: bool, what: str, got: str, do: str) -> None:
    """Raise the one error of this program if something is not `good`."""
    if not good:
        raise BadInput(f"Expected {what}, got {got}. {do}.")


def _formed(value: object, fields: dict, where: str) -> dict:
    """Return an object after a check that it has these fields, all of their kinds, and no others."""
    _expect(type(value) is dict, f"an object for {where}", _shown(value), AS_WRITTEN)
    odd = value.keys() ^ fields.keys()
    for name in odd:
        _expect(name in value, f"{where} with {_shown(name)}", "none", AS_WRITTEN)
        _expect(name in fields, f"no other fields of {where}", _shown(name), NEWER)
    for name, kind in fields.items():
        found = value[name]
        if found is None and kind.endswith("?"):
            continue
        what, test = KINDS.get(kind.rstrip("?")) or (f"one of {kind.replace('|', ', ')}", kind.split("|").__contains__)
        if not test(found):
            _expect(False, f"{what} for {name} of {where}", _shown(found), AS_WRITTEN)
    return value


def _form_of_certificate(certificate: object, where: str) -> None:
    """Check the form of a certificate of version 2, so that all else can rely on it."""
    _formed(certificate, CERTIFICATE, where)
    _expect(certificate["n_rows"] > 0, f"at least one row in n_rows of {where}", "0", AS_WRITTEN)
    for name, fields in (("release", RELEASE), ("limit", LIMIT)):
        for number, value in enumerate(certificate[name + "s"], 1):
            _formed(value, fields, f"{name} {number} of {where}")
    if certificate["persons"] is not None:
        _formed(certificate["persons"], PERSONS, f"persons of {where}")
    if certificate["runs"] is not None:
        one_in = _formed(certificate["runs"], {"one_in": "count"}, f"runs of {where}")["one_in"]
        _expect(one_in > 1, f"one_in above 1 in runs of {where}", _shown(one_in), AS_WRITTEN)


def _within(a: Fraction, b: Fraction) -> bool:
    """Say whether a figure is at most another."""
    return a <= b + TOLERANCE * abs(b)


def _rows(slice_: list) -> str:
    """Return words for the rows of a slice."""
    return f"slice {json.dumps(slice_[:8])}" + " and so on" * (len(slice_) > 8) if slice_ else "all rows"


# Sensitivities, in the symbols of the format. Of a list `x` of columns, `x` is how many of them are protected, and
# `all_x` how many there are. Formulas give L1, L2, range and gauge, in units of the table; what one leaves out is 0.

NORMS = ("l1", "l2", "range", "gauge")
S = 2.0**20
LOG_ODDS = {  # if the label is protected, and if it is public
    0.25: ((1.21, 1.01), (0.37, 0.2)), 0.5: ((1.41, 1.03), (0.66, 0.35)), 1.0: ((1.76, 1.08), (1.07, 0.56)),
    2.0: ((2.26, 1.21), (1.57, 0.81)), None: ((2.86, 1.53), (2.26, 1.25)),
}  # fmt: skip
LOSSES = {"log-loss": 1024.0, "brier": 1024.0, "accuracy": 1.0, "absolute-error": 1024.0}


def _cells(m: float) -> tuple[float, float]:
    """Return the norms of counts, of which a row lowers m and raises m by one."""
    return 2.0 * m, math.sqrt(2.0 * m)


def _class_sums(b: SimpleNamespace) -> tuple:
    """Return the norms of counts and sums by class."""
    if not (b.L or b.counted or b.summed):
        return ()
    l1, squares = 2.0 * b.counted + 2.25 * b.summed, 2.0 * b.counted + 4.0 * b.summed
    if b.L:
        c = 2.0 * b.all_counted + (2.0 if b.with_classes else 0.0)
        l1 = max(l1, c + 2.0 * max(2.0 - b.offset, b.offset + 0.25) * b.all_summed)
        squares = max(squares, c + 2.0 * max(b.offset**2, 1.0 + (1.0 - b.offset) ** 2) * b.all_summed)
    e, steps = b.all_summed / S, S if b.all_summed else 1.0
    return (l1 + e) * steps, (math.sqrt(squares) + e) * steps


def _bin_gradients(b: SimpleNamespace) -> tuple:
    """Return the norms of summed gradients of bins."""
    a, squares = b.protected - b.unread, b.squares
    if squares is None:
        squares = max(2 * a, a + b.public) * b.clip**2 if a else 0.0
        squares = max(squares, 4 * (a + b.public) * b.clip**2) if b.L else squares
    return (2.0 * b.clip * (a + b.public), math.sqrt(squares)) if squares else ()


def _ranked(b: SimpleNamespace) -> tuple:
    """Return the norms of summed gradients of ranked rows."""
    rest = math.sqrt(1.0 - 1.0 / max(b.K, 1))
    l2 = 2.0 * (0.5 if b.K <= 2 else 0.9 * rest) * b.radius * (1.0 if b.reads_protected else 0.0)
    return math.sqrt(b.n_nonzero) * l2 * (1.0 if b.K <= 2 else 2.0 * rest), l2


def _moments(b: SimpleNamespace) -> tuple:
    """Return the norms of moments of ranked rows."""
    e, others = 5.0 / 2**14, 2 * b.categories + b.marks
    l1, square = (1.87686 + e, (math.sqrt(1.3796) + e) ** 2) if b.bends else (1.5625, 1.28616)
    return l1 * b.numbers + others, math.sqrt(square * b.numbers + others)


def _residuals(b: SimpleNamespace) -> tuple:
    """Return the norms of residuals by leaf."""
    C = max(b.most, 0.5) if b.K <= 2 else math.sqrt(0.5)
    c, t = (C, 0.0) if b.K <= 2 else (2.0 * C * math.sqrt(1.0 - 1.0 / b.K), b.K / S)
    if b.K <= 2 and (b.L or (b.K == 1 and b.margin)):
        return 2.0 * C if b.leaf else 1.0, 1.0
    if b.L:
        return 2.0 * c if b.leaf or b.margin else min(2.0 * c, 2.0 + t), 2.0 * C
    if b.leaf:
        return 2.0 * c, math.sqrt(2.0) * C
    return (c + t, C + math.sqrt(t / S)) if b.margin else ()


def _curvatures(b: SimpleNamespace) -> tuple:
    """Return the norms of curvatures by leaf."""
    if not (b.leaf or (b.margin and b.K > 1) or (b.weighs_classes and b.L)):
        return ()
    if b.K > 2:
        return 2.0 * (1.0 - 1.0 / b.K), math.sqrt(8.0 / 27.0)
    return (0.5, math.sqrt(0.125)) if b.leaf else (0.25, 0.25)


def _masses(b: SimpleNamespace, i: float, r: float, t: float = 0.0) -> float:
    """Return i I + r R + t T: of what a person weighs, of rounding, and of what all rows weigh."""
    if b.density is None:
        return i * b.f + t * b.n * b.f
    ratio = math.exp(min(b.rate * b.spread, 700.0))
    most = min(1.0 / (b.density * b.n), ratio / (b.n - 1 + ratio))
    return i * most + r * (b.n_positions + 16) * 2.0**-50 / b.density + t


def _weighted_error(b: SimpleNamespace) -> tuple:
    """Return the norms and the range of the weighted error of a linear rule."""
    r, n, no_name = b.ratio, b.n, b.persons is not None and b.persons["identifier"] is None
    _expect(r >= 1 and n >= 1, "a ratio and rows of at least 1", f"{r!r} and {n!r}", AS_WRITTEN)
    e = b.k * r / ((max(n - b.k, 0) if no_name else n - 1) + b.k * r)
    twice = b.L or b.persons is not None or (n - 1) ** 2 < r
    return e + 2.0**-49, e + 2.0**-49, (2.0 * e if twice else e + (n - 1) * (r - 1) / ((n - 1 + r) * n)) + 2.0**-38


def _edges(b: SimpleNamespace) -> tuple[float, float]:
    """Return the norms of one row's edge."""
    m = b.all_numbers + b.all_categories + b.constant
    plain = 2.0 * (b.numbers + b.categories), math.sqrt(4 * b.numbers + 2 * b.categories)
    return (2.0 * m, 2.0 * math.sqrt(m)) if b.L else plain


FIELDS = (
    ("flag", "bends, constant, label, leaf, margin, reads_protected, weighs_classes, with_classes"),
    ("texts", "by, categories, columns, counted, marks, numbers, summed, unread"),
    ("whole", "leads, n_bins, n_classes, n_nonzero, n_positions, public, rows_read, spread"),
    ("finite", "asked, clip, most, norm, offset, radius, rate, ratio, rounding"),
    ("finite?", "density, largest, squares"),
    ("weight", "n_columns, n_scores, weight"), ("gini|error", "criterion"), ("|".join(LOSSES), "score"),
)  # fmt: skip
KIND_OF = {name: kind for kind, names in FIELDS for name in names.split(", ")}
MASSES = "weight, density, rate, spread, n_positions"
TREES = "n_classes, label, leaf, margin, weighs_classes, most, weight"
QUERIES = (  # fields, a kind of its own after a colon; the unit that w k and the formula are times, or None; formula
    *((q, "columns, weight", 1, lambda b: _cells(b.columns)) for q in ("rows by bin", "rows by place of numbers")),
    ("rows by place of the target", "weight", 1, lambda b: _cells(1 if b.L else 0)),
    ("rows by leaf, class and bin of each column", "asked, weight", 1, lambda b: _cells(b.asked)),
    *((q, "weight", 1, lambda b: _cells(1)) for q in ("rows of each class at each leaf", "rows by value of a column")),
    ("held-out rows by level", "n_scores, weight", 1, lambda b: _cells(b.n_scores)),
    ("held-out rows by level and group", "by, weight", 1, lambda b: _cells(1)),
    ("rows by cell, class and predicted class", "n_columns, weight", 1024, lambda b: _cells(b.n_columns)),
    ("held-out loss", "score, weight", 1, lambda b: [times * LOSSES[b.score] for times in (1, 1, 2)]),
    ("held-out rows' squared influence on the mean area", "weight", 1024, lambda b: (1, 1)),
    ("sum of weights", "weight", 1, lambda b: (1, 1)),
    ("cells that halve intervals", "rows_read", None, lambda b: (0, 0, 4 * max(b.rows_read, b.k))),
    ("rows that a column alone tells the class of", "weight", 1024, lambda b: (0, 0, 2)),
    ("residuals and curvatures of log-odds", "n_classes, largest, weight", S,
     lambda b: (0.75, 0.638) if b.K > 2 else LOG_ODDS[b.largest][0 if b.L else 1]),
    ("counts and sums by class", "counted, summed, with_classes, offset, weight", 1, _class_sums),
    ("summed gradients of bins", "unread, public, clip, squares, weight", S, _bin_gradients),
    ("summed gradients of ranked rows", "reads_protected, n_classes, radius, n_nonzero, weight", 2**26, _ranked),
    ("moments of ranked rows", "numbers, categories, marks, bends, weight", 2**28, _moments),
    ("oblivious trees", TREES + ", rounding", None, lambda b: (0, 0, 0 if not (b.L or b.leaf or b.margin) else (
        4.0 * math.sqrt(0.5) * S * b.f + 2.0 + 4.0 * b.rounding if b.K > 2 else
        (2.0 if (b.L or b.K == 1) and not b.leaf else 4.0 * max(b.most, 0.5)) * S * b.f))),
    ("residuals by leaf", TREES, S, _residuals),
    ("curvatures by leaf", TREES, S, _curvatures),
    ("lead of the second class at each leaf", MASSES + ", leads", None, lambda b: [_masses(b, 2, 6 * b.leads)] * 2),
    ("splits of leaves", MASSES + ", criterion, n_classes", None,
     lambda b: (0, 0, _masses(b, 4 if b.criterion == "gini" else 2, 64 * b.K, 64 * (b.K + 4) * 2.0**-53))),
    ("weighted errors of one-rules", MASSES + ", n_bins", None,
     lambda b: (0, 0, _masses(b, 2, 4) + (b.n_bins + 8) * 2.0**-48)),
    ("weighted error of a linear rule", "ratio", None, _weighted_error),
    ("all edges", "numbers, categories, constant", None, _edges),
    ("sums of edges", "numbers, categories, constant, weight", None,
     lambda b: (*(norm * S * b.f for norm in _edges(b)), 0, 2 * b.k)),
    ("mean score", "norm, weight", 1, lambda b: [min(2, 2 * b.norm) * S + 1] * 2 if b.protected else ()),
    ("minimizer of a linear objective", "columns:whole", None, lambda b: (0, 2 * math.sqrt(b.columns), 0, 2)),
    ("sum of residuals times features", "largest:finite", 1, lambda b: (0, 0, 0, 2 * b.largest)),
)  # fmt: skip
SENSITIVITIES = {query: row for query, *row in QUERIES}
BOUNDED_BY_ANSWERS = {"summed gradients of bins": "squares", "weighted error of a linear rule": "ratio"}


def sensitivity_of(release: dict, certificate: dict, n_rows: int) -> float:
    """Return the sensitivity that follows from a basis whose query is in the table."""
    basis, persons, protected = release["basis"], certificate["persons"], set(certificate["columns"])
    names, unit, formula = SENSITIVITIES[basis["query"]]
    parts = (name.partition(":") for name in names.split(", "))
    _formed(basis, {"query": "text"} | {name: kind or KIND_OF[name] for name, _, kind in parts}, "its basis")
    b = SimpleNamespace(**basis, L=certificate["label"], n=n_rows, persons=persons, protected=len(protected))
    for name, value in basis.items():
        if type(value) is list:
            setattr(b, name, len(protected.intersection(value)))
            setattr(b, "all_" + name, len(value))
    b.k = persons["rows"] if persons is not None and persons["rows"] != "mean" else 1
    b.f, b.K = basis.get("weight", 1) * b.k, basis.get("n_classes")
    norm = dict(zip(NORMS, formula(b), strict=False)).get(release["sensitivity_kind"], 0)
    if (release["mechanism"], basis["query"]) == ("exponential mechanism over cells", "cells that halve intervals"):
        norm *= 1.0 + 2.0**-13
    return norm if unit is None else norm * float(unit * b.f)


def _check_sensitivity(release: dict, certificate: dict, n_rows: int, name: str, faults: list, unknown: list) -> None:
    """Compare the sensitivity of a release with what its basis gives (check 5)."""
    stated, basis = release["sensitivity"], release["basis"] or {}
    query = str(basis.get("query"))
    if query not in SENSITIVITIES:
        unknown.append(f"{name}: its sensitivity of {stated!r}, as it has no basis of a query that is known.")
        return
    if basis.get(bound := BOUNDED_BY_ANSWERS.get(query)) is not None:
        unknown.append(f"{name}: its sensitivity of {stated!r}, as the {bound} in its basis is of earlier answers.")
    try:
        found = sensitivity_of(release, certificate, n_rows)
        if not abs(found - stated) <= LOSS_TOLERANCE * stated:
            faults.append(f"{name}: its sensitivity is {stated!r}, but its basis gives {found!r}.")
    except (ArithmeticError, LookupError, ValueError) as error:
        why = error if isinstance(error, BadInput) else "It has numbers that no query has."
        faults.append(f"{name}: its basis is none of its query. {why}")


def _check_slices(limits: list, faults: list) -> None:
    """Check that no two limits are of rows that overlap (check 2), in a tree of slices."""
    if not limits:
        faults.append("There is no limit.")
    root = {"of": None, "whole": False, "parts": {}}
    for limit in limits:
        node = root
        for part, of in limit["slice"]:
            if node["whole"] or node["of"] not in (None, of):
                break
            node["of"] = of
            node = node["parts"].setdefault(part, {"of": None, "whole": False, "parts": {}})
        else:
            if not node["whole"] and not node["parts"]:
                node["whole"] = True
                continue
        faults.append(f"The limit of {_rows(limit['slice'])} is of rows that another limit has, too.")


def _check_releases(certificate: dict, faults: list, unknown: list) -> None:
    """Check each release against its limit, and by itself (checks 3, 4 and 5)."""
    limits = {json.dumps(limit["slice"]): limit for limit in certificate["limits"]}
    seen = dict.fromkeys(limits, 0)
    last = set()  # limits that have had a release counted as gaussian
    for number, release in enumerate(certificate["releases"], 1):
        key, counted = json.dumps(release["slice"]), release["counted"]
        name = f"Release {number} ({release['order']} of {_rows(release['slice'])})"
        limit = limits.get(key)
        if limit is None:
            faults.append(f"{name}: there is no limit of these rows.")
        else:
            seen[key] += 1
            if release["order"] != seen[key]:
                faults.append(f"{name}: its order should be {seen[key]}.")
            if counted not in (limit["composition"], "approximate", "gaussian" if limit["gaussian"] > 0 else ""):
                faults.append(f"{name}: it is counted as {counted}, which its limit does not have.")
            _check_sensitivity(release, certificate, limit["n_rows"], name, faults, unknown)
            if counted == "gaussian":
                last.add(key)
            elif key in last:
                faults.append(f"{name}: it is counted as {counted}, after a release that is counted as gaussian.")
        if release["currency"] != ("rho" if counted in ("zcdp", "gaussian") else "epsilon"):
            faults.append(f"{name}: it is counted as {counted}, but its loss is in {release['currency']}.")
        _check_mechanism(release, name, faults, unknown)
    for key, limit in limits.items():
        if seen[key] != limit["released"]:
            text = f"has {limit['released']} releases, but {seen[key]} are listed."
            faults.append(f"The limit of {_rows(limit['slice'])} {text}")


def _check_sums(certificate: dict, faults: list) -> None:
    """Check that the releases of each limit cost no more than it allows, without rounding (check 6)."""
    sums = {}
    for release in certificate["releases"]:
        of = sums.setdefault(json.dumps(release["slice"]), {"gaussian": [], "loss": [], "epsilon": [], "delta": []})
        place = {"gaussian": "gaussian", "approximate": "epsilon"}.get(release["counted"], "loss")
        of[place].append(release["loss"])
        of["delta"].append(release["delta"])
    for limit in certificate["limits"]:
        for name, values in sums.get(json.dumps(limit["slice"]), {}).items():
            allowed = Fraction(limit[name]) - (Fraction(limit["gaussian"]) if name == "loss" else 0)
            ratios = (float(value).as_integer_ratio() for value in values if value)
            total = Fraction(sum(top << (1075 - bottom.bit_length()) for top, bottom in ratios), 1 << 1074)
            if not _within(total, allowed):
                words = "loss less gaussian" if name == "loss" and limit["gaussian"] else name
                text = f"{words} of its releases is {float(total)!r}, above the {float(allowed)!r} allowed."
                faults.append(f"The limit of {_rows(limit['slice'])}: {text}")


def _check_limits(certificate: dict, faults: list) -> None:
    """Check the limits by themselves, and what the certificate says of them in short (checks 7 and 8)."""
    limits = certificate["limits"]
    for limit in limits:
        more = certificate["runs"] is not None and (limit["gaussian"] or limit["epsilon"] or limit["delta"])
        wrong = (
            (limit["gaussian"] > 0 and limit["composition"] == "pure", "adds up epsilons, but has a gaussian part"),
            (limit["gaussian"] > limit["loss"] * (1 + 1e-9), "has a gaussian part above its loss"),
            (more, "has gaussian, epsilon or delta above 0, which secret runs do not allow"),
        )
        faults += [f"The limit of {_rows(limit['slice'])} {text}." for is_so, text in wrong if is_so]
    samplers = " ".join([certificate["noise"], *(release["sampler"] for release in certificate["releases"])]).lower()
    rows = sum(limit["n_rows"] for limit in limits)
    private = certificate["status"] == "private"
    wrong = (
        (limits and not 1 <= rows <= certificate["n_rows"], "The limits are of more rows than there are, or of none."),
        (Fraction(certificate["delta"]) * certificate["n_rows"] >= 1, "Delta is not below one over the rows."),
        (not certificate["epsilon"] > 0, "The epsilon is not above 0."),
        (private and certificate["reasons"], "It is private, but has reasons against it."),
        (private and "simulated" in samplers, "It is private, but its noise is simulated."),
    )
    faults += [text for is_so, text in wrong if is_so]
    in_rho = bool(limits) and all(limit["composition"] == "zcdp" for limit in limits)
    last = max((limit["gaussian"] for limit in limits), default=0) or None
    short = {"rho": max(limit["loss"] for limit in limits) if in_rho else None, "gaussian": last}
    if certificate["composition"] != ("zcdp" if in_rho else "pure"):
        faults.append(f"The composition {certificate['composition']} is not that of the limits.")
    for name, wanted in short.items():
        stated = certificate[name]
        if (stated is None) != (wanted is None) or (wanted is not None and not _near(stated, wanted)):
            faults.append(f"The {name} of {_shown(stated)} is not that of the limits, {_shown(wanted)}.")


def _epsilon_of_limits(certificate: dict, d: Fraction, faults: list) -> tuple[float | None, float, str]:
    """Return the largest epsilon of the limits, the largest delta that they need, and the name of the limit."""
    one_in = certificate["runs"]["one_in"] if certificate["runs"] is not None else None
    best, delta, decides, known, claimed = 0.0, 0.0, [], bool(certificate["limits"]), float(d)
    for limit in sorted(certificate["limits"], key=lambda limit: -limit["loss"]):
        beside, loss, pure = float(limit["epsilon"]), float(limit["loss"]), limit["composition"] == "pure"
        left = float(d - Fraction(limit["delta"])) if limit["delta"] else claimed
        delta = max(delta, float(limit["delta"]) if pure else claimed)
        if (pure and left < -1e-9 * abs(claimed)) or (not pure and not left > 0.0):
            faults.append(f"The limit of {_rows(limit['slice'])} leaves too little of the claimed delta.")
            known = False
            continue
        if pure:
            epsilon = loss * (1.0 if one_in is None else 2.0) + beside
        else:
            gaussian = min(float(limit["gaussian"]), loss)
            # One look at the curve tells whether this limit could be the largest; a search takes fifty.
            if best - beside >= 0.0 and _curve(loss, gaussian, one_in, left, best - beside) <= math.log(left):
                continue
            epsilon = _rho_to_epsilon(loss, gaussian, one_in, left) + beside
        best, decides = (epsilon, [limit["slice"]]) if epsilon > best or not decides else (best, decides)
    name = f"the limit of {_rows(decides[0])}" if decides else ""
    if best == math.inf:
        faults.append(f"By {name} any epsilon is allowed.")
    return (best if known and best < math.inf else None), delta, name


def _check_learned(certificate: dict, faults: list, unknown: list) -> Result:
    """Check the certificate of a learned schema by itself, and that it protects enough."""
    learned = certificate["learned"]
    found = check(learned, "the learned schema's certificate", nested=True)
    for of, texts in ((faults, found.faults), (unknown, found.unknown)):
        of.extend(f"Of the learned schema: {text}" for text in texts)
    faults += [f"The certificate of the learned schema is {found.status}, not private."] * (found.status != "private")
    if learned.get("version") != 2:
        return found
    if learned["learned"] is not None:
        faults.append("The certificate of the learned schema has another of its own.")
    mine, its = certificate["persons"], learned["persons"]
    same = mine and its and its["identifier"] == mine["identifier"] and its["same_rows"] <= mine["same_rows"]
    # A mean takes any number of rows.
    covers = same and (its["rows"] == "mean" or (mine["rows"] != "mean" and its["rows"] >= mine["rows"]))
    if not (mine is None or its == mine or covers):
        faults.append("The certificate of the learned schema protects other persons, or such with fewer rows.")
    for column in certificate["columns"]:
        if column not in learned["columns"]:
            unknown.append(f"That learning the schema did not read the column {_shown(column)} is taken as stated.")
    return found


def _without_limits(certificate: dict) -> Result:
    """Return what follows from a void certificate, nothing, or from a public one (check 1)."""
    if certificate["status"] == "void":
        return _result(certificate, None, 0.0, [], [], "")
    tests = (
        (certificate["epsilon"] or certificate["delta"], "A public certificate claims 0 and 0."),
        (certificate["releases"] or certificate.get("limits"), "A public certificate has no limits and no releases."),
        (certificate.get("columns") or certificate.get("label"), "A public certificate protects nothing."),
        (certificate.get("learned"), "A public certificate has no learned schema."),
    )
    return _result(certificate, 0.0, 0.0, [text for wrong, text in tests if wrong], [], "nothing")


def _check_merged(certificate: dict, where: str) -> Result:
    """Check each part of a merged certificate by itself, and what the whole says of them."""
    _formed(certificate, CERTIFICATE | {"people": "|".join(PEOPLE), "parts": "list"}, where)
    lines = [_formed(line, {"digest": "text", "certificate": "object"}, "a part") for line in certificate["parts"]]
    digests, parts = ([line[name] for line in lines] for name in ("digest", "certificate"))
    good = all(part.get("version") == 2 and "parts" not in part for part in parts)
    good = good and len(parts) > 1 and digests == sorted(set(digests))
    _expect(good, "two parts or more in order, each of one fit and version 2", "others", AS_WRITTEN)
    if certificate["status"] == "void":
        return _without_limits(certificate)
    apart, same = (certificate["people"] == each for each in ("at one site", "the same"))
    faults, unknown = [], ["That no person is at two sites."] * apart
    found = [check(part, f"the certificate of part {number}") for number, part in enumerate(parts, 1)]
    for number, each in enumerate(found, 1):
        faults += [f"Part {number}: {text}" for text in each.faults]
        unknown += [f"Part {number}: {text}" for text in each.unknown]
    rows = [part["n_rows"] for part in parts]
    wanted = {name: parts[0][name] for name in ("columns", "label", "persons", "labeled_public")}
    if any(part[name] != value for part in parts for name, value in wanted.items()) or (same and len(set(rows)) > 1):
        faults.append("The parts protect different cells or units, or are of the same people in different numbers.")
    wanted |= dict.fromkeys(("rho", "gaussian", "runs", "learned", "charge")) | {"releases": [], "limits": []}
    wanted |= {"status": min((part["status"] for part in parts), key=WORST.index), "composition": "pure"}
    wanted |= {"n_rows": rows[0] if same else sum(rows), "noise": "; ".join(dict.fromkeys(p["noise"] for p in parts))}
    assumed, wanted["exact"] = (list(dict.fromkeys(t for p in parts for t in p[name])) for name in UNITED)
    faults += [f"Its {name} does not follow from its parts." for name in wanted if certificate[name] != wanted[name]]
    if not {*assumed, *PEOPLE[certificate["people"]]} <= set(certificate["assumptions"]):
        faults.append("It leaves out an assumption of a part, or whose data the parts are of.")
    accounts = [json.dumps([part["charge"].get(name) for name in ACCOUNT]) for part in parts if part["charge"]]
    if apart and len(set(accounts)) < len(accounts):
        faults.append("Two parts were charged to one account: their people may be the same.")
    join = max if apart else lambda values: sum(map(Fraction, values))
    claims = [(each.epsilon, each.delta) for each in found if each.epsilon is not None]
    epsilon, delta = map(float, map(join, zip(*claims, strict=True))) if len(claims) == len(found) else (None, 0.0)
    return _result(certificate, epsilon, delta, faults, unknown, "its parts together")


def _result(certificate: dict, epsilon: float | None, delta: float, faults: list, unknown: list, name: str) -> Result:
    """Compare what was found with what is claimed."""
    status, claim = certificate["status"], (float(certificate["epsilon"]), float(certificate["delta"]))
    for what, found, most in (("epsilon", epsilon, claim[0]), ("delta", delta, claim[1])):
        if epsilon is not None and not _within(Fraction(found), Fraction(most)):
            faults.append(f"The claimed {what} is {most!r}, but {name} makes it {found!r}.")
    holds = status in ("private", "public") and not faults and epsilon is not None
    return Result(status, *claim, epsilon, delta if epsilon is not None else None, tuple(faults), tuple(unknown), holds)


def check(certificate: dict, where: str = "the certificate", nested: bool = False) -> Result:
    """Recompute the claim of a certificate. `nested` is for that of a learned schema, which has none of its own."""
    _expect(type(certificate) is dict, f"an object for {where}", _shown(certificate), AS_WRITTEN)
    version = certificate.get("version", 1 if "limits" not in certificate else None)
    _expect(type(version) is int and version in (1, 2), f"version 1 or 2 of {where}", _shown(version), NEWER)
    if version == 1:
        fields = {name: CERTIFICATE[name] for name in ("status", "epsilon", "delta", "releases", "columns")}
        _formed({name: certificate[name] for name in fields if name in certificate}, fields, where)
        bare = certificate["status"] in ("void", "public")
        return _without_limits(certificate) if bare else _result(certificate, None, 0.0, [], [FIRST_VERSION], "")
    if "parts" in certificate and not nested:
        return _check_merged(certificate, where)
    _form_of_certificate(certificate, where)
    if certificate["status"] in ("void", "public"):
        return _without_limits(certificate)
    faults, unknown = [], [] if nested else [*STATED]
    more = None if certificate["learned"] is None or nested else _check_learned(certificate, faults, unknown)
    _check_slices(certificate["limits"], faults)
    _check_releases(certificate, faults, unknown)
    _check_sums(certificate, faults)
    _check_limits(certificate, faults)
    d = Fraction(certificate["delta"]) - Fraction(more.claimed_delta if more else 0)
    epsilon, delta, decides = _epsilon_of_limits(certificate, d, faults)
    if epsilon is not None and more:
        epsilon, delta = epsilon + more.claimed_epsilon, delta + more.claimed_delta
    if more and more.epsilon is None and not more.faults:
        epsilon = None  # of version 1 or void: not all that was claimed was recomputed
    return _result(certificate, epsilon, delta, faults, unknown, decides)


def _number(text: str) -> float | int:
    """Return a number, if a 64-bit float holds it and, of whole ones, it has at most 20 characters."""
    if text.lstrip("-").isdigit():
        _expect(len(text) <= 20, "whole numbers of at most 20 characters", "a longer one", AS_WRITTEN)
        return int(text)
    value = float(text)
    fits = math.isfinite(value) and (value != 0.0 or not re.search("[1-9]", re.split("[eE]", text)[0]))
    _expect(fits, "numbers that a 64-bit float holds", text[:60], AS_WRITTEN)
    return value


def _object(pairs: list) -> dict:
    """Return an object, each of whose names occurs once."""
    _expect(len(dict(pairs)) == len(pairs), "each name once in an object", "one twice", AS_WRITTEN)
    return dict(pairs)


def _parsed(text: str) -> object:
    """Return the value that a text in JSON has, of limited size and depth."""
    size = text.count(",") + text.count("[") + text.count("{")
    _expect(size <= MAX_VALUES, f"at most {MAX_VALUES} values", "more", "Check one model at a time")
    deep = f"at most {DEEPEST} levels of lists and objects"
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_float=_number, parse_int=_number,
            parse_constant=lambda name: _expect(False, "finite numbers", name, AS_WRITTEN),
        )  # fmt: skip
    except (RecursionError, MemoryError):
        raise BadInput(f"Expected {deep} that fit into memory, got more. {MODEL}.") from None
    except json.JSONDecodeError as error:
        raise BadInput(f"Expected JSON, got what is none in line {error.lineno}: {error.msg}. {MODEL}.") from None
    boxes = [value] if isinstance(value, dict | list) else []
    for _ in range(DEEPEST):
        inner = (box.values() if isinstance(box, dict) else box for box in boxes)
        boxes = [v for values in inner for v in values if isinstance(v, dict | list)]
    _expect(not boxes, deep, "more", MODEL)
    return value


def _file_of(text: str) -> dict:
    """Return the content of a model's file after a check of its outermost form."""
    fields = {"format": "tacit-model", "version": "count", "digest": "text", "model": "object"}
    frame = _formed(_parsed(text), fields, "the file")
    _expect(frame["version"] in (1, 2), "version 1 or 2 of the file", _shown(frame["version"]), NEWER)
    found = frame["model"].get("guarantee")
    _expect(type(found) is dict, "an object for guarantee", _shown(found), AS_WRITTEN)
    return frame


def certificate_of(text: str) -> dict:
    """Return the certificate in the text of a model's file."""
    return _file_of(text)["model"]["guarantee"]


def _text_of(path: str) -> str:
    """Return the text of a file."""
    try:
        with open(path, "rb") as file:
            content = file.read(MAX_FILE + 1)
        _expect(len(content) <= MAX_FILE, f"a file of at most {MAX_FILE} bytes", "more", MODEL)
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"Expected UTF-8, got other bytes at {error.start}. {MODEL}.") from None
    except OSError as error:
        raise BadInput(f"Expected a file to read, got {_shown(error.strerror)}. Give the path of one.") from None


def _contradictions(model: dict) -> list[str]:
    """Return what a model's schema says against its certificate: that more is private, or that it was learned."""
    schema, certificate = model.get("schema"), model["guarantee"]
    if (parts := model.get("parts")) is not None or "parts" in certificate:
        lines = certificate.get("parts")
        good = type(parts) is type(lines) is list and len(parts) == len(lines) and all(type(p) is dict for p in parts)
        _expect(good, "a certificate for each part", "others", AS_WRITTEN)
        wholes = [part | {"guarantee": line["certificate"]} for part, line in zip(parts, lines, strict=True)]
        altered = [_digest(whole) for whole in wholes] != [line["digest"] for line in lines]
        own = [text for whole in wholes for text in _contradictions(whole)]
        return own + ["A part is not the one whose digest the certificate has."] * altered
    if certificate.get("status") in ("void", "public") or certificate.get("version") != 2:
        return []
    _expect(type(schema) is dict, "an object for schema", _shown(schema), AS_WRITTEN)
    columns, groups, label = schema.get("columns"), schema.get("group_columns", []), schema.get("label")
    listed = type(columns) is type(groups) is list and all(type(each) is dict for each in (*columns, *groups, label))
    _expect(listed, "columns and a label in the schema", "others", AS_WRITTEN)
    entries = (each for each in columns + groups if each.get("private") is not False or each.get("from_table"))
    hidden = label.get("private") is not False and not certificate["label"]
    if hidden or not {str(each.get("name")) for each in entries} <= set(certificate["columns"]):
        return ["The schema declares a column or the label private that the certificate does not protect."]
    if (told := schema.get("learned")) is None:
        return []
    text = told.get("certificate") if type(told) is dict else None
    _expect(type(text) is str, "a certificate, as a text, in learned of the schema", _shown(text), AS_WRITTEN)
    if (stated := certificate["learned"]) is None:
        return ["The schema was learned from rows, but the certificate does not have what that cost."]
    return [] if _parsed(text) == stated else ["The certificate of the learned schema is not that in the schema."]


def _digest(value: dict) -> str:
    """Return the digest of a value as a file has it."""
    written = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(written.encode("ascii")).hexdigest()


def _sentences(result: Result, certificate: dict, status: int) -> list[str]:
    """Return the answer in plain sentences, the first of them yes or no."""
    claimed = f"Claimed: epsilon {result.claimed_epsilon!r} and delta {result.claimed_delta!r}."
    lines = [("Yes, the claim holds.", "No.", "The claim cannot be recomputed.")[status], claimed]
    found = "nothing" if result.epsilon is None else f"epsilon {result.epsilon!r} and delta {result.delta!r}"
    lines += [f"Found: {found}."] + [text for name, text in PROMISES if name == result.status]
    if result.status in ("private", "simulated"):
        columns = [_shown(name) for name in certificate.get("columns") or ()]
        shown = ", ".join(columns[:SHOWN]) + f" and {len(columns) - SHOWN} more" * (len(columns) > SHOWN)
        unit = "all rows of one person" if certificate.get("persons") else "one row"
        label = "and the label" if certificate.get("label") else "not the label"
        lines.append(f"Protected is {unit}, in the columns {shown or '(none)'}, {label}.")
        lines.append("The sensitivity of each release was recomputed, except where it is said below.")
    lines += ["The arithmetic has no faults."] * (status == 1 and result.status == "simulated" and not result.faults)
    for title, texts in (("", result.faults), ("Taken as stated: ", result.unknown)):
        lines += [title + text for text in texts[:SHOWN]]
        lines += [f"{title}{len(texts) - SHOWN} more like these."] * (len(texts) > SHOWN)
    return lines


def main(arguments: list[str] | None = None) -> int:
    """Check one file, print what was found, and return the exit status."""
    parser = argparse.ArgumentParser(description="Recompute the claim of a model's privacy certificate.")
    parser.add_argument("file", help="a model's file, JSON")
    parser.add_argument("--json", action="store_true", help="print JSON in place of sentences")
    options = parser.parse_args(arguments)
    try:
        frame = _file_of(_text_of(options.file))
        model, result = frame["model"], check(frame["model"]["guarantee"])
        faults = _contradictions(model)
    except BadInput as error:
        print(json.dumps({"error": str(error)}) if options.json else str(error))
        return 2
    if frame["digest"] != _digest(model):
        faults.append("The digest is not that of the model: the file was changed after it was written.")
    if faults:
        result = replace(result, faults=(*result.faults, *faults), holds=False)
    told = result.epsilon is not None or result.faults or result.status == "void"
    status = 0 if result.holds else 1 if told else 2
    lines = _sentences(result, model["guarantee"], status)
    print(json.dumps(asdict(result), indent=2, allow_nan=False) if options.json else "\n".join(lines))
    return status


if __name__ == "__main__":
    sys.exit(main())

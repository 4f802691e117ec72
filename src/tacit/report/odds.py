"""What an epsilon and a delta mean to an attacker who guesses at one person's protected cells.

The guesser may know everything else: all other rows, and two candidates for what the protected cells are.
"""

from __future__ import annotations

from math import exp, expm1

from tacit.errors import ParameterError

WIDER = 1.1
"""Times exp(epsilon), where there is a delta: a bound on odds holds there with some room alone."""


def odds_factor(epsilon: float, delta: float = 0.0) -> float:
    """Return the factor by which a model can move the odds of any guess, up or down, but for `exception`.

    Notes
    -----
    Without a delta exp(epsilon). With one `WIDER` times as much: results of which one candidate makes more than a
    exp(epsilon) times as likely as the other have a probability p of at most exp(epsilon) p / (a exp(epsilon)) +
    delta, so p is at most delta a / (a - 1). At a = 1 nothing follows: Gaussian noise moves odds farther than
    exp(epsilon) with a probability above delta.

    Examples
    --------
    >>> round(odds_factor(1.0), 3), round(odds_factor(1.0, 1e-6), 2)
    (2.718, 2.99)
    """
    _check(epsilon, delta)
    return exp(epsilon) * (WIDER if delta else 1.0)


def exception(delta: float) -> float:
    """Return how probable it is at most that odds move farther than by `odds_factor`.

    Whichever candidate is true: upward delta a / (a - 1), downward delta / (a - 1) at most.

    Examples
    --------
    >>> round(exception(1e-6), 9), exception(0.0)
    (2.1e-05, 0.0)
    """
    return min(1.0, delta * (WIDER + 1) / (WIDER - 1))


def certainty(prior: float, epsilon: float, delta: float = 0.0) -> float:
    """Return the most probable that a guess can become, of one that had this probability before.

    Odds of prior to 1 - prior, times `odds_factor`; with a delta but for `exception`.

    Examples
    --------
    >>> round(certainty(0.5, 1.0), 3)
    0.731
    """
    _check(epsilon, delta)
    if not 0.0 < prior < 1.0:
        raise ParameterError(f"Expected a probability between 0 and 1, got prior={prior}. Choose one in between.")
    return 1.0 / (1.0 + (1.0 - prior) / prior * exp(-epsilon) / (WIDER if delta else 1.0))


def right_guesses(epsilon: float, delta: float = 0.0) -> float:
    """Return the largest probability of a right guess between two candidates that were equally probable before.

    Half of 1 plus the total variation (exp(epsilon) - 1 + 2 delta)/(exp(epsilon) + 1), the largest of an
    (epsilon, delta)-private answer (Kairouz, Oh, Viswanath 2015): (exp(epsilon) + delta)/(exp(epsilon) + 1).

    Examples
    --------
    >>> right_guesses(0.0), right_guesses(0.0, 0.5)
    (0.5, 0.75)
    """
    _check(epsilon, delta)
    return 0.5 + (-expm1(-epsilon) + 2.0 * delta * exp(-epsilon)) / (2.0 * (1.0 + exp(-epsilon)))


def detections(epsilon: float, delta: float = 0.0, false_alarms: float = 0.05) -> float:
    """Return the largest share of people with some property that a test finds, at this share of false alarms.

    The power of any test between two neighbors at level alpha is at most exp(epsilon) alpha + delta (Wasserman,
    Zhou 2010), and at most 1 - exp(-epsilon)(1 - delta - alpha), the same with the two exchanged (Kairouz, Oh,
    Viswanath 2015).

    Examples
    --------
    >>> round(detections(1.0), 3)
    0.136
    """
    _check(epsilon, delta)
    if not 0.0 <= false_alarms <= 1.0:
        raise ParameterError(f"Expected a share from 0 to 1, got false_alarms={false_alarms}. Choose one in between.")
    missed = exp(-epsilon) * (1.0 - delta - false_alarms)
    if false_alarms == 0.0:  # delta alone, without rounding
        return min(1.0, delta, 1.0 - missed)
    return min(1.0, exp(epsilon) * false_alarms + delta, 1.0 - missed)


def _check(epsilon: float, delta: float) -> None:
    if not 0.0 <= epsilon <= 700.0:  # exp of 710 is no float
        raise ParameterError(f"Expected epsilon from 0 to 700, got epsilon={epsilon}. Choose one in between.")
    if not 0.0 <= delta < 1.0:
        raise ParameterError(f"Expected delta from 0 to below 1, got delta={delta}. Choose one in between.")

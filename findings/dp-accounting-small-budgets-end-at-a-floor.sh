#!/usr/bin/env bash
# dp-accounting 0.6.0, rdp.RdpAccountant and pld.PLDAccountant with their defaults, GaussianDpEvent.
#
# Expected: of ever more noise ever less epsilon; at a delta of 1e-9 the exact epsilon of one Gaussian release (Balle and
# Wang 2018) is 4.4e-3, 3.9e-4 and 3.4e-5 at noise of 1e3, 1e4 and 1e5 sensitivities.
# Seen: Renyi's stays at 1.25e-2, which is 32 and 370 times the exact one, as its largest order is 1,024. That of the
# privacy loss distribution does not fall below 1e-4, the width of its steps: three times the exact one at 1e5. Both are
# true upper bounds. Of small budgets, as of one query among many, they say too much: larger orders and finer steps help.
set -euo pipefail
cd "$(mktemp -d)"
python3 -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check dp-accounting==0.6.0 numpy==2.4.6 scipy==1.17.1
venv/bin/python - <<'PY'
from math import exp

import dp_accounting
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant
from scipy.optimize import brentq
from scipy.stats import norm

DELTA = 1e-9


def exact(noise):
    def beyond(epsilon):
        return norm.cdf(0.5 / noise - epsilon * noise) - exp(epsilon) * norm.cdf(-0.5 / noise - epsilon * noise) - DELTA

    return brentq(beyond, 0.0, 10.0, xtol=1e-12)


for noise, renyi_times, loss_times in ((1e3, 2, 0.99), (1e4, 30, 1.01), (1e5, 350, 2.5)):
    found = []
    for accountant in (RdpAccountant(), PLDAccountant()):
        accountant.compose(dp_accounting.GaussianDpEvent(noise))
        found.append(float(accountant.get_epsilon(DELTA)))
    renyi, loss = found
    print(f"noise {noise:g}: exact {exact(noise):.2e}, Renyi {renyi:.2e}, privacy loss distribution {loss:.2e}")
    assert renyi > renyi_times * exact(noise), "Renyi's epsilon falls with the noise"
    assert loss > loss_times * exact(noise), "the loss distribution's epsilon falls with the noise"
    assert renyi > 0.0125 and loss >= 0.99e-4
PY

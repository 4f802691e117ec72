#!/usr/bin/env bash
# dp-accounting 0.6.0, pld.PLDAccountant, LaplaceDpEvent.
#
# Expected: Laplace noise of scale b on a sum of sensitivity 1 is (1/b, 0)-private, so that the accountant's epsilon at
# delta 0 is 1/b, and its delta at an epsilon of 1/b is 0.
# Seen: epsilon at delta 0 is infinite for every scale; at delta 1e-12 it is 1/b to twelve digits. Delta at 1/b and beyond
# is 1e-15 and never 0: so much of the loss is cut off and counted as certain. Who compares a pure mechanism has to ask at
# a small delta, or to add up epsilons by hand.
set -euo pipefail
cd "$(mktemp -d)"
python3 -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check dp-accounting==0.6.0 numpy==2.4.6 scipy==1.17.1
venv/bin/python - <<'PY'
from math import inf, isclose

import dp_accounting
from dp_accounting.pld import PLDAccountant

for scale in (0.5, 1.0, 10.0):
    accountant = PLDAccountant()
    accountant.compose(dp_accounting.LaplaceDpEvent(scale))
    at_zero, nearly, left = (
        accountant.get_epsilon(0.0), accountant.get_epsilon(1e-12), accountant.get_delta(2 / scale)
    )
    print(f"scale {scale}: epsilon at delta 0 {at_zero}, at 1e-12 {nearly:.12f}, delta at twice that {left:.1e}")
    assert at_zero == inf, "epsilon at delta 0 is finite"
    assert isclose(nearly, 1 / scale, rel_tol=1e-9)
    assert 0 < left < 1e-14, "no loss is cut off"
PY

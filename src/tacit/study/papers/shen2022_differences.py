"""Why our figures differ from those of Shen and others (2022), with the numbers that show it."""

from __future__ import annotations

BASELINES: tuple[str, ...] = ()
ALL_PRIVATE: tuple[str, ...] = ()
SMALL_TABLE: tuple[str, ...] = ()
DIFFERENCES: dict[str, tuple[str, ...]] = {
    "adult": (),
    "credit-default": (),
    "sepsis-survival": (),
    "bank-marketing": (),
}
CONVERGENCE: tuple[str, ...] = ()

"""A node's question and where its answers lead."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.table.literals import Literal


@dataclass(frozen=True)
class Branch:
    """A node's question and where its answers lead."""

    literal: Literal
    yes: int
    no: int

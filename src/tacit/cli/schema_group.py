"""`tacit schema` and its commands."""

from __future__ import annotations

from tacit.cli.deferred import defer
from tacit.cli.options import group_of_commands

COMMANDS = {
    "draft": (
        "schema_commands:draft",
        "Draft a schema from a table, for you to check and correct. The draft is not private.",
    ),
    "review": (
        "review_command:review",
        "Decide entry by entry what a draft guessed: on a page that opens without a network, or in the terminal.",
    ),
    "check": (
        "schema_commands:check",
        "Check a schema, and show what it says: what is protected, public, still a guess, and which learners refuse "
        "it.",
    ),
    "kinds": (
        "learn_commands:kinds",
        "Draft the kinds of a table's columns, for you to check: what `tacit schema learn` takes for public.",
    ),
    "learn": (
        "learn_commands:learn",
        "Learn a schema, or its open bounds, from rows, with noise; it spends privacy that each fit's adds to.",
    ),
}
"""Where each command is, and the line that help has of it."""

schema_app = group_of_commands("Draft a schema from a table, review it, learn one with noise, or check one.")


for name, (place, says) in COMMANDS.items():
    defer(schema_app, name, f"tacit.cli.{place}", says)

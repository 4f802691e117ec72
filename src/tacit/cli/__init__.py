"""The command line: `tacit`."""

from __future__ import annotations

import sys

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells count it."""


def main() -> None:
    """Run the command that the arguments name, and leave with its exit code: 0, 1 for an error, 2 for wrong usage."""
    try:
        from tacit.cli.app import app

        app(prog_name="tacit")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)

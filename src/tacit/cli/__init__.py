"""The command line: `tacit`."""

from __future__ import annotations

import io
import os
import sys

INTERRUPTED = 130  # 128 and the number of SIGINT, as shells count it

_DEBUG = {"--debug"}


def main() -> None:
    """Run the command that the arguments name, and leave with its exit code: 0, 1 for an error, 2 for wrong usage."""
    if not _DEBUG & set(sys.argv):
        _drop_native_traces()
    try:
        from tacit.cli.app import app

        app(prog_name="tacit")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except MemoryError:  # while the commands were imported; later ones become a line within the command
        sys.exit("Error: Expected enough memory to start, got less. Use a larger machine, or a higher limit.")


def _drop_native_traces() -> None:
    """Leave stderr to Python alone: libraries in Rust and C write traces to it, which may quote cells."""
    try:
        kept = os.dup(sys.stderr.fileno())
        nowhere = os.open(os.devnull, os.O_WRONLY)
    except (AttributeError, OSError, io.UnsupportedOperation):  # no stderr, or one that is no file
        return
    os.dup2(nowhere, 2)
    os.close(nowhere)
    sys.stderr = open(kept, "w", encoding=sys.stderr.encoding, errors="backslashreplace", buffering=1)  # noqa: SIM115

"""Being told to stop: what is temporary is removed before the process ends."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_STOPPING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class _Stopped(BaseException):
    """A signal that ends the process has come."""

    def __init__(self, number: int):
        self.number = number


@contextmanager
def stopping_cleanly() -> Iterator[None]:
    """Let SIGTERM and SIGHUP unwind the stack before they end the process, as interrupts from the keyboard do.

    Only in the main thread, and only where nobody else handles them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = [number for number in _STOPPING if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, _stop)
    try:
        yield
    except _Stopped as stopped:
        signal.signal(stopped.number, signal.SIG_DFL)
        os.kill(os.getpid(), stopped.number)
        raise
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def _stop(number: int, frame: Any) -> None:
    raise _Stopped(number)

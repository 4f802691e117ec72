"""Heads: where each ledger's chain stood when this user last changed it, so that an older copy put back is noticed."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_state_dir

from tacit.errors import LedgerError
from tacit.saving import write_atomically

if TYPE_CHECKING:
    from tacit.ledger.lines import Line
    from tacit.ledger.writer import Writer


def check(writer: Writer, path: Path) -> None:
    """Refuse a ledger that lacks the last line which this user wrote to it.

    Raises
    ------
    LedgerError
        If the file was set back, or continued from a copy.
    """
    if writer.last is None or (known := noted(writer.line(0))) is None:
        return
    number, hash_ = known
    if writer.last.number < number or writer.line(number).hash != hash_:
        raise LedgerError(
            f"Expected the ledger that you last charged, got one at {str(path)!r} without its line {number}: an older "
            "copy was put in its place, and charges are missing. Put the later file back; if it is lost, `tacit ledger "
            "restore` to another path, with every model that was released."
        )


def remember(writer: Writer) -> None:
    """Note the last line; where nothing can be written, a rollback shows in certificates alone."""
    if writer.last is None:
        return
    place = _place(writer.line(0))
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(place, f"{writer.last.number} {writer.last.hash}")


def noted(first: Line) -> tuple[int, str] | None:
    """Return number and hash of the last line that this user wrote to the ledger of a first line, if that is known."""
    return _read(_place(first))


def _place(first: Line) -> Path:
    # By the ledger and not by its path: it may be moved, and has the same head wherever it is.
    # Hashed, as a file of another hand may hold anything in place of a random number.
    name = sha256(first.nonce.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return Path(user_state_dir("tacit", appauthor=False)) / "ledgers" / name


def _read(place: Path) -> tuple[int, str] | None:
    try:
        number, hash_ = place.read_text(encoding="ascii").split()
        return int(number), hash_
    except (OSError, ValueError):
        return None

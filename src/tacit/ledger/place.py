"""Where a ledger lies: refuses network drives, on which SQLite's locks do not hold; knows copies, and lost logs."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from tacit.errors import LedgerError

_NAMES = (
    "nfs nfs3 nfs4 cifs smb smb2 smb3 smbfs ncpfs afs coda 9p ceph glusterfs lustre gpfs beegfs orangefs pvfs2 ocfs2 "
    "gfs2 davfs virtiofs vboxsf prl_fs vmhgfs drvfs"
)
_NETWORK = frozenset(_NAMES.split())
"""Types of mounts that several machines may write to, or that pass locks on to another kernel."""

_NAMES_IN_USER_SPACE = (
    "sshfs s3fs gcsfuse rclone goofys davfs2 glusterfs curlftpfs ceph-fuse cephfs juicefs vmhgfs-fuse smbnetfs"
)
_NETWORK_IN_USER_SPACE = frozenset(_NAMES_IN_USER_SPACE.split())
"""The same for file systems in user space, whose type is ``fuse.`` and a name; other names cannot be judged."""

_MOUNTS = Path("/proc/self/mountinfo")
_REMOTE = 4  # what Windows' GetDriveTypeW returns for a network drive

_HERE, _BIRTH = -100, 0x800
"""Linux' AT_FDCWD, and its STATX_BTIME."""


def check_local(path: Path) -> None:
    """Refuse a folder on a network drive.

    Known on Linux by the type of the mount, and on Windows by that of the drive. Not known: elsewhere, a file system in
    user space under a name of its own, and a local disk that is exported to other machines.

    Raises
    ------
    LedgerError
        With the type that was found.
    """
    found = _network_type(path)
    if found:
        raise LedgerError(
            f"Expected a ledger on a local disk, got {str(path)!r} on {found}, where two machines may both take a lock "
            "and spend the same budget. Keep the ledger on one machine, and back it up to the network."
        )


def identity(path: Path) -> str:
    """Return a digest that distinguishes this file from every copy of it: of its inode's number and time of birth.

    The file is not opened: closing any handle of it would end the locks that SQLite holds on it in this process.
    """
    found = os.stat(path)
    # A deleted file's number may be given to its copy, which is born later; no copy can set its birth.
    return sha256(f"{found.st_ino} {_birth(path, found)}".encode("ascii")).hexdigest()[:32]


def check_single(path: Path) -> None:
    """Refuse a file with a second name: SQLite keeps a journal for each name, and would not see that of the other.

    Raises
    ------
    LedgerError
        If the file has hard links.
    """
    if path.stat().st_nlink > 1:
        raise LedgerError(
            f"Expected a ledger with one name, got {str(path)!r}, which has hard links. Remove all names but one."
        )


def lost_log(path: Path, noted: str | None) -> Path | None:
    """Return the log that a file was moved without, if one lies where the file was and belongs to none there.

    Parameters
    ----------
    path : Path
        Where the file is.
    noted : str or None
        Where it was when it was last changed. None where it cannot say, as it keeps changes in a log: then any log of
        its folder that lost its file may be its own, unless it has one.
    """
    if noted is None:
        logs = [] if Path(f"{path}-wal").exists() else sorted(path.parent.glob("*-wal"))
    else:
        logs = [] if noted in ("", str(path)) else [Path(f"{noted}{end}") for end in ("-journal", "-wal")]
    for log in logs:
        with suppress(OSError, ValueError):
            if log.stat().st_size and not Path(str(log).rpartition("-")[0]).exists():
                return log
    return None


def _network_type(path: Path) -> str:
    if sys.platform == "win32":
        return _windows_type(path)
    try:
        listed = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""  # no Linux
    kind = _mount_type(os.path.realpath(path), listed)
    base, _, name = kind.partition(".")
    network = kind in _NETWORK or (base == "fuse" and name in _NETWORK_IN_USER_SPACE)
    return f"a mount of type {kind!r}" if network else ""


def _mount_type(path: str, listed: str) -> str:
    """Return the type of the mount that holds a path: the longest mount point above it, of equal ones the last."""
    longest, kind = -1, ""
    for line in listed.splitlines():
        before, _, after = line.partition(" - ")
        point = _unescaped(before.split(" ")[4])
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= longest:
            longest, kind = len(point), after.split(" ")[0]
    return kind


def _unescaped(text: str) -> str:
    for code, sign in ((r"\040", " "), (r"\011", "\t"), (r"\012", "\n"), (r"\134", "\\")):
        text = text.replace(code, sign)
    return text


def _windows_type(path: Path) -> str:
    drive = os.path.splitdrive(os.path.abspath(path))[0]
    if drive.startswith("\\\\"):
        return "a network share"
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009  absent elsewhere, to a type checker too
    return "a network drive" if kernel.GetDriveTypeW(drive + "\\") == _REMOTE else ""


def _birth(path: Path, found: os.stat_result) -> int:
    """Return when the file was made, in nanoseconds; 0 where the system does not say."""
    if sys.platform == "win32":
        return found.st_ctime_ns
    if not sys.platform.startswith("linux"):
        return int(getattr(found, "st_birthtime", 0) * 10**9)
    answer = ctypes.create_string_buffer(256)
    try:
        failed = ctypes.CDLL(None).statx(_HERE, os.fsencode(path), 0, _BIRTH, answer)
    except (AttributeError, OSError):
        return 0  # an old C library
    known, seconds, nanoseconds = struct.unpack_from("=I", answer)[0], *struct.unpack_from("=qI", answer, 80)
    return 0 if failed or not known & _BIRTH else seconds * 10**9 + nanoseconds

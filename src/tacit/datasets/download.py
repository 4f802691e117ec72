"""From a source on the web to a file in the cache: TLS only, bounded in time and size, whole or not at all."""

from __future__ import annotations

import io
import os
import tempfile
import time
import urllib.request
import zipfile
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from http.client import HTTPException
from pathlib import Path, PurePosixPath
from typing import Protocol

from tacit.errors import DatasetUnavailable

LARGEST = 128 * 2**20
"""Bytes; no file here has a quarter of it, packed or unpacked."""

SILENCE = 30.0
"""Seconds that a server may say nothing."""

PATIENCE = 600.0
"""Seconds for a whole download."""

_CHUNK = 2**16


class Readable(Protocol):
    """What a download needs of a response."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes; none at the end."""


Opener = Callable[[str], AbstractContextManager[Readable]]


def open_url(url: str) -> AbstractContextManager[Readable]:
    """Open an https address; certificates are checked, and a redirect to anything but https fails."""
    director = urllib.request.OpenerDirector()
    proxies = {scheme: proxy for scheme, proxy in urllib.request.getproxies().items() if scheme == "https"}
    # No handler for http, ftp or files is added, so that no redirect can lead there.
    for handler in (
        urllib.request.ProxyHandler(proxies),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPRedirectHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.UnknownHandler(),
    ):
        director.add_handler(handler)
    response: AbstractContextManager[Readable] = director.open(url, timeout=SILENCE)
    return response


def download(url: str, target: Path, *, member: str | None = None, opener: Opener = open_url) -> None:
    """Put a file from the web at `target`, replacing what is there.

    Parameters
    ----------
    url : str
        An https address.
    target : Path
        Its folder is made if it is missing.
    member : str, optional
        The name of the wanted file in the zip archive at the address, or in an archive within it.
    opener : callable
        Opens an address; tests give their own.

    Raises
    ------
    DatasetUnavailable
        If the address is not https, cannot be read, or holds too much or not the file. Nothing is left behind.
    """
    if not url.startswith("https://"):
        raise DatasetUnavailable(f"Expected an https address, got url={url!r}. Fetch the file by hand.")
    try:
        with opener(url) as response:
            content = _read_all(response, url)
        if member is not None:
            content = unpack(content, member)
        _write(content, target)
    except (OSError, HTTPException, EOFError, zipfile.BadZipFile, zlib.error, RuntimeError) as error:
        if isinstance(error, DatasetUnavailable):
            raise
        reason = f"{type(error).__name__}: {error}"
    else:
        return
    raise DatasetUnavailable(f"Expected a download from {url}, got {reason}. Try again, or fetch the file by hand.")


def unpack(archive: bytes, member: str) -> bytes:
    """Return the file of this name, in whatever folder of the zip archive or of an archive within it.

    Raises
    ------
    DatasetUnavailable
        If there is none, or it is too large.
    """
    found = _find(archive, member, within=True)
    if found is None:
        raise DatasetUnavailable(
            f"Expected a file {member!r} in the archive, got none. The source has changed; fetch the file by hand."
        )
    return found


def _find(archive: bytes, member: str, *, within: bool) -> bytes | None:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        names = opened.namelist()
        for name in names:
            if PurePosixPath(name).name == member:
                return _read_member(opened, name)
        inner = [name for name in names if within and name.lower().endswith(".zip")]
        found = (_find(_read_member(opened, name), member, within=False) for name in inner)
        return next((content for content in found if content is not None), None)


def _read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as opened:
        content = opened.read(LARGEST + 1)
    _check_size(len(content), name)
    return content


def _read_all(response: Readable, url: str) -> bytes:
    deadline = time.monotonic() + PATIENCE
    content = bytearray()
    while chunk := response.read(_CHUNK):
        content += chunk
        _check_size(len(content), url)
        if time.monotonic() > deadline:
            raise TimeoutError(f"no end after {PATIENCE:.0f} seconds")
    return bytes(content)


def _check_size(size: int, name: str) -> None:
    if size > LARGEST:
        raise DatasetUnavailable(
            f"Expected at most {LARGEST} bytes, got more from {name}. The source has changed; fetch the file by hand."
        )


def _write(content: bytes, target: Path) -> None:
    """Write beside the target, then rename, so that nobody ever reads half a file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, path = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        os.replace(path, target)
    except BaseException:
        Path(path).unlink(missing_ok=True)
        raise

"""Files of data sets: from the folder that TACIT_DATA names, the cache, or their source on the web."""

from __future__ import annotations

import errno
import gzip
import io
import os
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Any, Literal
from urllib.parse import urljoin

from platformdirs import user_cache_dir

from tacit.errors import DatasetUnavailable

VARIABLE = "TACIT_DATA"
"""The environment variable that names the data folder."""

MAX_FILE_BYTES = 128 * 2**20  # bytes; no file of the catalog has a quarter of it, packed or unpacked
SILENCE = 30.0  # seconds that a server may send nothing
PATIENCE = 600.0  # seconds for a whole download: MAX_FILE_BYTES at 220 kB/s
TRIES = 3  # a server that fails thrice in a row needs a person

Downloads = Literal["if-missing", "never"]

Downloader = Callable[[str, Any, Any], None]
"""As pooch has them: writes what is at an address to an open file; the third argument is pooch's own."""

# What the file system says, and no server.
_LOCAL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR}

_FAILURES = (OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error, RuntimeError)


@dataclass(frozen=True)
class File:
    """A file that a data set needs."""

    path: str
    """Folder and name in the data folder and in the cache; the same with ``.gz`` behind it will do."""
    url: str
    """Where it comes from."""
    member: str | None = None
    """Its name in the zip archive at that address."""


def obtain(file: File, *, downloads: Downloads = "if-missing", downloader: Downloader | None = None) -> Path:
    """Return where the file is; download it into the cache if it is nowhere."""
    if path := find(file):
        return path
    if downloads == "never":
        raise DatasetUnavailable(nowhere(file, "no copy in the data folder or the cache"))
    target = cache_folder() / file.path
    try:
        download(file, target, downloader=downloader)
    except DatasetUnavailable as error:
        reason = str(error)
    else:
        return target
    raise DatasetUnavailable(nowhere(file, reason))


def find(file: File) -> Path | None:
    """Return where the file is, in the data folder or the cache, or None; nothing is read or downloaded."""
    # The named folder first: who names one wants its files, also where the cache has others.
    named = os.environ.get(VARIABLE)
    for folder in (Path(named).expanduser(), cache_folder()) if named else (cache_folder(),):
        for path in (folder / file.path, folder / f"{file.path}.gz"):
            if path.is_file():
                return path
    return None


def cache_folder() -> Path:
    """Return the folder that downloads go to."""
    return Path(user_cache_dir("tacit"))


def content(path: Path) -> bytes:
    """Return the content of a file, unpacked if it is packed."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            # A byte more than is allowed shows too large a file, however far it would unpack.
            found = stream.read(MAX_FILE_BYTES + 1)
        if len(found) <= MAX_FILE_BYTES:
            return found
        reason = f"more than {MAX_FILE_BYTES} bytes"
    except (OSError, EOFError, zlib.error) as error:
        reason = type(error).__name__
    raise DatasetUnavailable(f"Expected a readable file at {path}, got {reason}. Replace or remove it.")


def download(file: File, target: Path, *, downloader: Downloader | None = None) -> None:
    """Put a file from the web, out of its archive if it is in one, at `target`, whole or not at all."""
    with downloaded(file, target.parent, largest=MAX_FILE_BYTES, patience=PATIENCE, downloader=downloader) as archive:
        found = archive.read_bytes()
        # Beside the target, then renamed, so that half a file is never read.
        part = archive.with_name("part")
        part.write_bytes(found if file.member is None else unpack(found, file.member))
        os.replace(part, target)


@contextmanager
def downloaded(
    file: File, folder: Path, *, largest: int, patience: float, downloader: Downloader | None = None
) -> Iterator[Path]:
    """Download what is at a file's address into a folder of its own within `folder`, which goes at the end.

    Failures of the body that come from what was downloaded become `DatasetUnavailable`, too.

    Parameters
    ----------
    folder : Path
        Made if it is missing.
    largest : int
        Bytes that the download may have.
    patience : float
        Seconds that it may take.
    downloader : callable, optional
        Over https by default; tests give their own.
    """
    if not file.url.startswith("https://"):
        raise DatasetUnavailable(f"Expected an https address, got url={file.url!r}. Fetch the file by hand.")
    import pooch

    def bounded(url: str, output: str, _: object) -> None:
        with open(output, "wb") as stream:
            (downloader or from_web)(url, _Bounded(stream, url, largest, time.monotonic() + patience), None)

    try:
        folder.mkdir(parents=True, exist_ok=True)
        pooch.get_logger().setLevel("WARNING")  # by default, it tells on stderr what it fetches
        with TemporaryDirectory(dir=folder, prefix=".download.") as scratch:
            # The archives' digests are not known: `catalog` checks that of the table. So pooch is given none.
            source = pooch.create(
                scratch, base_url="", registry={"archive": None}, urls={"archive": file.url}, retry_if_failed=TRIES - 1
            )
            yield Path(source.fetch("archive", downloader=bounded))
    except _FAILURES as error:
        if isinstance(error, DatasetUnavailable):
            raise
        local = os.strerror(error.errno) if isinstance(error, OSError) and error.errno in _LOCAL else None
        reason = f"{type(error).__name__}: {error}"
    else:
        return
    if local is not None:
        raise DatasetUnavailable(
            f"Expected room for a download in the folder {folder}, got: {local}. Free some space, or let the "
            f"environment variable {VARIABLE} name a folder that holds the file."
        )
    raise DatasetUnavailable(
        f"Expected a download from {file.url}, got {reason}. Try again, or fetch the file by hand."
    )


def from_web(url: str, output: Any, _: object) -> None:
    """Write what is at an https address to a file; certificates are checked, redirects lead to https alone."""
    import pooch

    pooch.HTTPDownloader(timeout=SILENCE, hooks={"response": check_tls})(url, output, None)


def check_tls(response: Any, **_: Any) -> None:
    """Refuse a response that did not come over TLS, or leads to where none is; called before a redirect is followed."""
    led_to = urljoin(response.url, response.headers["location"]) if response.is_redirect else response.url
    if not led_to.startswith("https://"):
        raise DatasetUnavailable(f"Expected https addresses alone, got a redirect to {led_to}. Fetch the file by hand.")


def unpack(archive: bytes, member: str) -> bytes:
    """Return the file of this name, in whatever folder of the zip archive or of an archive within it."""
    found = _find_member(archive, member, within=True)
    if found is None:
        raise DatasetUnavailable(
            f"Expected a file {member!r} in the archive, got none. The source has changed; fetch the file by hand."
        )
    return found


def _find_member(archive: bytes, member: str, *, within: bool) -> bytes | None:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        for name in opened.namelist():
            if PurePosixPath(name).name == member:
                return _read_member(opened, name)
        inner = [name for name in opened.namelist() if within and name.lower().endswith(".zip")]
        found = (_find_member(_read_member(opened, name), member, within=False) for name in inner)
        return next((content for content in found if content is not None), None)


def _read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    # pooch's own Unzip writes all that an archive holds, whatever its size, and where the archive says.
    with archive.open(name) as opened:
        found = opened.read(MAX_FILE_BYTES + 1)
    if len(found) > MAX_FILE_BYTES:
        raise _too_much(MAX_FILE_BYTES, name)
    return found


@dataclass
class _Bounded:
    """A file to write to that refuses more than so many bytes, and any after the deadline."""

    stream: IO[bytes]
    url: str
    largest: int
    deadline: float

    def write(self, chunk: bytes) -> int:
        if self.stream.tell() + len(chunk) > self.largest:
            raise _too_much(self.largest, self.url)
        if time.monotonic() > self.deadline:
            raise TimeoutError("no end in the time allowed")
        return self.stream.write(chunk)

    def flush(self) -> None:
        self.stream.flush()


def _too_much(largest: int, where: str) -> DatasetUnavailable:
    return DatasetUnavailable(
        f"Expected at most {largest} bytes, got more from {where}. The source has changed; fetch the file by hand."
    )


def nowhere(file: File, reason: str) -> str:
    """Return what to say of a file that is nowhere: where to get it, and where to put it."""
    source = file.url if file.member is None else f"{file.url} (the file {file.member} in it)"
    folder = os.environ.get(VARIABLE) or f"the folder that the environment variable {VARIABLE} names"
    return (
        f"Expected the file {file.path}, got none: {reason.rstrip('.')}. Get it from {source}, put it into {folder} "
        f"as {file.path} (or with .gz behind it), and set {VARIABLE} to that folder; {cache_folder()} is also searched."
    )

"""Where do results live? In a folder here, or at a URL that fsspec understands.

A folder has one file that grows. Storage at a URL (s3://, gs://, file://, memory://, ...) knows no
appending, so there each flush is a new, numbered part. A part's name has its writer in it, so that
two drivers can never overwrite each other. Both are held by one driver at a time: a folder by a
file lock, which ends with its process; a URL by an object that is renewed while the driver lives.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import secrets
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from port.errors import PortsimError, first_line

RESULTS, LOCK, PARTS = "results.jsonl", "lock", "results"
FLUSH_SECONDS, FLUSH_RECORDS = 10.0, 1000
"""A URL gets a new part this often at most. A driver that is killed loses what is not flushed:
at most this much is done again."""
RENEW_SECONDS, LET_GO_SECONDS = 20.0, 120.0
"""A driver renews its hold of a URL this often, and is thought dead after not doing so for this
long: six times missed."""
AT_ONCE = 16
"""Parts fetched together: what hides a store's latency, and at most some 16 MB of results."""


class StoreError(PortsimError):
    """A store that cannot be opened or written, or that holds something else than asked for."""


Part = tuple[str, Iterable[bytes]]
"""A file of results: its name and its lines, each with its line end if it was written whole."""


class Place(Protocol):
    """Somewhere to keep named files and one growing list of lines."""

    patience: float
    """Seconds that lines may wait to be added together."""

    def hold(self) -> None:
        """Make the place and keep other drivers out. Raises StoreError when one is in."""
        ...

    def get(self, name: str) -> str | None:
        """A file's text; None when there is no such file."""
        ...

    def put(self, name: str, text: str) -> None:
        """Write a file: whole, or not at all."""
        ...

    def parts(self) -> Iterator[Part]:
        """What there is, in order; also what was kept here under the other kind of name."""
        ...

    def cut(self, part: str, size: int) -> None:
        """Keep only the first `size` bytes of a part."""
        ...

    def add(self, lines: bytes) -> None:
        """Append whole lines: all of them, or none."""
        ...

    def renew(self) -> None:
        """Say that the driver lives; called about once a second."""
        ...

    def leave(self) -> None: ...


def place(where: Path | str) -> Place:
    """The place a path or a URL names."""
    return Storage(str(where)) if "://" in str(where) else Folder(Path(where))


def joined(runs: Path | str, name: str) -> Path | str:
    """The store called `name` under a path or a URL."""
    return f"{str(runs).rstrip('/')}/{name}" if "://" in str(runs) else Path(runs) / name


def holder() -> str:
    """Who this driver is, for the one who is refused."""
    return f"process {os.getpid()} on {socket.gethostname()}"


@contextmanager
def _told(what: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"{what}: {error.strerror or error}") from error


class Folder:
    """A folder on a disk of this machine. What was added is on the disk when `add` returns."""

    patience = 0.0

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock: int | None = None
        self._results: int | None = None

    def __str__(self) -> str:
        return str(self._folder)

    def hold(self) -> None:
        path = self._folder / LOCK
        with _told(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                who = os.read(lock, 200).decode(errors="replace").strip() or "another process"
                os.close(lock)
                raise StoreError(
                    f"{self._folder} is being written by {who}; wait for it, or end it"
                ) from None
            self._lock = lock
            # A courtesy to the one refused; that the disk is full is said by what matters.
            with suppress(OSError):
                os.ftruncate(lock, 0)
                os.write(lock, holder().encode())

    def get(self, name: str) -> str | None:
        path = self._folder / name
        with _told(path):
            try:
                return path.read_text(encoding="utf-8", errors="replace")
            except FileNotFoundError:
                return None

    def put(self, name: str, text: str) -> None:
        path = self._folder / name
        draft = path.with_name(name + ".new")
        with _told(path):
            try:
                with draft.open("w", encoding="utf-8") as file:
                    file.write(text)
                    file.flush()
                    os.fsync(file.fileno())
                draft.replace(path)
            except OSError:
                draft.unlink(missing_ok=True)
                raise

    def parts(self) -> Iterator[Part]:
        for path in (self._folder / RESULTS, *sorted((self._folder / PARTS).glob("*.jsonl"))):
            with _told(path):
                if path.exists():
                    with path.open("rb") as file:
                        yield str(path.relative_to(self._folder)), file

    def cut(self, part: str, size: int) -> None:
        with _told(self._folder / part), (self._folder / part).open("rb+") as file:
            file.truncate(size)
            os.fsync(file.fileno())

    def add(self, lines: bytes) -> None:
        path = self._folder / RESULTS
        with _told(path):
            if self._results is None:
                flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
                self._results = os.open(path, flags, 0o644)
            size = os.fstat(self._results).st_size
            try:
                _write_all(self._results, lines)
                os.fsync(self._results)
            except BaseException:
                with suppress(OSError):
                    os.ftruncate(self._results, size)
                raise

    def renew(self) -> None:
        """A file lock needs no renewing."""

    def leave(self) -> None:
        for file in (self._results, self._lock):
            if file is not None:
                os.close(file)
        self._results = self._lock = None


def _write_all(file: int, content: bytes) -> None:
    """A full disk first takes a part of what it is given, and says so only the next time."""
    rest = memoryview(content)
    while rest:
        written = os.write(file, rest)
        if not written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        rest = rest[written:]


class Storage:
    """Storage at a URL: numbered parts under ``results/``, read in the order of their numbers."""

    patience = FLUSH_SECONDS

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        self._writer = secrets.token_hex(4)
        self._next = 1
        self._renewed: float | None = None
        with self._asking():
            import fsspec  # type: ignore[import-untyped]

            self._files: Any
            self._files, root = fsspec.core.url_to_fs(self._url)
            self._root = PurePosixPath(root)

    def __str__(self) -> str:
        return self._url

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Each storage has errors of its own, which fsspec hands on as they are."""
        try:
            yield
        except (StoreError, GeneratorExit):
            raise
        except Exception as error:
            raise StoreError(f"{self._url}: {first_line(error)}") from error

    def _path(self, name: str) -> str:
        return str(self._root / name)

    def hold(self) -> None:
        with self._asking():
            # Stores of objects have no folders and pass over this.
            self._files.makedirs(self._path(PARTS), exist_ok=True)
        self._refuse_another()
        self.renew()
        # Of two that came at once, the one that wrote last holds it.
        self._refuse_another()

    def _refuse_another(self) -> None:
        held = self._hold()
        if held is not None and held["writer"] != self._writer and not _is_gone(held):
            raise StoreError(
                f"{self._url} is being written by {held['who']}; wait for it, or end it "
                f"(a driver that died lets go {LET_GO_SECONDS:.0f} s later)"
            )

    def _hold(self) -> dict[str, Any] | None:
        text = self.get(LOCK)
        if not text:
            return None
        try:
            held = json.loads(text)
        except ValueError:
            return None
        return held if isinstance(held, dict) and {"writer", "who", "at"} <= set(held) else None

    def get(self, name: str) -> str | None:
        with self._asking():
            try:
                content: bytes = self._files.cat_file(self._path(name))
            except FileNotFoundError:
                return None
            return content.decode("utf-8", errors="replace")

    def put(self, name: str, text: str) -> None:
        with self._asking():
            self._files.pipe_file(self._path(name), text.encode())

    def parts(self) -> Iterator[Part]:
        names = self._names()
        with self._asking():
            if self._files.exists(self._path(RESULTS)):
                names.insert(0, RESULTS)
        for start in range(0, len(names), AT_ONCE):
            some = names[start : start + AT_ONCE]
            with self._asking():
                found = self._files.cat([self._path(name) for name in some])
            contents = [found] if isinstance(found, bytes) else [found[k] for k in sorted(found)]
            for name, content in zip(some, contents, strict=True):
                yield name, content.splitlines(keepends=True)

    def _names(self) -> list[str]:
        with self._asking():
            # What was listed before may have grown since.
            self._files.invalidate_cache()
            try:
                found = self._files.ls(self._path(PARTS), detail=False)
            except FileNotFoundError:
                return []
        names = sorted(PurePosixPath(path).name for path in found)
        return [f"{PARTS}/{name}" for name in names if name.endswith(".jsonl")]

    def cut(self, part: str, size: int) -> None:
        with self._asking():
            content = self._files.cat_file(self._path(part))
            self._files.pipe_file(self._path(part), content[:size])

    def add(self, lines: bytes) -> None:
        if self._next == 1:
            numbers = [int(PurePosixPath(name).name.split("-")[0]) for name in self._names()]
            self._next = max(numbers, default=0) + 1
        name = f"{PARTS}/{self._next:08d}-{self._writer}.jsonl"
        with self._asking():
            self._files.pipe_file(self._path(name), lines)
        self._next += 1

    def renew(self) -> None:
        if self._renewed is not None:
            if time.monotonic() - self._renewed < RENEW_SECONDS:
                return
            self._refuse_another()
        who = {"writer": self._writer, "who": holder(), "pid": os.getpid()}
        self.put(LOCK, json.dumps(who | {"host": socket.gethostname(), "at": time.time()}))
        self._renewed = time.monotonic()

    def leave(self) -> None:
        if self._renewed is None:
            return
        with self._asking():
            held = self._hold()
            if held is not None and held["writer"] == self._writer:
                self._files.rm_file(self._path(LOCK))
        self._renewed = None


def _is_gone(held: dict[str, Any]) -> bool:
    """The driver that held a URL is dead: seen to be so here, or silent for too long."""
    if held.get("host") == socket.gethostname():
        try:
            os.kill(int(held["pid"]), 0)
        except ProcessLookupError:
            return True
        except (PermissionError, KeyError, ValueError):
            pass
    return bool(time.time() - float(held["at"]) > LET_GO_SECONDS)

"""What has been done already? An append-only file of results, the only durable state of a farm.

A store is a folder: `settings.json` says what was asked for, `results.jsonl` has a line per job.
Lines are flushed to the disk one by one. A last line that a power cut tore is dropped when the
store is next opened, and `repairs.log` says what it was.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from port.errors import PortsimError

SETTINGS, RESULTS, REPAIRS = "settings.json", "results.jsonl", "repairs.log"

Record = dict[str, Any]


class StoreError(PortsimError):
    """A store that cannot be opened, or that holds something else than was asked for."""


class Store:
    """The results in a folder. `done` has the ids of the jobs that need not be done again."""

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        self.done: set[str] = set()
        self.repaired: str | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._keep_settings(dict(settings))
            self._repair()
            self.done = {record["job"] for record in read(folder)}
            self._file = (folder / RESULTS).open("a", encoding="utf-8")
        except OSError as error:
            raise StoreError(f"{folder}: {error.strerror or error}") from error

    def _keep_settings(self, settings: Record) -> None:
        path = self.folder / SETTINGS
        if not path.exists():
            if (self.folder / RESULTS).exists():
                raise StoreError(f"{self.folder} has results but no {SETTINGS}; name a new one")
            _write_whole(path, json.dumps(settings, indent=1, sort_keys=True) + "\n")
            return
        kept = _json(path)
        differing = sorted(k for k in {*kept, *settings} if kept.get(k) != settings.get(k))
        if differing:
            told = "; ".join(
                f"{k}: {kept.get(k)!r} there, {settings.get(k)!r} now" for k in differing
            )
            raise StoreError(f"{self.folder} exists with other settings: {told}")

    def _repair(self) -> None:
        """Drop a last line that was not written whole, and say so."""
        path = self.folder / RESULTS
        if not path.exists() or path.stat().st_size == 0:
            return
        with path.open("rb+") as file:
            text = file.read()
            whole = text.rfind(b"\n") + 1
            if whole == len(text):
                return
            torn = text[whole:]
            file.truncate(whole)
            os.fsync(file.fileno())
        self.repaired = f"dropped {len(torn)} bytes of a torn last line: {torn[:200]!r}"
        with (self.folder / REPAIRS).open("a", encoding="utf-8") as log:
            log.write(self.repaired + "\n")

    def append(self, record: Record) -> None:
        """Keep a job's record. Raises StoreError when the disk does not take it."""
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
        try:
            self._file.write(line)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise StoreError(
                f"{self.folder / RESULTS}: {error.strerror or error}; the results before are kept"
            ) from error
        self.done.add(record["job"])

    def close(self) -> None:
        try:
            self._file.close()
        except OSError as error:
            raise StoreError(f"{self.folder / RESULTS}: {error.strerror or error}") from error


def read(folder: Path) -> Iterator[Record]:
    """The records of a store, in the order they were kept.

    Raises StoreError naming the line that cannot be read.
    """
    path = folder / RESULTS
    if not path.exists():
        return
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith("\n"):
                return
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                raise StoreError(f"{path}, line {number}: {error.msg}: {line[:80]!r}") from error
            if not isinstance(record, dict) or "job" not in record:
                raise StoreError(f"{path}, line {number} is no result: {line[:80]!r}")
            yield record


def settings_of(folder: Path) -> Record:
    """What a store was made for."""
    path = folder / SETTINGS
    if not path.exists():
        raise StoreError(f"{folder} is no store of results: it has no {SETTINGS}")
    return _json(path)


def _json(path: Path) -> Record:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StoreError(f"{path}: {error}") from error
    if not isinstance(value, dict):
        raise StoreError(f"{path}: expected an object")
    return value


def _write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    draft = path.with_suffix(path.suffix + ".new")
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)

"""What has been done already? An append-only list of results, the only durable state of a farm.

A store is a folder or a URL (see place.py): `settings.json` says what was asked for, the results
have a line per job. A last line that a power cut tore is dropped when the store is next opened,
and `repairs.log` says what it was.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from .place import FLUSH_RECORDS, Place, StoreError, place

__all__ = ["Record", "Store", "StoreError", "read", "reward_of", "settings_of"]

SETTINGS, REPAIRS = "settings.json", "repairs.log"

Record = dict[str, Any]


class Store:
    """The results at a path or a URL, held by one driver at a time.

    `done` has the ids of the jobs that need not be done again, with the reward each had (None
    where there is none); `failed` those of them that ended in an error. Raises StoreError when the
    place cannot be written or is in use, or when the store was made for other settings, which the
    error names.
    """

    def __init__(self, where: Path | str, settings: Mapping[str, Any]) -> None:
        self.where = where
        self.done: dict[str, float | None] = {}
        self.failed: set[str] = set()
        self.repaired: str | None = None
        self._waiting: list[bytes] = []
        self._flushed = time.monotonic()
        self._place = place(where)
        self._place.hold()
        try:
            self._keep_settings(json.loads(json.dumps(dict(settings))))
            self._read()
        except BaseException:
            self._place.leave()
            raise

    def _keep_settings(self, settings: Record) -> None:
        kept = _settings(self._place)
        if kept is not None:
            if differing := _differences(kept, settings):
                told = "; ".join(differing)
                raise StoreError(f"{self.where} exists with other settings: {told}")
            return
        if next(iter(self._place.parts()), None) is not None:
            raise StoreError(f"{self.where} has results but no {SETTINGS}; name a new one")
        self._place.put(SETTINGS, json.dumps(settings, indent=1, sort_keys=True) + "\n")

    def _read(self) -> None:
        torn: list[tuple[str, int, bytes]] = []
        for part, lines in self._place.parts():
            end = 0
            for line, record in _records(f"{self.where}/{part}", lines):
                if record is None:
                    torn.append((part, end, line))
                    continue
                end += len(line)
                if record["job"] not in self.done:
                    self._note(record)
        for part, end, line in torn:
            self._repair(part, end, line)

    def _repair(self, part: str, end: int, torn: bytes) -> None:
        """Drop a last line that was not written whole, and say so."""
        told = f"dropped {len(torn)} bytes of a torn last line of {part}: {torn[:200]!r}"
        before = self._place.get(REPAIRS) or ""
        self._place.put(REPAIRS, f"{before}{told}\n")
        self._place.cut(part, end)
        self.repaired = told if self.repaired is None else f"{self.repaired}; {told}"

    def append(self, record: Record) -> None:
        """Keep a job's record; it is durable once `flush` has written it."""
        self._waiting.append(json.dumps(record, separators=(",", ":")).encode() + b"\n")
        self._note(record)

    def _note(self, record: Record) -> None:
        self.done[record["job"]] = reward_of(record)
        if record.get("error") is not None:
            self.failed.add(record["job"])

    def flush(self, now: bool = False) -> None:
        """Write what was appended, if it is time to. A folder's time is always.

        Raises StoreError when the place does not take it; what was written before is kept.
        """
        waited = time.monotonic() - self._flushed
        due = now or waited >= self._place.patience or len(self._waiting) >= FLUSH_RECORDS
        if self._waiting and due:
            self._place.add(b"".join(self._waiting))
            self._waiting = []
            self._flushed = time.monotonic()
        self._place.renew()

    def close(self) -> None:
        """Write what is left and let others in."""
        try:
            self.flush(now=True)
        finally:
            self._place.leave()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except StoreError:
            # What ended the block says more than that its end could not be written either.
            if error is None:
                raise


def read(where: Path | str) -> Iterator[Record]:
    """The records of a store in the order they were kept, one per job.

    A torn last line is passed over. Raises StoreError naming a line that cannot be read.
    """
    seen: set[str] = set()
    for part, lines in place(where).parts():
        for _, record in _records(f"{where}/{part}", lines):
            if record is not None and record["job"] not in seen:
                seen.add(record["job"])
                yield record


def settings_of(where: Path | str) -> Record:
    """What a store was made for."""
    settings = _settings(place(where))
    if settings is None:
        raise StoreError(f"{where} is no store of results: it has no {SETTINGS}")
    return settings


def _settings(there: Place) -> Record | None:
    text = there.get(SETTINGS)
    if text is None:
        return None
    try:
        value = json.loads(text)
    except ValueError as error:
        raise StoreError(f"{there}/{SETTINGS}: {error}") from error
    if not isinstance(value, dict):
        raise StoreError(f"{there}/{SETTINGS}: expected an object")
    return value


def _differences(kept: Record, asked: Record) -> list[str]:
    names = sorted({*kept, *asked})
    return [_differ(n, kept.get(n), asked.get(n)) for n in names if kept.get(n) != asked.get(n)]


def _differ(name: str, kept: object, asked: object) -> str:
    """How a setting differs; of long lists, only what one has and the other lacks."""
    if not isinstance(kept, list) or not isinstance(asked, list):
        return f"{name}: {json.dumps(kept)} there, {json.dumps(asked)} now"
    fewer = [value for value in kept if value not in asked]
    more = [value for value in asked if value not in kept]
    told = [f"{len(kept)} there, {len(asked)} now"]
    told += [f"no longer {_some(fewer)}"] if fewer else []
    told += [f"new {_some(more)}"] if more else []
    told += ["in another order"] if not fewer and not more else []
    return f"{name}: {', '.join(told)}"


def _some(values: list[object]) -> str:
    shown = " ".join(str(value) for value in values[:3])
    return shown if len(values) <= 3 else f"{shown} and {len(values) - 3} more"


def _records(told: str, lines: Iterable[bytes]) -> Iterator[tuple[bytes, Record | None]]:
    """Each line with its record; a last line that is torn has none.

    Raises StoreError for a line that is no record, or is torn and not the last.
    """
    torn: bytes | None = None
    for number, line in enumerate(lines, 1):
        if torn is not None:
            raise StoreError(f"{told}, line {number - 1} is no JSON: {torn[:80]!r}")
        try:
            record = json.loads(line) if line.endswith(b"\n") else None
        except ValueError:
            # The disk had made room for it, and its end, before it wrote.
            record = None
        if record is None:
            torn = line
        elif isinstance(record, dict) and isinstance(record.get("job"), str):
            yield line, record
        else:
            raise StoreError(f"{told}, line {number} is no result: {line[:80]!r}")
    if torn is not None:
        yield torn, None


def reward_of(record: Record) -> float | None:
    """What a job earned: an episode that failed nothing, None where there is nothing to earn."""
    if record.get("error") is not None:
        return 0.0 if record.get("work") == "play" else None
    result = record.get("result")
    reward = result.get("reward") if isinstance(result, dict) else None
    return float(reward) if isinstance(reward, int | float) else None

"""What was said in a week, in which order? The journal: append-only, each line sealed to the last.

A line is one JSON object: its number, the round of delivery, the envelope, and a hash over the
line and the hash before it. Line 0 is the heading. Lines are written whole, round by round, so a
journal that was interrupted can be read up to where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from pydantic import BaseModel, ConfigDict, ValidationError

from port.errors import PortsimError

from .messages import Envelope

FORMAT = "portsim-journal/1"
_SEALED = re.compile(r'^\{"n":(\d{1,9}),(.*),"hash":"([0-9a-f]{64})"\}', re.DOTALL)


class JournalError(PortsimError):
    """A journal that cannot be read: the text names the file, the line and what is wrong."""


class Heading(BaseModel):
    """What a journal is of: the week, the port, who planned it, and the week's own digest."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    format: str = FORMAT
    week: str
    port: str
    planner: str
    digest: str


def _seal(before: str, content: str) -> str:
    return hashlib.sha256((before + content).encode()).hexdigest()


class Journal:
    """The record of one week, in memory, and on a stream when it is given one."""

    def __init__(self, heading: Heading, stream: IO[str] | None = None) -> None:
        self.heading = heading
        self.envelopes: list[Envelope] = []
        self._stream = stream
        self._hash = ""
        self._lines: list[str] = []
        self._write(f'"heading":{heading.model_dump_json()}')

    def append(self, round_number: int, envelopes: Sequence[Envelope]) -> None:
        """Record a round's envelopes, in the order they are delivered."""
        for envelope in envelopes:
            self._write(f'"round":{round_number},"envelope":{envelope.model_dump_json()}')
            self.envelopes.append(envelope)
        if self._stream is not None:
            self._stream.flush()

    def inbox(self, role: str, before: int | None = None) -> list[Envelope]:
        """What was sent to a role, in order: all of it, or that among the first `before`."""
        return [envelope for envelope in self.envelopes[:before] if envelope.reaches(role)]

    @property
    def lines(self) -> Sequence[str]:
        """The lines so far, without their line ends."""
        return self._lines

    @property
    def seal(self) -> str:
        """The hash over everything so far: equal for equal journals."""
        return self._hash

    def _write(self, content: str) -> None:
        self._hash = _seal(self._hash, content)
        line = f'{{"n":{len(self._lines)},{content},"hash":"{self._hash}"}}'
        self._lines.append(line)
        if self._stream is not None:
            self._stream.write(line + "\n")


class Entry(BaseModel):
    """A line of a journal as read: a heading or an envelope with its round."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    n: int
    heading: Heading | None = None
    round: int | None = None
    envelope: Envelope | None = None
    hash: str


def read(path: Path) -> tuple[Heading, list[str]]:
    """A journal's heading and its lines, all seals checked.

    Raises JournalError at the first line that is cut short, edited, out of order or unreadable.
    """
    lines: list[str] = []
    before = ""
    for number, line in _numbered(path):
        before = _checked_seal(path, number, line, before)
        lines.append(line)
    if not lines:
        raise JournalError(f"{path}, line 1: it is empty; a journal starts with its heading")
    _need_format(path, lines[0])
    heading = entry(path, 0, lines[0]).heading
    if heading is None:
        raise JournalError(f"{path}, line 1: expected a heading, got an envelope")
    return heading, lines


def _need_format(path: Path, line: str) -> None:
    """Said before anything else of the heading is read: another format may have other fields."""
    try:
        found = json.loads(line)["heading"]["format"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise JournalError(f"{path}, line 1: no heading with a format: {line[:80]!r}") from None
    if found != FORMAT:
        raise JournalError(f"{path}, line 1: format is {found!r}, this program reads {FORMAT!r}")


def _numbered(path: Path) -> Iterator[tuple[int, str]]:
    try:
        written = path.read_bytes()
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror or error}") from error
    try:
        text = written.decode()
    except UnicodeDecodeError as error:
        line = written.count(b"\n", 0, error.start) + 1
        raise JournalError(f"{path}, line {line} is not text: {error.reason}") from error
    rows = text.split("\n")
    if rows[-1]:
        raise JournalError(f"{path}, line {len(rows)} is cut short; the lines before it are whole")
    yield from enumerate(rows[:-1])


def _checked_seal(path: Path, number: int, line: str, before: str) -> str:
    match = _SEALED.fullmatch(line)
    if match is None:
        raise JournalError(f"{path}, line {number + 1} is no journal line: {line[:80]!r}")
    numbered, content, seal = match.groups()
    if int(numbered) != number:
        raise JournalError(
            f"{path}, line {number + 1} is numbered {numbered}, expected {number}: "
            f"lines are missing, repeated or out of order"
        )
    if _seal(before, content) != seal:
        raise JournalError(f"{path}, line {number + 1} was changed after it was written")
    return seal


def entry(path: Path, number: int, line: str) -> Entry:
    """One line, read. Raises JournalError when it is sealed but means nothing."""
    try:
        return Entry.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise JournalError(f"{path}, line {number + 1}, {where}: {first['msg']}") from error


def digest(value: object) -> str:
    """A short digest of anything JSON can hold, equal for equal values."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]

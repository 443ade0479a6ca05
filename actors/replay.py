"""Does a journal hold? The week is played again from the planner's recorded messages alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from port.errors import PortsimError

from .cast import cast
from .inline import Inline
from .journal import Heading, Journal, JournalError, entry, read
from .messages import PLANNER, Envelope, Graded
from .run import JOURNAL
from .stage import Company, Session
from .weeks import playable, week_digest


class ReplayError(PortsimError):
    """The week, played again, says something else than its journal."""


@dataclass(frozen=True)
class Replayed:
    """How far a journal goes: its lines, and its grade when it goes to the end."""

    heading: Heading
    lines: int
    graded: Graded | None


def replay(path: Path, runtime: Company | None = None) -> Replayed:
    """Play a journal (or the run folder it is in) back, roles live, planner from the record.

    Raises ReplayError at the first message that differs, and JournalError when the journal
    itself cannot be read.
    """
    path = path / JOURNAL if path.is_dir() else path
    heading, lines = read(path)
    try:
        week = playable(heading.week, heading.port)
    except PortsimError as error:
        raise JournalError(f"{path}, line 1: {error}") from error
    if week_digest(week) != heading.digest:
        raise ReplayError(
            f"{path} was played on another version of {heading.week}: its digest is "
            f"{heading.digest}, the week here has {week_digest(week)}"
        )
    again = Journal(heading)
    session = Session(cast(week, heading.port), runtime or Inline(), again)
    session.start()
    _same(path, lines, again)
    while (done := len(again.lines)) < len(lines):
        recorded = _envelope(path, lines, done)
        if recorded.sender != PLANNER or not recorded.to:
            raise ReplayError(
                f"{path}, line {done + 1}: the journal has {recorded.body.kind!r} by "
                f"{recorded.sender}, in the replay nobody has anything more to say"
            )
        try:
            session.send(recorded.to[0], recorded.body)
        except PortsimError as error:
            raise ReplayError(f"{path}, line {done + 1}: {error}") from error
        _same(path, lines, again, done)
    told = (envelope.body for envelope in again.envelopes[: len(lines) - 1])
    graded = next((body for body in told if isinstance(body, Graded)), None)
    return Replayed(heading, len(lines), graded)


def _envelope(path: Path, lines: list[str], number: int) -> Envelope:
    envelope = entry(path, number, lines[number]).envelope
    if envelope is None:
        raise JournalError(f"{path}, line {number + 1}: expected an envelope")
    return envelope


def _same(path: Path, lines: list[str], again: Journal, start: int = 0) -> None:
    for number, repeated in enumerate(again.lines[start : len(lines)], start):
        if lines[number] != repeated:
            raise ReplayError(
                f"{path}, line {number + 1} differs.\n journal: {lines[number][:300]}\n"
                f" replay:  {repeated[:300]}"
            )

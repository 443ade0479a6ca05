"""How is a week played? Roles cast, a runtime to hold them, and a session a planner talks to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from port.errors import PortsimError
from port.grade import Grade
from port.news import PORT_CONTROL

from .assessor import assess
from .cast import Cast, Part
from .journal import Journal
from .messages import ASSESSOR, CLOCK, PLANNER, STAGE, Body, Envelope, LeaveWeek, Opening
from .post import Observer, Post, Runtime


class StageError(PortsimError):
    """A call that the week, as it stands, has no answer to."""


class Company(Runtime, Protocol):
    """A runtime that can be given a cast: it makes each part's role where it is to live."""

    def open(self, parts: Mapping[str, Part]) -> None: ...


@dataclass(frozen=True)
class Outcome:
    """A week that was played: its grade and what the audit found (nothing, in a sound week)."""

    grade: Grade
    audit: tuple[str, ...]


class Session:
    """One week being played. The planner's side sends bodies and reads what comes back."""

    def __init__(
        self,
        cast: Cast,
        runtime: Company,
        journal: Journal,
        observer: Observer | None = None,
    ) -> None:
        self.cast = cast
        self.hour = 0
        self.outcome: Outcome | None = None
        self._journal = journal
        self._sent = 0
        runtime.open(cast.parts)
        self._post = Post(runtime, cast.parts, journal, observer)

    def start(self) -> list[Envelope]:
        """Open the week; returns what the planner hears first."""
        listeners = [CLOCK, PLANNER]
        listeners += [name for name in self.cast.parts if name != CLOCK and _hears(name)]
        opening = Opening(week=self.cast.opening)
        first = Envelope(hour=0, sender=STAGE, seq=0, to=tuple(listeners), body=opening)
        return self._deliver(first)

    def send(self, to: str, body: Body) -> list[Envelope]:
        """Send a planner's message; returns everything the planner hears until all is quiet."""
        if not self._journal.envelopes:
            raise StageError(f"{self.cast.week.id} was never opened; `start` opens it")
        envelope = Envelope(hour=self.hour, sender=PLANNER, seq=self._sent, to=(to,), body=body)
        self._sent += 1
        return self._deliver(envelope)

    def _deliver(self, envelope: Envelope) -> list[Envelope]:
        heard = self._post.deliver([envelope])
        if any(ASSESSOR in e.to for e in heard) and self.outcome is None:
            heard += self._graded(heard[-1].hour)
        heard = [e for e in heard if PLANNER in e.to]
        if heard:
            self.hour = heard[-1].hour
        return heard

    def _graded(self, hour: int) -> list[Envelope]:
        grade, graded = assess(self.cast.week, self._journal.envelopes)
        self.outcome = Outcome(grade, graded.audit)
        word = Envelope(hour=hour, sender=ASSESSOR, seq=0, to=(PLANNER,), body=graded)
        return self._post.deliver([word])


def _hears(name: str) -> bool:
    """The authorities keep the week as known; firms and port control know only their own."""
    return not name.startswith("firm:") and name != PORT_CONTROL


Planner = Callable[[Session], None]


def play(
    cast: Cast,
    planner: Planner,
    runtime: Company,
    journal: Journal,
    observer: Observer | None = None,
) -> Outcome:
    """Play a week to its end: nothing here knows of files, names or options.

    A planner that returns early has its week run out on the windows it confirmed.
    """
    session = Session(cast, runtime, journal, observer)
    planner(session)
    if session.outcome is None:
        session.send(CLOCK, LeaveWeek())
    if session.outcome is None:
        raise StageError(f"{cast.week.id} was left without a grade")
    return session.outcome

"""What is a role? A name, a slice of the truth, and an answer to every message.

`receive` is deterministic and touches nothing outside the role, so a role's state is what its
inbox made of it: one that dies is rebuilt by replaying that inbox.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import NamedTuple

from actors.messages import (
    ASSESSOR,
    CLOCK,
    PLANNER,
    Body,
    Bulletin,
    Envelope,
    Fault,
    Findings,
    NewsDue,
    NewsTestimony,
    Notice,
    Opening,
    Review,
    Tick,
    WeekClosed,
    Window,
)
from port.errors import PortsimError
from port.known import apply
from port.model import Berth, Event, Finding, Plan, Week


class UnexpectedMessageError(PortsimError):
    """A role was sent a message it has no answer to."""


class Line(NamedTuple):
    """A piece of news a role will tell: at which hour, what happened, in which words."""

    hour: int
    event: Event
    text: str


class Role(ABC):
    """Plain Python behind a name. It does not know whether it has a process to itself."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.hour = 0
        self._sent = 0

    @abstractmethod
    def receive(self, envelope: Envelope) -> list[Envelope]:
        """What the role sends when this message reaches it."""

    def send(self, to: str | Iterable[str], body: Body) -> Envelope:
        recipients = (to,) if isinstance(to, str) else tuple(to)
        envelope = Envelope(
            hour=self.hour, sender=self.name, seq=self._sent, to=recipients, body=body
        )
        self._sent += 1
        return envelope

    def unexpected(self, envelope: Envelope) -> UnexpectedMessageError:
        return UnexpectedMessageError(
            f"{self.name} has no answer to {envelope.body.kind!r} from {envelope.sender}"
        )


class Speaker(Role):
    """A role with news of its own: tells it to the planner and the authorities when it is due."""

    def __init__(self, name: str, lines: Iterable[Line], authorities: Iterable[str]) -> None:
        super().__init__(name)
        self.lines = tuple(lines)
        self.audience = (PLANNER, *authorities)

    def receive(self, envelope: Envelope) -> list[Envelope]:
        match envelope.body:
            case Bulletin() as bulletin:
                self.hour = bulletin.hour
                return [self.send(CLOCK, NewsDue())] if self.has_news() else []
            case Tick() as tick:
                self.hour = tick.hour
                return self.tell(tick)
            case WeekClosed():
                return self.testify()
            case _:
                raise self.unexpected(envelope)

    def tell(self, tick: Tick) -> list[Envelope]:
        """The news due at this watch."""
        return [
            self.send(self.audience, Notice(text=line.text, effect=line.event))
            for line in self.lines
            if line.hour == tick.hour
        ]

    def has_news(self) -> bool:
        """Whether the role has news for the bulletin of this hour."""
        return any(line.hour == self.hour for line in self.lines)

    def testify(self) -> list[Envelope]:
        testimony = NewsTestimony(
            hours=tuple(line.hour for line in self.lines),
            events=tuple(line.event for line in self.lines),
        )
        return [self.send(ASSESSOR, testimony)]


class Authority(Speaker):
    """A speaker that also keeps the week as known, from the opening and everybody's notices."""

    _week: Week | None = None

    @property
    def week(self) -> Week:
        if self._week is None:
            raise UnexpectedMessageError(f"{self.name} was asked before the week opened")
        return self._week

    def receive(self, envelope: Envelope) -> list[Envelope]:
        match envelope.body:
            case Opening() as opening:
                self._week = opening.week
                return []
            case Notice() as notice:
                self.hear(notice.effect)
                return []
            case _:
                return super().receive(envelope)

    def hear(self, event: Event) -> None:
        self._week = apply(self.week, event)


class Reviewer(Authority):
    """An authority that judges windows by its own rules when the harbour master asks."""

    def receive(self, envelope: Envelope) -> list[Envelope]:
        if isinstance(envelope.body, Review):
            found = self.review(plan_of(envelope.body.windows))
            return [self.send(envelope.sender, Findings(findings=faults(found)))]
        return super().receive(envelope)

    @abstractmethod
    def review(self, plan: Plan) -> list[Finding]:
        """The role's own rules on the whole plan."""


def plan_of(windows: Iterable[Window]) -> dict[int, Berth]:
    return {w.ship: Berth(w.berth_hour, w.section, w.cranes) for w in windows}


def windows_of(plan: Plan) -> tuple[Window, ...]:
    return tuple(
        Window(ship=ship, berth_hour=berth.hour, section=berth.section, cranes=berth.cranes)
        for ship, berth in sorted(plan.items())
    )


def faults(findings: Iterable[Finding]) -> tuple[Fault, ...]:
    return tuple(
        Fault(ship=f.ship, rule=f.rule, hour=f.hour, other=f.other, text=f.text) for f in findings
    )


def findings_of(found: Iterable[Fault]) -> list[Finding]:
    return [Finding(f.ship, f.rule, f.hour, f.other, f.text) for f in found]

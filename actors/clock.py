"""What hour is it? The simulated clock: bulletin by bulletin, with a barrier before the planner.

The clock does not know what will happen, and nobody tells it ahead: at every bulletin it asks who
has news, and only those who have say so. A bulletin with news opens a watch. Everyone gets a
round to answer in; the clock's own word to itself, which comes last in the next one, ends it.
"""

from __future__ import annotations

from port.news import BULLETIN_HOURS

from .messages import (
    EVERYONE,
    Advance,
    Bulletin,
    Envelope,
    LeaveWeek,
    NewsDue,
    Opening,
    PlanningOver,
    RoundOver,
    Tick,
    WatchOpened,
    WeekClosed,
)
from .roles.base import Role

END_OF_WEEK = "the last watch is over"


class Clock(Role):
    """Hours move only here, and only when the planner advances or leaves."""

    def __init__(self, name: str, master: str, last: int) -> None:
        super().__init__(name)
        self.master = master
        self.last = last
        self.watch = 0
        self.left = False
        self.closed = False
        self._news = False
        self._telling = False

    def receive(self, envelope: Envelope) -> list[Envelope]:
        match envelope.body:
            case Opening():
                return [self._tick()]
            case Bulletin() | Tick() if envelope.sender == self.name:
                return [self.send(self.name, RoundOver())]
            case NewsDue():
                self._news = True
                return []
            case RoundOver() if envelope.sender == self.name:
                return self._opened() if self._telling else self._asked()
            case Advance():
                return self._move_on()
            case LeaveWeek():
                self.left = True
                return self._move_on()
            case PlanningOver() as over:
                return self._close(over.reason)
            case WeekClosed():
                return []
            case _:
                raise self.unexpected(envelope)

    def _move_on(self) -> list[Envelope]:
        """To the next bulletin; after the last one the week is over."""
        if self.hour + BULLETIN_HOURS > self.last:
            return self._close(END_OF_WEEK)
        self.hour += BULLETIN_HOURS
        self._news = self._telling = False
        return [self.send(EVERYONE, Bulletin(hour=self.hour))]

    def _asked(self) -> list[Envelope]:
        if not self._news:
            return self._move_on()
        self.watch += 1
        return [self._tick()]

    def _tick(self) -> Envelope:
        self._telling = True
        return self.send(EVERYONE, Tick(watch=self.watch, hour=self.hour))

    def _opened(self) -> list[Envelope]:
        if self.left:
            return self._move_on()
        return [self.send(self.master, WatchOpened(watch=self.watch, hour=self.hour))]

    def _close(self, reason: str) -> list[Envelope]:
        if self.closed:
            return []
        self.closed = True
        return [self.send(EVERYONE, WeekClosed(reason=reason))]

"""What hour is it? The simulated clock: watch by watch, with a barrier between news and planner.

The clock does not know what will happen. Each role says when it has news next; the earliest of
those hours is the next watch, and a watch opens when every role has told its news of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from .messages import (
    Advance,
    Envelope,
    LeaveWeek,
    Opening,
    PlanningOver,
    Ready,
    Tick,
    WatchOpened,
    WeekClosed,
)
from .roles.base import Role

END_OF_WEEK = "the last watch is over"


class Clock(Role):
    """Hours move only here, and only when the planner advances or leaves."""

    def __init__(self, name: str, roles: Iterable[str], master: str) -> None:
        super().__init__(name)
        self.roles = tuple(roles)
        self.master = master
        self.watch = 0
        self.left = False
        self.closed = False
        self._next: dict[str, int | None] = {}

    def receive(self, envelope: Envelope) -> list[Envelope]:
        match envelope.body:
            case Opening():
                return [self._tick()]
            case Ready() as ready:
                self._next[envelope.sender] = ready.next_news
                return self._opened() if len(self._next) == len(self.roles) else []
            case Advance():
                return self._move_on()
            case LeaveWeek():
                self.left = True
                return self._move_on()
            case PlanningOver() as over:
                return self._close(over.reason)
            case _:
                raise self.unexpected(envelope)

    def _tick(self) -> Envelope:
        self._next = {}
        return self.send(self.roles, Tick(watch=self.watch, hour=self.hour))

    def _opened(self) -> list[Envelope]:
        if self.left:
            return self._move_on()
        return [self.send(self.master, WatchOpened(watch=self.watch, hour=self.hour))]

    def _move_on(self) -> list[Envelope]:
        if self.closed:
            return []
        coming = [hour for hour in self._next.values() if hour is not None]
        if not coming:
            return self._close(END_OF_WEEK)
        self.watch += 1
        self.hour = min(coming)
        return [self._tick()]

    def _close(self, reason: str) -> list[Envelope]:
        if self.closed:
            return []
        self.closed = True
        return [self.send(self.roles, WeekClosed(reason=reason))]

"""How do messages get there? Round by round, in one order, each written down before it arrives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias

from port.news import rank

from .journal import Journal
from .messages import CLOCK, EVERYONE, PLANNER, STAGE, Envelope

Inboxes: TypeAlias = Mapping[str, Sequence[Envelope]]
Recall: TypeAlias = Callable[[str], Sequence[Envelope]]
"""What was delivered to a role before this round: enough to rebuild it."""
Observer: TypeAlias = Callable[[Envelope], None]

_RANKS = {STAGE: 0, PLANNER: 1, CLOCK: 3}
"""The clock comes last in a round: when it is its turn, everybody of that round was heard."""
_ROLE = 2


def order(envelope: Envelope) -> tuple[int, int, tuple[int, str], int]:
    """By hour, by the sender's rank, by the sender's own count: a total order."""
    sender = envelope.sender
    return (envelope.hour, _RANKS.get(sender, _ROLE), rank(sender), envelope.seq)


class Runtime(Protocol):
    """Where roles live. `deliver` hands every role its messages and collects what they send."""

    def deliver(self, inboxes: Inboxes, recall: Recall) -> list[Envelope]: ...


class Post:
    """Delivery until nobody has anything more to say."""

    def __init__(
        self,
        runtime: Runtime,
        roles: Iterable[str],
        journal: Journal,
        observer: Observer | None = None,
    ) -> None:
        self._runtime = runtime
        self._roles = tuple(roles)
        self._journal = journal
        self._observer = observer
        self._round = 0
        self._delivered = 0

    def deliver(self, envelopes: Sequence[Envelope]) -> list[Envelope]:
        """Deliver these and all they lead to; what nobody on the stage answers is returned."""
        outside: list[Envelope] = []
        while envelopes:
            ordered = sorted(envelopes, key=order)
            self._journal.append(self._round, ordered)
            inboxes: dict[str, list[Envelope]] = {}
            for envelope in ordered:
                if self._observer is not None:
                    self._observer(envelope)
                for role in self._roles:
                    if envelope.reaches(role):
                        inboxes.setdefault(role, []).append(envelope)
                if not set(envelope.to) <= {EVERYONE, *self._roles}:
                    outside.append(envelope)
            envelopes = self._runtime.deliver(inboxes, self._recall) if inboxes else []
            self._round += 1
            self._delivered = len(self._journal.envelopes)
        return outside

    def _recall(self, role: str) -> Sequence[Envelope]:
        return self._journal.inbox(role, self._delivered)

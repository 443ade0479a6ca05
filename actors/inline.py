"""Every role in this process: the runtime without Ray."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .closing import Closing
from .messages import Envelope
from .post import Inboxes, Recall
from .roles.base import Role


class Inline(Closing):
    """Roles as plain objects. A role that was dropped is rebuilt from what it had been sent."""

    def __init__(self) -> None:
        self._parts: Mapping[str, Callable[[], Role]] = {}
        self._roles: dict[str, Role] = {}

    def open(self, parts: Mapping[str, Callable[[], Role]]) -> None:
        self._parts = parts
        self._roles = {name: part() for name, part in parts.items()}

    def drop(self, role: str) -> None:
        """Lose a role and all it knows."""
        self._roles.pop(role, None)

    def deliver(self, inboxes: Inboxes, recall: Recall) -> list[Envelope]:
        sent: list[Envelope] = []
        for name, inbox in inboxes.items():
            role = self._roles.get(name) or self._rebuilt(name, recall)
            for envelope in inbox:
                sent += role.receive(envelope)
        return sent

    def _rebuilt(self, name: str, recall: Recall) -> Role:
        role = self._roles[name] = self._parts[name]()
        for envelope in recall(name):
            role.receive(envelope)
        return role

    def close(self) -> None:
        self._roles = {}

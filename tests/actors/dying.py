"""Roles whose process dies under them, for tests on Ray. A module of its own: workers import it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from actors.messages import Envelope
from actors.roles.base import Role


class Dying:
    """Kills its own process half-way through its inbox, at the first message of a kind.

    `marker` is made when that has happened, and then it does not happen again; without one it
    happens every time.
    """

    def __init__(self, part: Callable[[], Role], kind: str, marker: Path | None) -> None:
        self._role = part()
        self._kind = kind
        self._marker = marker

    def receive(self, envelope: Envelope) -> list[Envelope]:
        sent = self._role.receive(envelope)
        if envelope.body.kind == self._kind and not (self._marker and self._marker.exists()):
            if self._marker:
                self._marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return sent

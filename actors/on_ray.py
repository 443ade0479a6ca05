"""Every role in a process of its own: the runtime on Ray.

A cluster is joined when there is one (`RAY_ADDRESS`, or one running on this machine); otherwise a
local one is started for as long as it is needed.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

import ray
from ray.exceptions import ActorDiedError, ActorUnavailableError

from port.errors import PortsimError

from .messages import Envelope
from .post import Inboxes, Recall
from .roles.base import Role


class ClusterError(PortsimError):
    """A Ray cluster that cannot be joined."""


Wire = bytes
"""An envelope as JSON: what crosses between processes is what the journal holds."""


class RoleProcess:
    """A role in a process of its own."""

    def __init__(self, part: Callable[[], Role], past: Sequence[Wire]) -> None:
        self._role = part()
        for wire in past:
            self._role.receive(Envelope.model_validate_json(wire))

    def receive(self, inbox: Sequence[Wire]) -> list[Wire]:
        sent: list[Envelope] = []
        for wire in inbox:
            sent += self._role.receive(Envelope.model_validate_json(wire))
        return [_wire(envelope) for envelope in sent]

    def pid(self) -> int:
        return os.getpid()


def _wire(envelope: Envelope) -> Wire:
    return envelope.model_dump_json().encode()


@contextmanager
def cluster(address: str | None = None) -> Iterator[None]:
    """Ray, for as long as the block lasts: joined where it is, else started here and stopped.

    `address` names a cluster to join; without one, `RAY_ADDRESS` or a cluster running on this
    machine is joined. A cluster started here listens on loopback alone.
    Raises ClusterError when a cluster that was named does not answer.
    """
    if ray.is_initialized():
        yield
        return
    _start(address or os.environ.get("RAY_ADDRESS"))
    try:
        yield
    finally:
        ray.shutdown()


def _start(address: str | None) -> None:
    quiet: dict[str, Any] = {
        "log_to_driver": False,
        "logging_level": logging.ERROR,
        "configure_logging": False,
    }
    try:
        ray.init(address=address or "auto", **quiet)
    except ConnectionError as error:
        if address is not None:
            first = str(error).splitlines()[0]
            raise ClusterError(f"no Ray cluster answers at {address}: {first}") from error
        ray.init(address="local", include_dashboard=False, _node_ip_address="127.0.0.1", **quiet)


class OnRay:
    """Roles as Ray actors. One that dies is made anew and told its past from the journal."""

    def __init__(self) -> None:
        self._process = ray.remote(num_cpus=0, max_restarts=0)(RoleProcess)
        self._parts: Mapping[str, Callable[[], Role]] = {}
        self._actors: dict[str, Any] = {}
        self.rebuilt = 0

    def open(self, parts: Mapping[str, Callable[[], Role]]) -> None:
        self._parts = parts
        self._actors = {name: self._process.remote(part, ()) for name, part in parts.items()}

    def pid(self, role: str) -> int:
        """The process a role lives in."""
        pid: int = ray.get(self._actors[role].pid.remote())
        return pid

    def deliver(self, inboxes: Inboxes, recall: Recall) -> list[Envelope]:
        wires = {name: [_wire(e) for e in inbox] for name, inbox in inboxes.items()}
        pending = {name: self._actors[name].receive.remote(wire) for name, wire in wires.items()}
        sent: list[Envelope] = []
        for name, reply in pending.items():
            try:
                answers = ray.get(reply)
            except (ActorDiedError, ActorUnavailableError):
                answers = self._again(name, wires[name], recall)
            sent += [Envelope.model_validate_json(wire) for wire in answers]
        return sent

    def _again(self, name: str, inbox: list[Wire], recall: Recall) -> list[Wire]:
        self.rebuilt += 1
        past = [_wire(envelope) for envelope in recall(name)]
        self._actors[name] = self._process.remote(self._parts[name], past)
        answers: list[Wire] = ray.get(self._actors[name].receive.remote(inbox))
        return answers

    def close(self) -> None:
        for actor in self._actors.values():
            ray.kill(actor)
        self._actors = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

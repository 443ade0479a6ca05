"""Every role in a process of its own: the runtime on Ray.

A cluster is joined when there is one (`RAY_ADDRESS`, or one that `ray start` started on this
machine); otherwise a local one is started for as long as it is needed.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import ray
from ray.exceptions import ActorDiedError, ActorUnavailableError, RayError

from port.errors import PortsimError, first_line

from .closing import Closing
from .messages import Envelope
from .post import Inboxes, Recall
from .roles.base import Role


class ClusterError(PortsimError):
    """A Ray cluster that cannot be joined."""


_TOKEN_LOG = "ray._private.authentication.authentication_token_setup"
CONNECT_SECONDS = 5.0
"""How long a cluster's address may take to answer at all."""
LIVES = 3
"""How often a dead role is made anew before the same messages are taken to be what kills it."""

Wire = bytes
"""An envelope as JSON: what crosses between processes is what the journal holds."""


class RoleLostError(PortsimError):
    """A role that dies each time it is made anew."""


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
def cluster(address: str | None = None, cores: int | None = None) -> Iterator[None]:
    """Ray, for as long as the block lasts: joined where it is, else started here and stopped.

    `address` names a cluster to join; without one, `RAY_ADDRESS` or a cluster that `ray start`
    started on this machine is joined, but never one that another driver started for itself.
    A cluster started here listens on loopback alone and has `cores` (None: all there are).
    Raises ClusterError when a cluster that was named does not answer.
    """
    if ray.is_initialized():
        yield
        return
    _start(address or os.environ.get("RAY_ADDRESS") or _started_here(), cores)
    try:
        yield
    finally:
        ray.shutdown()


def _started_here() -> str:
    """The cluster that `ray start` last started on this machine, if it is still there.

    `ray.init("auto")` would join any cluster it finds, a stranger's private one too, and wait a
    minute for one that is gone.
    """
    written = ray._private.utils.read_ray_address()
    return written if written and _answers(written) else "local"


def _answers(address: str) -> bool:
    """Whether anything listens at ``host:port``."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS):
            return True
    except (OSError, ValueError):
        return False


@contextmanager
def _loopback() -> Iterator[None]:
    """Have Ray's processes take and listen on 127.0.0.1 alone, as they do on macOS and Windows.

    On Linux Ray turns a node address of 127.0.0.1 into the machine's own and listens on all.
    """
    constants = ray._private.ray_constants
    before, constants.ENABLE_RAY_CLUSTER = constants.ENABLE_RAY_CLUSTER, False
    try:
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before


def _start(address: str, cores: int | None) -> None:
    quiet: dict[str, Any] = {
        "log_to_driver": False,
        "logging_level": logging.ERROR,
        "configure_logging": False,
    }
    if address == "local":
        # Ray says at each start that the token is on and how to switch it off; it stays on.
        logging.getLogger(_TOKEN_LOG).setLevel(logging.ERROR)
        with _loopback():
            _start_here(cores, quiet)
        return
    plain = "://" not in address and address != "auto"
    if plain and not _answers(address):
        raise ClusterError(f"no Ray cluster answers at {address}")
    try:
        ray.init(address=address, **quiet)
    except (ConnectionError, RuntimeError, ValueError, RayError) as error:
        if not plain:
            raise ClusterError(
                f"cannot join a Ray cluster at {address}: {first_line(error)} (an address is "
                f"HOST:PORT)"
            ) from error
        raise ClusterError(
            f"cannot join the Ray cluster at {address}: {first_line(error)}. It answers, so is "
            f"its token the one in RAY_AUTH_TOKEN or ~/.ray/auth_token, with RAY_AUTH_MODE=token?"
        ) from error


def _start_here(cores: int | None, quiet: Mapping[str, Any]) -> None:
    try:
        ray.init(address="local", num_cpus=cores, include_dashboard=False, **quiet)
    except Exception as error:  # Ray has no class of its own for a node that does not come up
        ray.shutdown()
        raise ClusterError(f"Ray does not start here: {first_line(error)}") from error


class OnRay(Closing):
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
        past = [_wire(envelope) for envelope in recall(name)]
        for _ in range(LIVES):
            self.rebuilt += 1
            ray.kill(self._actors[name])  # it may be out of reach, and not dead
            self._actors[name] = self._process.remote(self._parts[name], past)
            try:
                answers: list[Wire] = ray.get(self._actors[name].receive.remote(inbox))
            except (ActorDiedError, ActorUnavailableError) as error:
                lost = error
            else:
                return answers
        raise RoleLostError(f"{name} died {LIVES + 1} times over the same messages: {lost}")

    def close(self) -> None:
        for actor in self._actors.values():
            ray.kill(actor)
        self._actors = {}

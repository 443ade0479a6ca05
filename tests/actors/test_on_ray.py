"""Do weeks on Ray go as they go inline, whatever happens to the roles' processes?"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

import pytest

from actors.cast import Cast, cast
from actors.inline import Inline
from actors.journal import Journal
from actors.messages import Advance, Envelope
from actors.on_ray import ClusterError, OnRay, RoleLostError, cluster
from actors.planners.desk import Desk
from actors.replay import replay
from actors.stage import Session, play
from port.model import Plan
from port.packs import load_week
from port.view import View
from references.naive import naive
from tests.actors.dying import Dying
from tests.actors.playing import LIVE, heading, inline_journal, play_cast, play_week, published

pytestmark = pytest.mark.xdist_group("ray")

WEEKS = [
    ("dock", "dock-36A-w35x2-extreme-1"),
    ("live", "dock-36A-w05x1-busy-0"),
    ("live", "dock-24B-w37x1-standard-0"),
    ("live", "dock-36A-w35x1-standard-0"),
    ("marine", "dock-24B-w06x1-busy-0"),
    ("marine", "dock-36A-w06x1-standard-0"),
    ("wind", "dock-24B-w06x1-busy-0-e15"),
    ("wind", "dock-36A-w06x1-standard-0-e07"),
]
KILLED = [
    ("live", "dock-24B-w07x1-busy-0"),
    ("marine", "dock-24B-w16x1-busy-0"),
    ("wind", "dock-24B-w37x1-standard-0-e01"),
]
PATIENCE = 60
"""Seconds a killed process may take to be gone."""


@pytest.fixture(scope="module", autouse=True)
def ray() -> Iterator[None]:
    with cluster("local"):
        yield


@pytest.mark.parametrize(("port", "week_id"), WEEKS)
def test_a_week_on_ray_leaves_the_journal_it_leaves_inline(port: str, week_id: str) -> None:
    assert on_ray_journal(week_id, port) == inline_journal(week_id, port)


@cache
def on_ray_journal(week_id: str, port: str) -> tuple[str, ...]:
    with OnRay() as runtime:
        _, journal = play_week(week_id, port, runtime=runtime)
    return tuple(journal.lines)


class Killing:
    """Naive, in a port where at every watch some processes are killed, each role's in its turn."""

    def __init__(self, runtime: OnRay, roles: list[str], watches: int) -> None:
        self._runtime = runtime
        self._doomed = {watch: roles[watch::watches] for watch in range(watches)}
        self.killed: list[str] = []

    def __call__(self, view: View) -> Plan:
        for role in self._doomed[view.watch]:
            kill(self._runtime.pid(role))
            self.killed.append(role)
        return naive(view)


def kill(pid: int) -> None:
    """SIGKILL, and wait until the process is gone."""
    process = os.pidfd_open(pid)
    try:
        os.kill(pid, signal.SIGKILL)
        gone, _, _ = select.select([process], [], [], PATIENCE)
    finally:
        os.close(process)
    assert gone, f"process {pid} outlives SIGKILL"


@pytest.mark.parametrize(("port", "week_id"), KILLED)
def test_any_roles_process_may_be_killed(port: str, week_id: str) -> None:
    casting = cast(load_week(week_id, port), port)
    left = inline_journal(week_id, port)
    watches = sum('"kind":"watch_opened"' in line for line in left)
    with OnRay() as runtime:
        policy = Killing(runtime, list(casting.parts), watches)
        _, journal = play_cast(casting, policy, runtime)
        assert sorted(policy.killed) == sorted(casting.parts)
        assert runtime.rebuilt == len(casting.parts)
    assert tuple(journal.lines) == left


def checking(session: Session) -> None:
    """Naive that has every plan checked, so that the harbour master asks for reviews."""
    desk = Desk(session)
    while not desk.done:
        desk.check_plan(naive(desk.view()))
        desk.confirm_berths(naive(desk.view()))
        desk.advance()


def test_a_process_may_be_killed_while_it_works(tmp_path: Path) -> None:
    whole = cast(load_week("dock-36A-w06x1-standard-0", "marine"), "marine")
    dies_at = {
        "harbour_master": "findings",
        "terminal_ops": "review",
        "pilot_station": "notice",
        "clock": "advance",
    }
    parts = {
        name: partial(Dying, part, dies_at[name], tmp_path / name) if name in dies_at else part
        for name, part in whole.parts.items()
    }
    inline, on_ray = Journal(heading(whole.week, "marine")), Journal(heading(whole.week, "marine"))
    play(whole, checking, Inline(), inline)
    with OnRay() as runtime:
        play(Cast(whole.week, "marine", parts), checking, runtime, on_ray)  # type: ignore[arg-type]
        assert runtime.rebuilt == len(dies_at)
    assert on_ray.lines == inline.lines


def test_a_role_that_dies_every_time_is_an_error_that_names_it() -> None:
    part = cast(load_week(LIVE, "live"), "live").parts["clock"]
    advance = Envelope(hour=0, sender="planner", seq=0, to=("clock",), body=Advance())
    with OnRay() as runtime:
        runtime.open({"clock": partial(Dying, part, "advance", None)})  # type: ignore[dict-item]
        with pytest.raises(RoleLostError, match=r"^clock died 4 times"):
            runtime.deliver({"clock": [advance]}, lambda role: [])


def test_a_journal_made_on_ray_is_replayed_inline(tmp_path: Path) -> None:
    port, week_id = WEEKS[1]
    path = tmp_path / "journal.jsonl"
    path.write_text("\n".join([*on_ray_journal(week_id, port), ""]), encoding="utf-8")
    replayed = replay(path)
    assert replayed.graded is not None
    assert replayed.graded.reward == published(port)[week_id]["naive"]["reward"]


def test_a_message_is_the_same_after_the_wire() -> None:
    for line in inline_journal("dock-24B-w06x1-busy-0-e15", "wind")[1:]:
        envelope = line.partition('"envelope":')[2].rpartition(',"hash"')[0]
        assert Envelope.model_validate_json(envelope).model_dump_json() == envelope


def test_a_ray_that_does_not_start_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def init(**options: object) -> None:
        raise OSError("The current node timed out during startup.\nSee the logs.")

    shut: list[bool] = []
    monkeypatch.setattr("ray.init", init)
    monkeypatch.setattr("ray.is_initialized", lambda: False)
    monkeypatch.setattr("ray.shutdown", lambda: shut.append(True))
    monkeypatch.setenv("RAY_ADDRESS", "local")
    with (
        pytest.raises(ClusterError, match="does not start here: The current node timed out") as no,
        cluster(),
    ):
        pass
    assert "\n" not in str(no.value)
    assert shut == [True]


def test_an_address_of_another_kind_is_not_said_to_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def init(**options: object) -> None:
        raise ValueError("no such scheme")

    monkeypatch.setattr("ray.init", init)
    monkeypatch.setattr("ray.is_initialized", lambda: False)
    with pytest.raises(ClusterError) as no, cluster("http://x"):
        pass
    assert "http://x: no such scheme (an address is HOST:PORT)" in str(no.value)

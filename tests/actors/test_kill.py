"""May any role be lost at any time? Inline: every role, at every watch and in every round."""

from __future__ import annotations

import pytest

from actors.cast import cast
from actors.inline import Inline
from actors.messages import Envelope
from actors.post import Inboxes, Recall
from port.model import Plan
from port.packs import load_week
from port.view import View
from references.naive import naive
from tests.actors.playing import inline_journal, play_cast, play_week

WEEKS = [
    ("live", "dock-24B-w07x1-busy-0"),
    ("live", "dock-36A-w37x1-standard-0"),
    ("marine", "dock-24B-w35x1-busy-0"),
    ("marine", "dock-36A-w05x1-busy-0"),
    ("wind", "dock-24B-w07x1-busy-0-e04"),
    ("wind", "dock-24B-w37x1-standard-0-e01"),
]


class Losing:
    """Naive, in a port that loses a role just before it plans at a watch."""

    def __init__(self, runtime: Inline, role: str, watch: int) -> None:
        self.runtime, self.role, self.watch = runtime, role, watch
        self.lost = False

    def __call__(self, view: View) -> Plan:
        if view.watch == self.watch:
            self.runtime.drop(self.role)
            self.lost = True
        return naive(view)


class Memoryless(Inline):
    """Loses every role before every round."""

    losses = 0

    def deliver(self, inboxes: Inboxes, recall: Recall) -> list[Envelope]:
        for role in inboxes:
            self.drop(role)
            self.losses += 1
        return super().deliver(inboxes, recall)


@pytest.mark.parametrize(("port", "week_id"), WEEKS)
def test_any_role_may_be_lost_at_any_watch(port: str, week_id: str) -> None:
    week = load_week(week_id, port)
    outcome, journal = play_cast(cast(week, port))
    watches = sum(e.body.kind == "watch_opened" for e in journal.envelopes)
    for role in cast(week, port).parts:
        for watch in range(watches):
            runtime = Inline()
            policy = Losing(runtime, role, watch)
            again, kept = play_cast(cast(week, port), policy, runtime)
            assert policy.lost
            assert kept.lines == journal.lines, f"{role} lost at watch {watch}"
            assert again == outcome, f"{role} lost at watch {watch}"


@pytest.mark.parametrize(("port", "week_id"), [*WEEKS, ("dock", "dock-36A-w35x3-extreme-0")])
def test_every_role_may_be_lost_in_every_round(port: str, week_id: str) -> None:
    runtime = Memoryless()
    _, journal = play_week(week_id, port, runtime=runtime)
    assert runtime.losses > 20
    assert tuple(journal.lines) == inline_journal(week_id, port)

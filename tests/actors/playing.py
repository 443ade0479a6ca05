"""How do the tests play a week? By the stage alone: no files, no names, no command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from actors.cast import Cast, cast
from actors.inline import Inline
from actors.journal import Heading, Journal
from actors.messages import Envelope, Tick
from actors.planners.desk import Desk
from actors.planners.policy import Policy, plan_week
from actors.post import Observer
from actors.stage import Company, Outcome, Session, play
from actors.weeks import week_digest
from port.model import Week
from port.packs import load_week
from references.naive import naive

ROOT = Path(__file__).resolve().parents[2]
LIVE = "dock-24B-w07x1-busy-0"
"""Seven watches; an outage, a gale, an emergency, bunched ships, late ones and a call."""
WIND = "dock-24B-w07x1-busy-0-e04"
"""Ten watches, three of them added by forecasts."""


@cache
def published(port: str) -> dict[str, dict[str, Any]]:
    """The published rows of a port by week, as they are in the file."""
    text = (ROOT / "data" / "published" / f"{port}.jsonl").read_text(encoding="utf-8")
    rows = map(json.loads, text.splitlines())
    return {row["id"]: row for row in rows}


def heading(week: Week, port: str) -> Heading:
    return Heading(week=week.id, port=port, planner="test", digest=week_digest(week))


def play_cast(
    casting: Cast,
    policy: Policy = naive,
    runtime: Company | None = None,
    observer: Observer | None = None,
) -> tuple[Outcome, Journal]:
    """Play a cast week to its end."""
    journal = Journal(heading(casting.week, casting.port))
    outcome = play(casting, partial(plan_week, policy), runtime or Inline(), journal, observer)
    return outcome, journal


def play_week(
    week_id: str, port: str, policy: Policy = naive, runtime: Company | None = None
) -> tuple[Outcome, Journal]:
    return play_cast(cast(load_week(week_id, port), port), policy, runtime)


@cache
def inline_journal(week_id: str, port: str) -> tuple[str, ...]:
    """What naive's week leaves, played inline."""
    return tuple(play_week(week_id, port)[1].lines)


def sit_down(week_id: str, port: str) -> tuple[Desk, Journal]:
    """A desk in a week that has just opened."""
    week = load_week(week_id, port)
    journal = Journal(heading(week, port))
    return Desk(Session(cast(week, port), Inline(), journal)), journal


def watch_hours(envelopes: Sequence[Envelope]) -> list[int]:
    return [e.body.hour for e in envelopes if isinstance(e.body, Tick)]

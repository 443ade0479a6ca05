"""Which training weeks are worth playing watch by watch, and what is written down of those kept?

What `actors.screen` keeps are dock weeks; those of one week are tried here at the other ports.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from port.build.generate import Candidate, candidate
from port.build.recipe import Recipe
from port.build.record import BuildError
from port.build.train import marine_row
from port.check import floor
from port.jsonl import dumps
from port.model import Week
from port.news import watch_hours
from port.packfile import dump_plan, dump_week
from port.packs import PACKS, best_plan, load_week, marine_week
from references.effort import NoPlanError
from references.hindsight import hindsight

from .reference_jobs import reach, scripts
from .screen import PLANNERS
from .store import Record


def live_job(fields: Mapping[str, Any]) -> Record:
    """Whether a training week is worth playing as it unfolds, and what planners get there.

    `limit` is the deterministic seconds that any one proof may take of each solver worker.
    """
    week = load_week(fields["week"], "live")
    try:
        return _tried(week, fields["limit"])
    except NoPlanError as error:
        return _dropped(week.id, error)


def marine_job(fields: Mapping[str, Any]) -> Record:
    """The same with modelled traffic and cuts to pilots and tugs; a kept row has its pack line."""
    dock, limit = load_week(fields["week"]), fields["limit"]
    assert dock.opening is not None
    try:
        line = marine_row(Candidate(dock.opening, dock.events), best_plan(dock.id, "dock"))
        week = marine_week(line)
        solved = hindsight(week, workers=1, limit=limit)
        row = _tried(week.changed(best=solved.cost), limit)
    except (BuildError, NoPlanError) as error:
        return _dropped(dock.id, error)
    return row | {"plan": dump_plan(solved.plan), "line": line} if row["qualifies"] else row


def _dropped(week_id: str, error: Exception) -> Record:
    return {"id": week_id, "qualifies": False, "reason": str(error)}


def _tried(week: Week, limit: float) -> Record:
    row: Record = {
        "id": week.id,
        "optimum": week.best,
        "proven": True,
        "floor": floor(week),
        "watches": list(watch_hours(week)),
        **reach(week, limit),
    }
    return row | scripts(week) if row["qualifies"] else row


def pack_lines(what: str, rows: Iterable[Record]) -> dict[str, list[str]]:
    """The lines of the training pack's files, by path in `data/`, of the rows a screen kept."""
    rows, pack = list(rows), PACKS["train"]
    weeks: dict[str, list[str]] = {}
    if what == "candidates":
        weeks[pack.dock] = [dump_week(*candidate(Recipe.of(row["id"]))) for row in rows]
    elif what == "marine":
        weeks[pack.marine] = [row["line"] for row in rows]
    references = f"references/{PORT_OF[what]}-train.jsonl.gz"
    kept = map(_dock_reference if what == "candidates" else _reference, rows)
    return {**weeks, references: [dumps(row) for row in kept]}


PORT_OF = {"candidates": "dock", "live": "live", "marine": "marine", "pairs": "wind"}
"""At which port a screen looks for weeks."""


def _reference(row: Record) -> Record:
    """A kept row as a reference: without what the week itself says, and without the verdict."""
    return {name: value for name, value in row.items() if name not in _LEFT_OUT}


def _dock_reference(row: Record) -> Record:
    flat = {f"{name}{part}" for name in PLANNERS for part in ("", "_reward")}
    scored = {n: {"cost": row[n], "reward": row[f"{n}_reward"]} for n in PLANNERS}
    return {name: value for name, value in _reference(row).items() if name not in flat} | scored


_LEFT_OUT = {"kept", "qualifies", "reason", "ships", "events", "line"}

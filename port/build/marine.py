"""Who else moves in the port, and which plans reach the optimum? Services of the marine weeks."""

from __future__ import annotations

import re
from typing import Any

from ..jsonl import dumps
from ..model import Movement, Plan, Services, Week
from ..packfile import ServicesLine
from .cuts import cuts
from .record import BuildError

TRAFFIC_FILE = "marine_traffic.jsonl"

_MOVEMENT = re.compile(r"(\d+)([A-Z])([\d.]+)")


def marine_row(week: Week, dock_plan: Plan, row: dict[str, Any]) -> str:
    """The marine line of a live week as it was: the recorded traffic, and the cuts placed by rule.

    Raises BuildError when the cuts are not the recorded ones.
    """
    services = Services(row["pilots"], row["tugs"], row["hours"], traffic(row["movements"]))
    placed = cuts(week, dock_plan)
    ours = [(cut.kind, cut.start, cut.end) for cut in placed]
    theirs = [(cut["type"], cut["start"], cut["end"]) for cut in row["cuts"]]
    if ours != theirs:
        raise BuildError(f"{TRAFFIC_FILE}: {week.id}: cuts are {theirs}, the rule places {ours}")
    return dumps({"id": week.id, "services": ServicesLine.of(services), "events": placed})


def traffic(written: str) -> tuple[Movement, ...]:
    """The movements of a text of ``hour type-letter length`` parts."""
    movements = []
    for part in written.split():
        found = _MOVEMENT.fullmatch(part)
        if found is None:
            raise BuildError(f"{TRAFFIC_FILE}: no movement: {part!r}")
        movements.append(Movement(int(found[1]), found[2], float(found[3])))
    return tuple(movements)

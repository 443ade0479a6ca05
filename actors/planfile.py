"""What is a plan in a file worth?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from port.errors import PortsimError
from port.grade import grade
from port.model import Week
from port.plans import parse_plan

MOST_BYTES = 5_000_000


class PlanFileError(PortsimError):
    """A plan file that cannot be read."""


def read_plan(path: Path) -> str:
    """The text of a plan file. What is in it is the parser's to judge."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise PlanFileError(
                f"{path} has {path.stat().st_size} bytes; a plan has a few thousand"
            )
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise PlanFileError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise PlanFileError(f"{path} is not UTF-8 text: {error.reason}") from error


def graded(week: Week, raw: object) -> dict[str, Any]:
    """The plan graded on the week as it was, nothing excused, as one JSON object.

    Raises PlanFileError when there is no plan in it at all.
    """
    plan, unreadable = parse_plan(week, raw)
    if not plan and unreadable:
        raise PlanFileError(f"no plan to check: {unreadable[0]}")
    worth = grade(week, plan, len(unreadable))
    return {
        "week": week.id,
        "feasible": worth.feasible,
        "cost": worth.cost,
        "delay_cost": worth.verdict.delay_cost,
        "moves": worth.verdict.moves,
        "reward": worth.reward,
        "best": worth.best,
        "floor": worth.floor,
        "ships": len(worth.verdict.ships),
        "clean_ships": worth.settlement.clean,
        "unreadable": unreadable,
        "problems": [
            {"ship": f.ship, "rule": f.rule, "hour": f.hour, "other": f.other, "text": f.text}
            for f in worth.verdict.findings
        ],
    }

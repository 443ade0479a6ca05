"""Which cost is a week graded against, when no reference is stored for it?

The plan in hindsight, solved to the end once and kept in the user's cache, by the week's digest.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from pydantic import TypeAdapter

from port.errors import PortsimError
from port.model import Week
from port.packs import load_week

from .journal import digest

_WEEK: TypeAdapter[Week] = TypeAdapter(Week)


class UnsolvedError(PortsimError):
    """A week whose best cost is stored nowhere and could not be proved."""


def week_digest(week: Week) -> str:
    """Equal for equal weeks, whatever file they were read from."""
    return digest(_WEEK.dump_python(week, mode="json"))


def playable(week_id: str, port: str) -> Week:
    """A week that can be graded: with the stored best cost, or else with hindsight's."""
    week = load_week(week_id, port)
    return week if week.best is not None else week.changed(best=_hindsight_cost(week))


def _hindsight_cost(week: Week) -> int:
    kept = _cache() / f"best-{week_digest(week)}.json"
    if (cost := _kept_cost(kept)) is not None:
        return cost
    from references.hindsight import hindsight

    solved = hindsight(week)
    if not solved.proven:
        raise UnsolvedError(
            f"{week.id}: no plan was proved best (cost {solved.cost}, bound {solved.bound})"
        )
    # Without a cache that can be written the week is solved again the next time, and no more.
    with suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        draft = kept.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps({"week": week.id, "optimum": solved.cost}), encoding="utf-8")
        draft.replace(kept)
    return solved.cost


def _kept_cost(kept: Path) -> int | None:
    try:
        found = json.loads(kept.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    cost = found.get("optimum") if isinstance(found, dict) else None
    return cost if isinstance(cost, int) and not isinstance(cost, bool) else None


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "portsim"

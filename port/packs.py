"""Which weeks are there, and what is in each? From the packs in `data/` to `Week`."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import NamedTuple

from .errors import WeekError
from .model import Week
from .packfile import dump_week, index, line_of, lines, opened, row, truth

__all__ = ["PORTS", "Summary", "dump_week", "load_pack", "load_week", "summaries", "week_ids"]

DATA = Path(__file__).resolve().parent.parent / "data"
PACK = "weeks/dock-eval.jsonl"
PORTS = ("dock", "live", "marine", "wind")


class Summary(NamedTuple):
    """A line of the list of weeks. `ships` counts the published schedule's."""

    id: str
    quay: str
    tier: str
    weeks: int
    ships: int
    events: int


def summaries(port: str = "dock") -> list[Summary]:
    """The weeks of a port, in the pack's order, without reading all of each."""
    _known_port(port)
    rows = [row(line) for _, line in index(DATA / PACK)]
    return [
        Summary(r["id"], r["quay"], r["tier"], r["weeks"], len(r["ships"]), len(r["events"]))
        for r in rows
        if port == "dock" or r["weeks"] == 1
    ]


def week_ids(port: str = "dock") -> list[str]:
    """The ids `load_week` takes. Raises WeekError for a port there is not."""
    return [summary.id for summary in summaries(port)]


def load_week(week_id: str, port: str = "dock") -> Week:
    """A week as it was, at one of the ports.

    Raises WeekError when there is no such week or port, naming the nearest there are, or when
    its file is damaged, naming the place.
    """
    _known_port(port)
    line = line_of(DATA / PACK, week_id)
    if line is None:
        raise _no_week(week_id, port)
    opening, events = opened(line)
    if port != "dock" and opening.weeks != 1:
        raise _no_week(week_id, port)
    return truth(line, opening, events, best(week_id, port))


def load_pack(path: str | Path) -> list[Week]:
    """Every week, as it was, of a pack file of the user's own; `best` is not known."""
    index(Path(path))
    return [truth(line, *opened(line), None) for line in lines(Path(path))]


def best(week_id: str, port: str) -> int | None:
    """The cost that earns reward 1.0: our own reference if there is one, else the published one.

    An anchor, where a row has one, stands in the optimum's place.
    """
    for folder in ("references", "published"):
        path = DATA / folder / f"{port}.jsonl"
        line = line_of(path, week_id) if path.is_file() else None
        if line is not None:
            found = row(line)
            return int(found["anchor"] if "anchor" in found else found["optimum"])
    return None


def _known_port(port: str) -> None:
    if port not in PORTS:
        raise WeekError(f"no port {port!r}; the ports are {', '.join(PORTS)}")


def _no_week(week_id: str, port: str) -> WeekError:
    ids = week_ids(port)
    near = difflib.get_close_matches(week_id, ids, n=3, cutoff=0.0)
    return WeekError(
        f"no week {week_id!r} at port {port!r}; nearest of its {len(ids)}: {', '.join(near)}"
    )

"""What can be screened, from which weeks, and what becomes of what is kept?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from port.build.manifest import note_derived, sha256
from port.build.recipe import Recipe
from port.build.record import CALLS
from port.build.train import keep_pack, pack_files
from port.jsonl import index, row
from port.packs import (
    DATA,
    PACKS,
    TRAFFIC,
    WEATHER,
    qualifying,
    summaries,
    weather_kinds,
    wind_pairs,
)
from references.screen import deal

from .farm import Job
from .journal import digest
from .store import Record
from .training import pack_lines

PAIRS = "screens/wind-pairs.jsonl"
"""The fates of the evaluation's 240 pairs."""


def jobs(what: str, pack: str, limit: float) -> list[Job]:
    """A job for each week there is to try, in the screen's order; not for candidates."""
    fields = _fields(what, pack, limit)
    if what == "pairs":
        return [Job("pair", {"week": week} | fields) for week in _pairs(pack)]
    ids = [week.id for week in summaries("dock", "train") if week.weeks == 1]
    return [Job(what, {"week": week} | fields) for week in sorted(ids, key=digest)]


def _fields(what: str, pack: str, limit: float) -> dict[str, Any]:
    """The evaluation's pairs are judged however long it takes, as the published ones were."""
    return {} if what == "pairs" and pack == "eval" else {"limit": limit}


TOGETHER = 3
"""Weathers of a week that are tried one after the other: watches without wind are solved once."""


def _pairs(pack: str) -> list[str]:
    """The evaluation's as published; of training weeks first those soon found to qualify.

    These are in the weathers that most of the evaluation's pairs qualified in, and of few ships.
    """
    pairs = wind_pairs(pack)
    if pack == "eval":
        return pairs
    rank = {weather: place for place, weather in enumerate(_likeliest())}
    ships = {week.id: week.ships for week in summaries("marine", pack)}

    def order(pair: str) -> tuple[int, int, str, int]:
        week, weather = _split(pair)
        return rank[weather] // TOGETHER, ships[week], digest(week), rank[weather]

    return sorted(pairs, key=order)


def _likeliest() -> list[str]:
    lines = index(DATA / PAIRS).values()
    counts = Counter(_split(found["id"])[1] for found in map(row, lines) if found["qualifies"])
    return sorted(weather_kinds(), key=lambda weather: (-counts[weather], weather))


def _split(pair: str) -> tuple[str, str]:
    week, _, weather = pair.rpartition("-")
    return week, weather


def settings(what: str, pack: str, limit: float) -> dict[str, Any]:
    """What a screen's results depend on: a pack made anew takes a screen of its own."""
    name = "marine" if what == "pairs" else "dock"
    weeks = DATA / getattr(PACKS[pack if what == "pairs" else "train"], name)
    made_from = sha256(weeks.read_bytes())[:16]
    return {"screen": what, **_fields(what, pack, limit), "weeks": f"{weeks.name} {made_from}"}


def fate(record: Record) -> Record:
    """A candidate's row; one whose job failed is there with the reason."""
    if record["error"] is None:
        result: Record = record["result"]
        return result
    return {"id": _identity(record), "kept": False, "qualifies": False, "reason": record["error"]}


def _identity(record: Record) -> str:
    fields = record["fields"]
    if record["work"] != "candidate":
        return str(fields["week"])
    return Recipe(*(fields[name] for name in ("quay", "week", "weeks", "tier", "seed"))).id


def dealt(kept: Iterable[str]) -> list[str]:
    """The wind weeks picked from the pairs that qualify."""
    kinds = weather_kinds()
    pairs = frozenset(map(_split, kept))
    picked = deal(
        qualifying("marine"),
        [weather for weather, kind in kinds.items() if kind == "storm"],
        [weather for weather, kind in kinds.items() if kind == "false_alarm"],
        pairs,
    )
    return [f"{week}-{weather}" for week, weather in picked]


def command(what: str, options: Mapping[str, Any]) -> str:
    """The command that makes the rows again, with the options that they depend on."""
    used = {
        "candidates": ["per-tier", "limit"],
        "live": ["limit", "first"],
        "marine": ["limit", "first"],
        "pairs": ["pack", "first"] if options["pack"] == "eval" else ["pack", "limit", "first"],
    }[what]
    given = [f"--{name} {options[name]}" for name in used if options[name] is not None]
    return " ".join(["portsim screen NAME", f"--what {what}", *given])


def note(path: Path, what: str, pack: str, command: str) -> None:
    """Say beside the rows what they were made from."""
    weeks = PACKS[pack if what == "pairs" else "train"]
    files = {
        "candidates": [CALLS],
        "live": [weeks.dock],
        "marine": [weeks.dock, TRAFFIC],
        "pairs": [weeks.dock, weeks.marine, WEATHER],
    }[what]
    note_derived(path, {name: DATA / name for name in files}, command)


def keep(data: Path, what: str, kept: Iterable[Record], command: str) -> None:
    """Write the weeks of the rows a screen kept into a `data/`."""
    keep_pack(pack_files(pack_lines(what, kept), command), data)

"""What does the port's call record say? Calls of 2024 at the two container quays."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from pydantic import ConfigDict

from ..errors import PortsimError
from ..jsonl import STRICT, dumps, index, parse
from ..model import QUAYS
from ..packs import DATA

CALLS_FILE = "barcelona_container_calls_2024.csv"
CALLS = "calls/calls-2024.jsonl"
"""The call record in `data/`, from which weeks are generated without the sources."""


class BuildError(PortsimError):
    """A source that is not what the build expects: the text names the file and the place."""


@dataclass(frozen=True, slots=True)
class Call:
    """A completed call: `start` is the berthing, `end` the sailing (UTC), sections as recorded.

    `came_from` and `went_to` are the previous and the next port.
    """

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    id: str
    quay: str
    first: int
    last: int
    ship: str
    imo: str
    length: float
    start: datetime
    end: datetime
    agent: str
    came_from: str = ""
    went_to: str = ""


def read_calls(path: Path) -> tuple[Call, ...]:
    """Every call of the record, in its order."""
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(_call(path, n, row) for n, row in enumerate(csv.DictReader(file), 2))


def _call(path: Path, number: int, row: dict[str, str]) -> Call:
    try:
        first, _, last = row["sections"].partition("-")
        call = Call(
            row["call"],
            row["quay"],
            int(first),
            int(last or first),
            row["ship"],
            row["imo"],
            float(row["length_m"]),
            datetime.fromisoformat(row["eta_utc"]),
            datetime.fromisoformat(row["etd_utc"]),
            row["agent"],
            row["from_port"],
            row["to_port"],
        )
    except (KeyError, ValueError) as error:
        raise BuildError(f"{path}:{number}: not a call: {error!r}") from error
    if call.quay not in QUAYS:
        raise BuildError(f"{path}:{number}: quay must be one of {sorted(QUAYS)}, got {call.quay!r}")
    return call


def call_row(call: Call) -> str:
    """The call's line in `data/`: its times are UTC, to the minute, as the record has them."""
    return dumps(
        {
            "id": call.id,
            "quay": call.quay,
            "first": call.first,
            "last": call.last,
            "ship": call.ship,
            "imo": call.imo,
            "length": call.length,
            "start": call.start.isoformat(timespec="minutes"),
            "end": call.end.isoformat(timespec="minutes"),
            "agent": call.agent,
            "came_from": call.came_from,
            "went_to": call.went_to,
        }
    )


@lru_cache(maxsize=2)
def load_calls(path: Path = DATA / CALLS) -> tuple[Call, ...]:
    """Every call of the record in `data/`, by berthing. Raises WeekError naming a wrong line."""
    return tuple(parse(Call, line) for line in index(path).values())


def hour_of(moment: datetime, monday: datetime) -> int:
    """Whole hours from `monday`, rounded half to even."""
    return round((moment - monday).total_seconds() / 3600)


def nearest_call(calls: Iterable[Call], imo: str, moment: datetime) -> Call:
    """The ship's call of the year that starts nearest to `moment` (the earlier on a tie)."""
    own = [call for call in calls if call.imo == imo]
    if not own:
        raise BuildError(f"the record has no call of a ship with IMO {imo!r}")
    return min(own, key=lambda call: (abs(call.start - moment), call.start, call.id))

"""What does the port's call record say? Calls of 2024 at the two container quays."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ..errors import PortsimError
from ..model import QUAYS

CALLS_FILE = "barcelona_container_calls_2024.csv"


class BuildError(PortsimError):
    """A source that is not what the build expects: the text names the file and the place."""


@dataclass(frozen=True, slots=True)
class Call:
    """A completed call: `start` is the berthing, `end` the sailing (UTC), sections as recorded."""

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
        )
    except (KeyError, ValueError) as error:
        raise BuildError(f"{path}:{number}: not a call: {error!r}") from error
    if call.quay not in QUAYS:
        raise BuildError(f"{path}:{number}: quay must be one of {sorted(QUAYS)}, got {call.quay!r}")
    return call


def hour_of(moment: datetime, monday: datetime) -> int:
    """Whole hours from `monday`, rounded half to even."""
    return round((moment - monday).total_seconds() / 3600)


def nearest_call(calls: Iterable[Call], imo: str, moment: datetime) -> Call:
    """The ship's call of the year that starts nearest to `moment` (the earlier on a tie)."""
    own = [call for call in calls if call.imo == imo]
    if not own:
        raise BuildError(f"the record has no call of a ship with IMO {imo!r}")
    return min(own, key=lambda call: (abs(call.start - moment), call.start, call.id))

"""Who else moves in the port in a week whose traffic nobody has at hand? Modelled movements.

The port's traffic beside the container calls of the other quay is at hand for 9 ISO weeks of 2024
alone. Elsewhere it is drawn from these: for each ship type and hour of the week the movements,
with their lengths, of one of the 9 weeks. So each hour of the week has the types, the counts and
the lengths it had; what is lost is that a ship that berths also leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import ClassVar

from pydantic import ConfigDict

from .jsonl import STRICT, index, parse
from .model import Movement

WEEK_HOURS = 168
PILOTS, TUGS, HOURS = 7, 8, 264
"""RULES section 5: what the port has, in every hour the other traffic is counted for."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One ship type's week: `hours` pairs an hour of the week with the lengths that moved in it.

    There is a tuple of lengths (m) for each recorded week with such a movement; in the others of
    the `weeks` there was none.
    """

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    id: str
    weeks: int
    hours: tuple[tuple[int, tuple[tuple[float, ...], ...]], ...]


def profiles(path: Path) -> tuple[Profile, ...]:
    """The profiles of a file, one a ship type. Raises WeekError naming the place of a fault."""
    return tuple(parse(Profile, line) for line in index(path).values())


def modelled(week_id: str, profiles: tuple[Profile, ...], hours: int = HOURS) -> list[Movement]:
    """Movements in hours ``[0, hours)``; the same week id gives the same ones."""
    rng = Random(f"traffic {week_id}")
    drawn = []
    for since in range(0, hours, WEEK_HOURS):
        for profile in profiles:
            for hour, weeks in profile.hours:
                week = int(rng.random() * profile.weeks)
                if week < len(weeks) and since + hour < hours:
                    drawn += [Movement(since + hour, profile.id, length) for length in weeks[week]]
    return drawn

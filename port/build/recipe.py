"""What is a training week made from, and which recipes are there?"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import count
from typing import NamedTuple

from ..errors import PortsimError
from ..model import QUAYS

YEAR = 2024
"""The year of the call record: weeks are ISO weeks of it."""
FIRST_WEEK, LAST_WEEK = 2, 51
HELD_OUT = frozenset({5, 6, 7, 10, 15, 16, 17, 35, 36, 37})
"""ISO weeks of the evaluation: no training week may touch one."""

Range = tuple[int, int]
"""Least and most, both included."""


class Tier(NamedTuple):
    """How many weeks a week of this tier has, and how many of each disruption."""

    weeks: Range
    closures: Range
    late: Range
    bunching: Range
    outages: Range
    gales: Range
    divert: Range
    extra: Range
    emergencies: Range
    priority: Range


TIERS: dict[str, Tier] = {
    "standard": Tier(
        (1, 1), (1, 1), (1, 2), (0, 0), (0, 1), (0, 0), (0, 0), (0, 1), (0, 1), (0, 1)
    ),
    "busy": Tier((1, 2), (1, 2), (2, 3), (0, 1), (1, 1), (0, 1), (0, 0), (0, 1), (0, 1), (1, 2)),
    "storm": Tier((2, 2), (1, 2), (2, 4), (0, 1), (1, 1), (1, 1), (0, 1), (0, 1), (1, 1), (1, 2)),
    "extreme": Tier((2, 3), (2, 3), (3, 5), (1, 1), (1, 2), (1, 2), (1, 1), (1, 2), (1, 2), (2, 3)),
}
"""RULES section 9. `divert` is for quay 36A alone."""


class RecipeError(PortsimError, ValueError):
    """A recipe that is none, or that cannot be met: the text gives the recipe and the reason."""

    def __init__(self, recipe: str, reason: str) -> None:
        super().__init__(f"{recipe}: {reason}")
        self.recipe, self.reason = recipe, reason

    def __reduce__(self) -> tuple[type[RecipeError], tuple[str, str]]:
        return type(self), (self.recipe, self.reason)


_ID = re.compile(r"dock-(\w+)-w(\d{2})x(\d)-([a-z]+)-(0|[1-9]\d*)")


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that a training week follows from. `week` is the first of its `weeks` ISO weeks.

    Raises RecipeError for a window that touches a held-out week or does not fit the tier.
    """

    quay: str
    week: int
    weeks: int
    tier: str
    seed: int

    def __post_init__(self) -> None:
        if self.quay not in QUAYS:
            raise self.error(f"quay must be one of {sorted(QUAYS)}")
        if self.tier not in TIERS:
            raise self.error(f"tier must be one of {list(TIERS)}")
        least, most = TIERS[self.tier].weeks
        if not least <= self.weeks <= most:
            raise self.error(f"a week of this tier has {least} to {most} weeks")
        if self.week not in starts(self.weeks):
            held = sorted(HELD_OUT)
            raise self.error(f"weeks must be {FIRST_WEEK} to {LAST_WEEK} and touch none of {held}")
        if self.seed < 0:
            raise self.error("seed must be 0 or more")

    @property
    def id(self) -> str:
        """The week's id, from which the recipe can be read back."""
        return f"dock-{self.quay}-w{self.week:02}x{self.weeks}-{self.tier}-{self.seed}"

    @property
    def monday(self) -> date:
        return date.fromisocalendar(YEAR, self.week, 1)

    def error(self, reason: str) -> RecipeError:
        return RecipeError(self.id, reason)

    @classmethod
    def of(cls, week_id: str) -> Recipe:
        """The recipe of a week's id. Raises RecipeError when it is no training week's."""
        named = _ID.fullmatch(week_id)
        if named is None:
            raise RecipeError(week_id, "must be dock-<quay>-w<week>x<weeks>-<tier>-<seed>")
        quay, week, weeks, tier, seed = named.groups()
        return cls(quay, int(week), int(weeks), tier, int(seed))


@lru_cache(maxsize=8)
def starts(weeks: int) -> tuple[int, ...]:
    """The first weeks of the windows of this many weeks that touch no held-out week."""
    windows = (range(first, first + weeks) for first in range(FIRST_WEEK, LAST_WEEK + 2 - weeks))
    return tuple(window[0] for window in windows if HELD_OUT.isdisjoint(window))


def recipes(
    tiers: Sequence[str] = tuple(TIERS), lengths: Collection[int] = (1, 2, 3)
) -> Iterator[Recipe]:
    """Recipes without end, always the same ones in the same order; tiers take turns.

    Within a tier every window of every quay comes once per seed, in an order drawn for that seed.
    Windows of other than these lengths are left out; a tier left with none raises ValueError.
    """
    streams = [_recipes(tier, lengths) for tier in tiers]
    while True:
        for stream in streams:
            yield next(stream)


def _recipes(tier: str, lengths: Collection[int]) -> Iterator[Recipe]:
    least, most = TIERS[tier].weeks
    wanted = [weeks for weeks in range(least, most + 1) if weeks in lengths]
    windows = [(quay, w, weeks) for quay in QUAYS for weeks in wanted for w in starts(weeks)]
    if not windows:
        raise ValueError(f"tier {tier!r} has {least} to {most} weeks, asked for {sorted(lengths)}")
    for seed in count():
        for quay, week, weeks in random.Random(f"{tier} {seed}").sample(windows, len(windows)):
            yield Recipe(quay, week, weeks, tier, seed)

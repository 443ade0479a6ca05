"""What are the weeks of a pack like? Their sizes, disruptions, and how well simple planners do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean, median
from typing import Any, NamedTuple

from .build.recipe import TIERS
from .errors import WeekError
from .packs import Summary, described, reference

EVERY = "all"


class Statistics(NamedTuple):
    """The weeks of a tier, or of all of them. Costs and counts are medians, rewards means.

    `unavoidable` is the part of all the optima together that no plan avoids.
    """

    tier: str
    weeks: int
    ships: float
    fewest_ships: int
    most_ships: int
    disruptions: float
    naive: float
    greedy: float
    optimum: float
    floor: float
    unavoidable: float
    kinds: dict[str, float]
    """Disruptions a week, by kind."""


def statistics(port: str, pack: str) -> list[Statistics]:
    """A row for each tier, then one for all weeks; none for a pack without weeks.

    Raises WeekError for a week without a reference, and for a port or a pack there is not.
    """
    weeks = [_Week(week, kinds, _reference(week.id, port)) for week, kinds in described(port, pack)]
    there = {each.week.tier for each in weeks}
    tiers = [tier for tier in TIERS if tier in there]
    rows = [_of(tier, [each for each in weeks if each.week.tier == tier]) for tier in tiers]
    return [*rows, _of(EVERY, weeks)] if weeks else []


class _Week(NamedTuple):
    week: Summary
    kinds: list[str]
    reference: dict[str, Any]


def _reference(week_id: str, port: str) -> dict[str, Any]:
    found = reference(week_id, port)
    if found is None:
        raise WeekError(f"no reference is kept of week {week_id!r} at port {port!r}")
    return found


def _of(tier: str, weeks: Sequence[_Week]) -> Statistics:
    ships = [each.week.ships for each in weeks]
    optima = [each.reference["optimum"] for each in weeks]
    floors = [each.reference["floor"] for each in weeks]
    kinds = Counter(kind for each in weeks for kind in each.kinds)
    return Statistics(
        tier,
        len(weeks),
        median(ships),
        min(ships),
        max(ships),
        median(each.week.events for each in weeks),
        _mean(each.reference["naive"]["reward"] for each in weeks),
        _mean(each.reference["greedy"]["reward"] for each in weeks),
        median(optima),
        median(floors),
        round(sum(floors) / max(sum(optima), 1), 3),
        {kind: round(count / len(weeks), 2) for kind, count in kinds.most_common()},
    )


def _mean(rewards: Iterable[float]) -> float:
    return round(fmean(rewards), 4)

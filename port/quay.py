"""What does terminal ops allow: sections, closures, overlaps, crane ranges and the crane pool?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .model import Finding, Plan, RuleCode, Stay, Week


class Overload(NamedTuple):
    """Hours ``[start, end)`` at which `used` cranes are at work and `available` are there."""

    start: int
    end: int
    used: int
    available: int


def findings(week: Week, plan: Plan, stays: Sequence[Stay]) -> list[Finding]:
    """Terminal ops' rule breaks: quay, closed, alongside, overlap, crane_range, crane_pool."""
    found: list[Finding] = []
    place = week.place
    for stay in stays:
        ship = stay.ship
        if stay.section < place.first or stay.last_section > place.last:
            text = (
                f"takes sections {stay.section}-{stay.last_section}, "
                f"the quay has {place.first}-{place.last}"
            )
            found.append(Finding(ship.id, "quay", None, None, text))
        asked = plan[ship.id].cranes
        if not ship.least <= asked <= ship.most:
            text = f"gets {asked} cranes, it can be worked by {ship.least}-{ship.most}"
            found.append(Finding(ship.id, "crane_range", None, None, text))
        _blocked(week, stay, found)
    _overlaps(stays, found)
    if overloads := crane_overloads(week, stays):
        _crane_pool(stays, overloads, found)
    return found


def _blocked(week: Week, stay: Stay, found: list[Finding]) -> None:
    last = stay.last_section
    for block in week.blocks:
        if (
            block.start < stay.departure
            and stay.hour < block.end
            and block.first <= last
            and stay.section <= block.last
        ):
            rule: RuleCode = "closed" if block.kind == "closed" else "alongside"
            what = "closed sections" if rule == "closed" else f"{block.label}, alongside in"
            text = (
                f"meets {what} {block.first}-{block.last} "
                f"in hours {max(block.start, stay.hour)}-{min(block.end, stay.departure)}"
            )
            found.append(Finding(stay.ship.id, rule, None, None, text))


def _overlaps(stays: Sequence[Stay], found: list[Finding]) -> None:
    alongside: list[Stay] = []
    for stay in sorted(stays, key=lambda s: s.hour):
        hour, section, last = stay.hour, stay.section, stay.section + stay.ship.sections
        alongside = [other for other in alongside if other.departure > hour]
        for other in alongside:
            if other.section < last and section < other.section + other.ship.sections:
                _overlap(stay, other, found)
                _overlap(other, stay, found)
        alongside.append(stay)


def _overlap(stay: Stay, other: Stay, found: list[Finding]) -> None:
    text = (
        f"overlaps ship {other.ship.id} ({other.ship.name}) in sections "
        f"{max(stay.section, other.section)}-{min(stay.last_section, other.last_section)}, hours "
        f"{max(stay.hour, other.hour)}-{min(stay.departure, other.departure)}"
    )
    found.append(Finding(stay.ship.id, "overlap", None, other.ship.id, text))


def crane_steps(week: Week) -> list[tuple[int, int, int]]:
    """Changes ``(hour, cranes in use, cranes available)`` made by blocks and outages."""
    steps: list[tuple[int, int, int]] | None = week.memo.get("crane_steps")
    if steps is None:
        steps = []
        for block in week.blocks:
            if block.cranes:
                steps += [(block.start, block.cranes, 0), (block.end, -block.cranes, 0)]
        for outage in week.outages:
            steps += [(outage.start, 0, -outage.cranes), (outage.end, 0, outage.cranes)]
        week.memo["crane_steps"] = steps
    return steps


def crane_overloads(week: Week, stays: Sequence[Stay]) -> list[Overload]:
    """The hours at which the work of these stays needs more cranes than there are."""
    steps = crane_steps(week).copy()
    for _, hour, _, cranes, work_end, _ in stays:
        steps.append((hour, cranes, 0))
        steps.append((work_end, -cranes, 0))
    steps.sort()
    overloads: list[Overload] = []
    used, available, since = 0, week.crane_pool, 0
    for hour, more_used, more_available in steps:
        if used > available and hour > since:
            overloads.append(Overload(since, hour, used, available))
        since = hour
        used += more_used
        available += more_available
    return overloads


def _crane_pool(stays: Sequence[Stay], overloads: list[Overload], found: list[Finding]) -> None:
    for stay in stays:
        mine = [o for o in overloads if o.start < stay.work_end and stay.hour < o.end]
        if not mine:
            continue
        spans = [(max(o.start, stay.hour), min(o.end, stay.work_end)) for o in mine]
        worst = max(range(len(mine)), key=lambda i: mine[i].used - mine[i].available)
        hour, load = spans[worst][0], mine[worst]
        text = (
            f"works in hours {_joined(spans)} when the cranes are short "
            f"(hour {hour}: {load.used} in use, {load.available} there)"
        )
        found.append(Finding(stay.ship.id, "crane_pool", hour, None, text))


def _joined(spans: list[tuple[int, int]]) -> str:
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return ", ".join(f"{start}-{end}" for start, end in joined)

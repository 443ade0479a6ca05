"""What does the harbour master allow: arrivals, wind holds, the movement limit, the freeze line?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .model import Berth, Finding, Plan, Ship, Stay, Week, WindHold

FREEZE_HOURS = 6
"""A window starting sooner than this after a watch's hour can no longer change."""

Span = tuple[int, int]


def freeze_line(watch: int, hour: int) -> int:
    """First hour a new or changed window may start at. At watch 0 every hour is open."""
    return 0 if watch == 0 else hour + FREEZE_HOURS


def frozen(plan: Plan, line: int) -> dict[int, Berth]:
    """The windows of `plan` that start before the freeze line."""
    return {ship: berth for ship, berth in plan.items() if berth.hour < line}


def refusal(week: Week, confirmed: Plan, line: int, ship: int, berth: Berth) -> str | None:
    """Why the harbour master does not take this window at this freeze line; None when he does."""
    if ship not in week.by_id:
        return f"there is no ship {ship} in the week as known"
    old = confirmed.get(ship)
    if old == berth:
        return None
    if old is not None and old.hour < line:
        return f"its window at hour {old.hour} is frozen: the freeze line is hour {line}"
    if berth.hour < line:
        return f"hour {berth.hour} is before the freeze line, hour {line}"
    return None


def merge(spans: Iterable[Span], gap: int = 0) -> tuple[Span, ...]:
    """The spans in order, joined where they overlap, touch, or lie at most `gap` hours apart."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1] + gap:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged)


def binding(wind: Iterable[WindHold], length: float) -> tuple[Span, ...]:
    """When the wind holds a ship of this length (m), merged."""
    return merge((hold.start, hold.end) for hold in wind if length >= hold.min_length)


def holds(week: Week, ship: Ship) -> tuple[Span, ...]:
    """When the wind holds this ship, merged and in order."""
    if not week.wind:
        return ()
    key = ("holds", ship.length)
    spans: tuple[Span, ...] | None = week.memo.get(key)
    if spans is None:
        spans = week.memo[key] = binding(week.wind, ship.length)
    return spans


def held_until(spans: Sequence[Span], hour: int) -> int:
    """`hour`, or the end of the hold it lies in."""
    for start, end in spans:
        if start <= hour < end:
            return end
    return hour


def stay(week: Week, ship: Ship, berth: Berth) -> Stay:
    """The window worked out. Cranes outside the ship's range count as its standard ones."""
    hour, section, cranes = berth
    if not ship.least <= cranes <= ship.most:
        cranes = ship.standard
    work_end = hour + ship.work_hours(cranes)
    departure = held_until(holds(week, ship), work_end) if week.wind else work_end
    return Stay(ship, hour, section, cranes, work_end, departure)


def stays(week: Week, plan: Plan) -> list[Stay]:
    """Every window of the plan whose ship is in the week, in the week's order of ships."""
    return [stay(week, ship, plan[ship.id]) for ship in week.ships if ship.id in plan]


def alongside_departures(week: Week) -> dict[int, int]:
    """Departures by hour of the ships that lay alongside at hour 0."""
    table: dict[int, int] | None = week.memo.get("alongside_departures")
    if table is None:
        table = {}
        for block in week.blocks:
            if block.kind == "alongside":
                table[block.end] = table.get(block.end, 0) + 1
        week.memo["alongside_departures"] = table
    return table


def findings(week: Week, stays: Sequence[Stay]) -> list[Finding]:
    """The harbour master's rule breaks: arrival, wind_hold, movement_limit."""
    found: list[Finding] = []
    moving = dict(alongside_departures(week))
    for ship, hour, _, _, _, departure in stays:
        moving[hour] = moving.get(hour, 0) + 1
        moving[departure] = moving.get(departure, 0) + 1
        if hour < ship.arrival:
            text = f"berths at hour {hour}, before it arrives at hour {ship.arrival}"
            found.append(Finding(ship.id, "arrival", None, None, text))
        if week.wind and (until := held_until(holds(week, ship), hour)) != hour:
            text = f"berths at hour {hour}, while the wind holds it until hour {until}"
            found.append(Finding(ship.id, "wind_hold", hour, None, text))
    limit = week.movement_limit
    if max(moving.values(), default=0) > limit:
        for stay in stays:
            for hour in (stay.hour, stay.departure):
                if moving[hour] > limit:
                    text = f"moves at hour {hour}: {moving[hour]} movements, {limit} allowed"
                    found.append(Finding(stay.ship.id, "movement_limit", hour, None, text))
    return found

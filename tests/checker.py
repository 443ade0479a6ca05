"""A second opinion on a plan: the rules as the rules page has them, on a table of hour by section.

Written apart from `port.check`, which works with rectangles and running counts. Here every hour
of every stay is looked at, one by one, so this is slow and short. Of `port` it takes the types.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from port.model import QUAYS, Plan, Services, Ship, Week

Fault = tuple[int, str]
"""A ship's id and the code of a rule it breaks."""


@dataclass(frozen=True)
class Opinion:
    """`cost` is None when any rule is broken; `faults` are the ships at fault and their rules."""

    feasible: bool
    cost: int | None
    faults: frozenset[Fault]


@dataclass(frozen=True)
class Alongside:
    """A ship of the plan, hour by hour: at work, then perhaps waiting for the wind, then gone."""

    ship: Ship
    first_section: int
    work: range
    held: frozenset[int]
    departure: int

    @property
    def moves(self) -> tuple[int, int]:
        return self.work.start, self.departure

    @property
    def cells(self) -> list[tuple[int, int]]:
        """Every (hour, section) it takes."""
        sections = range(self.first_section, self.first_section + self.ship.sections)
        return [(hour, s) for hour in range(self.work.start, self.departure) for s in sections]


def opinion(week: Week, plan: Plan) -> Opinion:
    """What a plan breaks and costs."""
    faults: set[Fault] = {(ship.id, "missing") for ship in week.ships if ship.id not in plan}
    there: dict[int, Alongside] = {}
    cranes: dict[int, int] = {}
    quay = QUAYS[week.quay]
    for ship in week.ships:
        if ship.id not in plan:
            continue
        hour, section, asked = plan[ship.id]
        standard, least, most = crane_range(ship.length)
        if asked < least or asked > most:
            faults.add((ship.id, "crane_range"))
        cranes[ship.id] = asked if least <= asked <= most else standard
        there[ship.id] = alongside(week, ship, hour, section, cranes[ship.id])
        if hour < ship.arrival:
            faults.add((ship.id, "arrival"))
        if hour in there[ship.id].held:
            faults.add((ship.id, "wind_hold"))
        if section < quay.first or section + ship.sections - 1 > quay.last:
            faults.add((ship.id, "quay"))
    faults |= section_faults(week, there)
    faults |= crane_faults(week, there, cranes)
    faults |= movement_faults(week, there)
    if week.services is not None:
        faults |= service_faults(week, week.services, there)
    if faults:
        return Opinion(False, None, frozenset(faults))
    return Opinion(True, sum(cost(stay) for stay in there.values()), frozenset())


def crane_range(length: float) -> tuple[int, int, int]:
    """Standard, least and most cranes of a ship of this length (m)."""
    standard = 1 if length < 180 else 2 if length < 260 else 3 if length < 330 else 4
    least = 2 if length >= 330 else 1
    most = 0
    while most < 7 and (most + 1) * 50 <= length:
        most += 1
    return standard, least, max(most, standard)


def alongside(week: Week, ship: Ship, hour: int, section: int, cranes: int) -> Alongside:
    """The ship worked off by its cranes, and let go when the wind allows."""
    held = frozenset(
        hour
        for wind in week.wind
        if ship.length >= wind.min_length
        for hour in range(wind.start, wind.end)
    )
    left = ship.handling * crane_range(ship.length)[0]
    end = hour
    while left > 0 or end == hour:
        left -= cranes
        end += 1
    departure = end
    while departure in held:
        departure += 1
    return Alongside(ship, section, range(hour, end), held, departure)


def section_faults(week: Week, there: dict[int, Alongside]) -> set[Fault]:
    """Ships on a section and in an hour that is closed, or that somebody else has too."""
    blocked: dict[tuple[int, int], set[str]] = defaultdict(set)
    for block in week.blocks:
        for hour in range(block.start, block.end):
            for section in range(block.first, block.last + 1):
                blocked[hour, section].add(block.kind)
    takers: dict[tuple[int, int], list[int]] = defaultdict(list)
    for ship, stay in there.items():
        for cell in stay.cells:
            takers[cell].append(ship)
    faults: set[Fault] = set()
    for cell, ships in takers.items():
        faults |= {(ship, kind) for ship in ships for kind in blocked.get(cell, ())}
        if len(ships) > 1:
            faults |= {(ship, "overlap") for ship in ships}
    return faults


def crane_faults(week: Week, there: dict[int, Alongside], cranes: dict[int, int]) -> set[Fault]:
    """Ships at work in an hour in which more cranes work than there are."""
    used: Counter[int] = Counter()
    for block in week.blocks:
        for hour in range(block.start, block.end):
            used[hour] += block.cranes
    for ship, stay in there.items():
        for hour in stay.work:
            used[hour] += cranes[ship]
    out: Counter[int] = Counter()
    for outage in week.outages:
        for hour in range(outage.start, outage.end):
            out[hour] += outage.cranes
    short = {hour for hour in used if used[hour] > week.crane_pool - out[hour]}
    return {(ship, "crane_pool") for ship, stay in there.items() if short.intersection(stay.work)}


def movement_faults(week: Week, there: dict[int, Alongside]) -> set[Fault]:
    """Ships that berth or leave in an hour with too many movements at the quay."""
    moves = Counter(hour for stay in there.values() for hour in stay.moves)
    moves.update(block.end for block in week.blocks if block.kind == "alongside")
    return movers(there, "movement_limit", lambda hour: moves[hour] > week.movement_limit)


def movers(there: dict[int, Alongside], rule: str, short: Callable[[int], bool]) -> set[Fault]:
    """The ships that berth or leave in a short hour."""
    return {(ship, rule) for ship, stay in there.items() if any(map(short, stay.moves))}


def service_faults(week: Week, services: Services, there: dict[int, Alongside]) -> set[Fault]:
    """Ships that berth or leave in an hour with too few pilots or tugs for all that do."""

    def windy(hour: int) -> bool:
        return any(w.start <= hour < w.end and w.min_length <= 300 for w in week.wind)

    def tugs(type_: str, length: float, hour: int) -> int:
        without = type_ in ("T", "S", "I")  # ferries, cruise ships, yachts
        base = 0 if without or length < 120 else 1 if length < 200 else 2 if length < 300 else 3
        spared = type_ == "I" or (type_ in ("R", "T") and length < 200)
        return base + (1 if windy(hour) and not spared else 0)

    pilots_used: Counter[int] = Counter()
    tugs_used: Counter[int] = Counter()
    for other in services.traffic:
        pilots_used[other.hour] += 1
        tugs_used[other.hour] += tugs(other.type, other.length, other.hour)
    for shortage in services.pilot_cuts:
        pilots_used.update(dict.fromkeys(range(shortage.start, shortage.end), shortage.pilots))
    for outage in services.tug_cuts:
        tugs_used.update(dict.fromkeys(range(outage.start, outage.end), outage.tugs))

    def free(pool: int, used: Counter[int], hour: int) -> int:
        return max(0, pool - used[hour]) if 0 <= hour < services.hours else pool

    our_moves: Counter[int] = Counter()
    our_tugs: Counter[int] = Counter()
    for stay in there.values():
        for hour in stay.moves:
            our_moves[hour] += 1
            our_tugs[hour] += tugs("P", stay.ship.length, hour)
    return movers(
        there, "pilots", lambda hour: our_moves[hour] > free(services.pilots, pilots_used, hour)
    ) | movers(there, "tugs", lambda hour: our_tugs[hour] > free(services.tugs, tugs_used, hour))


def cost(stay: Alongside) -> int:
    """Sections x hours late x weight, the penalty of an emergency's late hours, 5 for a move."""
    ship = stay.ship
    total = ship.sections * ship.weight * len(range(ship.due, stay.departure))
    if ship.deadline is not None and stay.work.start > ship.deadline:
        total += ship.penalty * (stay.work.start - ship.deadline)
    if ship.planned_section is not None and stay.first_section != ship.planned_section:
        total += 5
    return total

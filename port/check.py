"""Which rules does a plan break, and what does it cost?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from . import movements, quay, services
from .model import RULE_ORDER, Berth, Finding, Plan, Ship, Stay, Week

MOVE_COST = 5
"""Charged for each ship put elsewhere than its planned first section."""


class ShipVerdict(NamedTuple):
    """One ship's part of a verdict. The costs are worked out even when a rule is broken."""

    ship: Ship
    stay: Stay | None
    delay_hours: int
    lateness: int
    emergency: int
    moved: bool
    findings: tuple[Finding, ...]

    @property
    def cost(self) -> int:
        return self.lateness + self.emergency + MOVE_COST * self.moved


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a plan is worth. `cost` and `delay_cost` are None when any rule is broken.

    `cost` = `delay_cost` (lateness and emergencies) + 5 x `moves`. `ships` goes by ship id.
    """

    feasible: bool
    cost: int | None
    delay_cost: int | None
    moves: int
    ships: Mapping[int, ShipVerdict]

    @property
    def clean(self) -> int:
        """Ships that break no rule."""
        return sum(not ship.findings for ship in self.ships.values())

    @property
    def findings(self) -> list[Finding]:
        """Every rule break, ship by ship in the week's order, rules in theirs."""
        return [finding for ship in self.ships.values() for finding in ship.findings]


def check(week: Week, plan: Plan, partial: bool = False) -> Verdict:
    """Every rule on the whole plan, and its cost. A partial plan may leave ships out."""
    stays = movements.stays(week, plan)
    found = movements.findings(week, stays)
    found += quay.findings(week, plan, stays)
    if week.services is not None:
        found += services.pilot_findings(week, stays)
        found += services.tug_findings(week, stays)
    return judge(week, stays, found, partial)


def judge(
    week: Week, stays: Sequence[Stay], found: Iterable[Finding], partial: bool = False
) -> Verdict:
    """The verdict from the owners' findings on these stays."""
    by_ship: dict[int, list[Finding]] = {}
    for finding in found:
        by_ship.setdefault(finding.ship, []).append(finding)
    placed = {stay.ship.id: stay for stay in stays}
    ships: dict[int, ShipVerdict] = {}
    cost = moves = 0
    feasible = True
    for ship in week.ships:
        stay = placed.get(ship.id)
        if stay is None:
            if not partial:
                lost = Finding(ship.id, "missing", None, None, "has no berth window")
                ships[ship.id] = ShipVerdict(ship, None, 0, 0, 0, False, (lost,))
                feasible = False
            continue
        broken = by_ship.get(ship.id)
        verdict = _ship_verdict(ship, stay, broken)
        ships[ship.id] = verdict
        cost += verdict.cost
        moves += verdict.moved
        feasible = feasible and broken is None
    if not feasible:
        return Verdict(False, None, None, moves, ships)
    return Verdict(True, cost, cost - MOVE_COST * moves, moves, ships)


def _ship_verdict(ship: Ship, stay: Stay, broken: list[Finding] | None) -> ShipVerdict:
    delay = max(0, stay.departure - ship.due)
    emergency = 0
    if ship.deadline is not None:
        emergency = ship.penalty * max(0, stay.hour - ship.deadline)
    if broken and len(broken) > 1:
        broken.sort(key=_finding_order)
    return ShipVerdict(
        ship,
        stay,
        delay,
        ship.sections * delay * ship.weight,
        emergency,
        ship.planned_section is not None and ship.planned_section != stay.section,
        tuple(broken) if broken else (),
    )


def _finding_order(finding: Finding) -> tuple[int, int, int]:
    return (
        RULE_ORDER[finding.rule],
        -1 if finding.hour is None else finding.hour,
        -1 if finding.other is None else finding.other,
    )


def alone(week: Week, ship: Ship) -> Stay:
    """The ship by itself: its first legal hour, its most cranes (its section is not looked at)."""
    hour = movements.held_until(movements.holds(week, ship), ship.arrival)
    section = week.place.first if ship.planned_section is None else ship.planned_section
    return movements.stay(week, ship, Berth(hour, section, ship.most))


def floor(week: Week) -> int:
    """The cost no plan can avoid: what each ship alone would still cost, added up."""
    return sum(_ship_verdict(ship, alone(week, ship), None).cost for ship in week.ships)

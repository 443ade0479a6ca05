"""What would a grabbing planner do: first come, first berthed, with every crane that is free?"""

from __future__ import annotations

from port import movements
from port.model import Berth, Plan, Ship
from port.occupancy import LOOK_AHEAD_HOURS, Occupancy
from port.view import View


def greedy(view: View) -> Plan:
    """Ships by arrival, each at its first hour with the most cranes that fit; frozen ones stand."""
    week = view.week
    quay = Occupancy(week)
    plan: dict[int, Berth] = dict(view.frozen)
    for ship_id, berth in plan.items():
        quay.place(movements.stay(week, week.by_id[ship_id], berth))
    for ship in sorted(week.ships, key=lambda ship: (ship.arrival, ship.id)):
        if ship.id not in plan:
            plan[ship.id] = _grab(quay, ship, max(ship.arrival, view.line))
            quay.place(movements.stay(week, ship, plan[ship.id]))
    return plan


def _grab(quay: Occupancy, ship: Ship, hour: int) -> Berth:
    for at in range(hour, hour + LOOK_AHEAD_HOURS):
        for cranes in range(ship.most, ship.least - 1, -1):
            if starts := quay.starts(ship, at, cranes):
                return Berth(at, quay.nearest(starts, ship.planned_section), cranes)
    raise AssertionError(f"no slot for ship {ship.id} in {LOOK_AHEAD_HOURS} hours")

"""What would a hurried planner do: keep every window that still fits, push the rest later?"""

from __future__ import annotations

from port import movements
from port.model import Berth, Plan, Ship
from port.occupancy import Occupancy
from port.view import View


def naive(view: View) -> Plan:
    """Windows for every ship of the known week, by the port's own reflexes.

    Frozen windows stand, windows that still fit stand, and the rest go to the first hour at which
    they do, in published order. It knows nothing of pilots and tugs.
    """
    week, line = view.week, view.line
    quay = Occupancy(week)
    plan: dict[int, Berth] = {}

    def confirm(ship: Ship, berth: Berth) -> None:
        plan[ship.id] = berth
        quay.place(movements.stay(week, ship, berth))

    ships = sorted(week.ships, key=_published_order)
    frozen = view.frozen
    for ship in ships:
        if ship.id in frozen:
            confirm(ship, frozen[ship.id])
    for ship in ships:
        if ship.id not in plan:
            confirm(ship, _window(quay, ship, view.confirmed.get(ship.id), line))
    return plan


def _window(quay: Occupancy, ship: Ship, old: Berth | None, line: int) -> Berth:
    if old is None:
        hour = max(ship.arrival, ship.planned_hour or 0, line)
        return quay.first_fit(ship, hour, ship.planned_section, ship.standard)
    if quay.fits(ship, old):
        return old
    return quay.first_fit(ship, max(ship.arrival, line, old.hour), old.section, old.cranes)


def _published_order(ship: Ship) -> tuple[int, int]:
    hour = ship.arrival if ship.planned_hour is None else ship.planned_hour
    return (hour, ship.id)

"""Who plays in a week, and what does each of them know?

Casting splits the truth of a week: every role gets the lines it will speak and nothing of the
others'. What a planner hears is therefore what somebody said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from port.briefing import notice_text
from port.errors import WeekError
from port.known import apply
from port.model import Forecast, Week
from port.news import (
    HARBOUR_MASTER,
    PILOT_STATION,
    PORT_CONTROL,
    TERMINAL_OPS,
    TUG_COMPANY,
    firm_speaker,
    schedule,
    watch_hours,
)

from .clock import Clock
from .messages import CLOCK
from .roles.base import Line, Role
from .roles.harbour_master import HarbourMaster
from .roles.pilot_station import PilotStation
from .roles.port_control import PortControl
from .roles.shipping_firm import ShippingFirm
from .roles.terminal_ops import TerminalOps
from .roles.tug_company import TugCompany

HOURS_IN_WEEK = 168

Part: TypeAlias = Callable[[], Role]
"""Makes a role, brief in hand. Picklable, so that it can be made in another process."""


@dataclass(frozen=True)
class Cast:
    """A week, the port it is played at, and its roles' parts by name."""

    week: Week
    port: str
    parts: Mapping[str, Part]

    @property
    def opening(self) -> Week:
        return _opening(self.week)


def _opening(week: Week) -> Week:
    if week.opening is None:
        raise WeekError(f"{week.id} is a week as known; only a week as it was can be played")
    return week.opening


def cast(week: Week, port: str) -> Cast:
    """Give every role of the week its part."""
    lines = _lines(week)
    firms = sorted({firm_speaker(ship.firm) for ship in week.ships})
    reviewers = _reviewers(week)
    authorities = (HARBOUR_MASTER, *reviewers)

    parts: dict[str, Part] = {
        firm: partial(ShippingFirm, firm, lines.get(firm, ()), authorities) for firm in firms
    }
    parts[HARBOUR_MASTER] = partial(
        HarbourMaster, HARBOUR_MASTER, lines.get(HARBOUR_MASTER, ()), authorities, reviewers
    )
    for name, role in reviewers.items():
        parts[name] = partial(role, name, lines.get(name, ()), authorities)
    if (weather := week.weather) is not None:
        parts[PORT_CONTROL] = partial(PortControl, PORT_CONTROL, weather, authorities)
    parts[CLOCK] = partial(Clock, CLOCK, HARBOUR_MASTER, _last_bulletin(week))
    return Cast(week, port, parts)


def _last_bulletin(week: Week) -> int:
    """The last hour that news can come at: the week's end, whatever is to happen in it."""
    last = week.weeks * HOURS_IN_WEEK if week.unfolds else 0
    if (latest := watch_hours(week)[-1]) > last:
        raise WeekError(f"{week.id}: news at hour {latest} comes after its last hour, {last}")
    return last


def _reviewers(week: Week) -> dict[str, Callable[..., Role]]:
    if week.services is None:
        return {TERMINAL_OPS: TerminalOps}
    return {TERMINAL_OPS: TerminalOps, TUG_COMPANY: TugCompany, PILOT_STATION: PilotStation}


def _lines(week: Week) -> dict[str, tuple[Line, ...]]:
    """Each role's lines. Words are those of somebody who knows what was told before.

    Forecasts are no lines: port control reads them off the weather, watch by watch.
    """
    known = _opening(week)
    lines: dict[str, tuple[Line, ...]] = {}
    for hour, speaker, event in schedule(week):
        if isinstance(event, Forecast):
            continue
        line = Line(hour, event, notice_text(known, event))
        lines[speaker] = (*lines.get(speaker, ()), line)
        known = apply(known, event)
    return lines

"""What is taken before anybody plans: blocks, outages, other traffic, and windows that stand?

Where these alone need more than an hour has, they have it and nobody else gets any: every profile
is cut at its capacity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from port import movements, services
from port.model import Ship, Stay, Week

Profile: TypeAlias = dict[int, int]
"""Hour -> how much is taken."""


@dataclass
class Taken:
    """The standing use of a week, hour by hour. `sections` is, per section, its taken hours.

    `pilots` and `tugs` are what is left of the pools for hours ``[0, hours of the services)``.
    """

    week: Week
    cranes: Profile = field(default_factory=dict)
    moves: Profile = field(default_factory=dict)
    sections: dict[int, set[int]] = field(default_factory=dict)
    pilots: list[int] = field(default_factory=list)
    tugs: list[int] = field(default_factory=list)

    def can_move(self, ship: Ship, hour: int) -> bool:
        """Whether the ship could berth or leave at this hour if it were the only one to."""
        if self.moves.get(hour, 0) >= self.week.movement_limit:
            return False
        if hour >= len(self.pilots):
            return True
        tugs = services.ship_tugs(self.week, ship, hour)
        return self.pilots[hour] >= 1 and self.tugs[hour] >= tugs


def taken(week: Week, standing: Sequence[Stay]) -> Taken:
    """What blocks, outages, other traffic and the standing windows take."""
    use = Taken(week, moves=dict(movements.alongside_departures(week)))
    for block in week.blocks:
        _add(use.cranes, range(block.start, block.end), block.cranes)
        _occupy(use, range(block.first, block.last + 1), range(block.start, block.end))
    for outage in week.outages:
        _add(use.cranes, range(outage.start, outage.end), outage.cranes)
    if week.services is not None:
        free = services.free(week, week.services)
        use.pilots, use.tugs = list(free.pilots), list(free.tugs)
    for stay in standing:
        _stand(use, stay)
    return use


def _stand(use: Taken, stay: Stay) -> None:
    _add(use.cranes, range(stay.hour, stay.work_end), stay.cranes)
    _occupy(use, range(stay.section, stay.last_section + 1), range(stay.hour, stay.departure))
    for hour in (stay.hour, stay.departure):
        _add(use.moves, (hour,), 1)
        if 0 <= hour < len(use.pilots):
            tugs = services.ship_tugs(use.week, stay.ship, hour)
            use.pilots[hour] = max(0, use.pilots[hour] - 1)
            use.tugs[hour] = max(0, use.tugs[hour] - tugs)


def _add(profile: Profile, hours: Iterable[int], amount: int) -> None:
    for hour in hours:
        profile[hour] = profile.get(hour, 0) + amount


def _occupy(use: Taken, sections: range, hours: range) -> None:
    for section in sections:
        use.sections.setdefault(section, set()).update(hours)


def runs(profile: Mapping[int, int]) -> list[tuple[int, int, int]]:
    """A profile as ``(start, end, amount)``, without its empty hours."""
    found: list[tuple[int, int, int]] = []
    for hour in sorted(profile):
        amount = profile[hour]
        if amount <= 0:
            continue
        if found and found[-1][1] == hour and found[-1][2] == amount:
            found[-1] = (found[-1][0], hour + 1, amount)
        else:
            found.append((hour, hour + 1, amount))
    return found

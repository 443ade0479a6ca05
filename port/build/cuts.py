"""When are tugs and pilots cut? Where it hurts our own ships most."""

from __future__ import annotations

from collections.abc import Sequence

from .. import movements, news, services
from ..model import PilotShortage, Plan, TugOutage, Week
from .record import BuildError

LEAD_HOURS = 24
TUG_CUT_HOURS, TUGS_CUT = 24, 2
PILOT_CUT_HOURS, PILOTS_CUT = 12, 2


def cuts(week: Week, plan: Plan) -> tuple[TugOutage, PilotShortage]:
    """The tug and pilot cuts of a live week.

    Each is announced at a bulletin after watch 0 and starts 24 hours later: of those bulletins,
    the one whose cut holds the most of the pool's demand under `plan`, the week's best without
    pilots and tugs; the earliest on a tie. Demand is our ships' movements: a pilot each, and
    their tugs, with the one more that the wind asks for. Raises BuildError for a week without a
    bulletin after hour 0.
    """
    stays = movements.stays(week, plan)
    moves = [(stay.ship, hour) for stay in stays for hour in (stay.hour, stay.departure)]
    tugs = [(hour, services.ship_tugs(week, ship, hour)) for ship, hour in moves]
    pilots = [(hour, 1) for _, hour in moves]
    tug_start = _start(week, tugs, TUG_CUT_HOURS)
    pilot_start = _start(week, pilots, PILOT_CUT_HOURS)
    return (
        TugOutage(tug_start, tug_start + TUG_CUT_HOURS, TUGS_CUT),
        PilotShortage(pilot_start, pilot_start + PILOT_CUT_HOURS, PILOTS_CUT),
    )


def _start(week: Week, demand: Sequence[tuple[int, int]], length: int) -> int:
    starts = [bulletin + LEAD_HOURS for bulletin in news.watch_hours(week)[1:]]
    if not starts:
        raise BuildError(f"{week.id}: no bulletin after hour 0 to announce a cut at")

    def held(start: int) -> int:
        return sum(need for hour, need in demand if start <= hour < start + length)

    return max(starts, key=held)

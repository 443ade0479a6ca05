"""The wind excuse on whole weeks: the worked example, and a week without wind."""

from __future__ import annotations

import pytest

from actors.cast import cast
from actors.inline import Inline
from actors.journal import Heading, Journal
from actors.planners.policy import Policy, plan_week
from actors.stage import Outcome, play
from port.known import in_weather
from port.model import Berth, ForecastRun, Plan, Weather, Week
from port.packs import load_week
from port.view import View
from references.naive import naive
from references.replan import Rolling

EXAMPLE = "dock-24B-w37x1-standard-0-e01"


def played(week: Week, policy: Policy) -> Outcome:
    heading = Heading(week=week.id, port="", planner="", digest="")
    return play(
        cast(week, ""), lambda session: plan_week(policy, session), Inline(), Journal(heading)
    )


class Berthing:
    """Rolling, but for one ship, which is put at a fixed hour once it is known to come late."""

    def __init__(self, ship: int, hour: int) -> None:
        self.ship, self.hour, self.rolling = ship, hour, Rolling()

    def __call__(self, view: View) -> Plan:
        plan = dict(self.rolling(view))
        if view.watch == 4:
            plan[self.ship] = Berth(self.hour, *plan[self.ship][1:])
        return plan


def vienna_express(week: Week) -> int:
    return next(ship.id for ship in week.ships if ship.name == "VIENNA EXPRESS")


def test_vienna_express_at_129_is_excused() -> None:
    """No forecast showed hour 129 when the ship could last move; the wind blew till 135."""
    week = load_week(EXAMPLE, "wind")
    ship = vienna_express(week)
    outcome = played(week, Berthing(ship, 129))
    settled = outcome.grade.settlement
    assert (ship, "wind_hold") in {(f.ship, f.rule) for f in settled.excused}
    assert (outcome.grade.feasible, outcome.grade.cost, outcome.grade.reward) == (True, 252, 1.0)


def test_vienna_express_at_128_is_charged() -> None:
    """The last forecast showed hour 128: the warning was ignored."""
    week = load_week(EXAMPLE, "wind")
    ship = vienna_express(week)
    grade = played(week, Berthing(ship, 128)).grade
    assert {(f.ship, f.rule) for f in grade.settlement.charged} == {(ship, "wind_hold")}
    assert grade.reward == pytest.approx(0.2 * 14 / 15, abs=1e-6)  # one of 15 ships is not clean


CALM = Weather("e99", (), tuple(ForecastRun(i, i + 9, (5,) * 25) for i in range(-12, 168, 6)))


@pytest.mark.parametrize(
    "week_id",
    ["dock-24B-w06x1-busy-0", "dock-36A-w17x1-busy-0", "dock-24B-w06x1-standard-0"],
)
def test_without_any_wind_a_feasible_wind_week_grades_as_its_marine_week(week_id: str) -> None:
    """Weeks without a gale of their own, which naive plays feasibly (published)."""
    marine = load_week(week_id, "marine")
    calm = played(in_weather(marine, CALM), naive).grade
    grade = played(marine, naive).grade
    assert grade.feasible
    assert (calm.reward, calm.cost, calm.excused_cost) == (
        grade.reward,
        grade.cost,
        grade.excused_cost,
    )

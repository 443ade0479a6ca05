"""What news did to frozen windows is not charged, and nothing else is waived."""

from __future__ import annotations

from port.check import check
from port.excuse import NONE, Excuses, after_notice, settle, since_decided
from port.known import known
from port.model import Berth, Gale, Week, WindHold
from port.news import schedule
from port.packs import load_week

CARLOTA_B = 7
"""141 m, 4 sections, 43 crane-hours, arrives at hour 93, due out at 121."""


def before_the_gale() -> tuple[Week, Week]:
    """The example week of the seed as known before and after the gale warning of hour 90."""
    week = load_week("dock-24B-w07x1-busy-0", "live")
    assert week.opening is not None
    told = [news.event for news in schedule(week)]
    gale = next(n for n, event in enumerate(told) if isinstance(event, Gale))
    return known(week.opening, told[:gale]), known(week.opening, told[: gale + 1])


def test_a_gale_that_keeps_a_frozen_ship_alongside_is_not_charged() -> None:
    # At 95 with two cranes the work ends at 117, in the core of 117-126: out at 126, 5 hours late,
    # 4 sections: 20 (the seed's example).
    before, after = before_the_gale()
    excuses = after_notice(NONE, before, after, {CARLOTA_B: Berth(95, 4, 2)})
    assert excuses.waived == {CARLOTA_B: 20}
    assert excuses.rules == frozenset()


def test_the_cost_a_frozen_ship_had_before_the_news_is_charged() -> None:
    # At 101 the work ends at 123, 2 hours late already: of the 5 hours late after the gale, 3 are
    # the gale's: 12 of 20.
    before, after = before_the_gale()
    excuses = after_notice(NONE, before, after, {CARLOTA_B: Berth(101, 4, 2)})
    assert excuses.waived == {CARLOTA_B: 12}


def test_a_rule_the_news_breaks_is_excused_for_the_frozen_ship() -> None:
    before, after = before_the_gale()
    excuses = after_notice(NONE, before, after, {CARLOTA_B: Berth(118, 4, 2)})
    assert (CARLOTA_B, "wind_hold", None) in excuses.rules


def test_with_nothing_frozen_nothing_is_excused() -> None:
    before, after = before_the_gale()
    assert after_notice(NONE, before, after, {}) is NONE


def test_a_ship_is_never_waived_more_than_it_costs() -> None:
    week, _ = before_the_gale()
    verdict = check(week, {CARLOTA_B: Berth(100, 4, 2)}, partial=True)
    assert verdict.ships[CARLOTA_B].cost == 4  # out at 122, an hour late, 4 sections
    settled = settle(verdict, Excuses(waived={CARLOTA_B: 50}))
    assert settled.waived == {CARLOTA_B: 4}
    assert settled.cost == 0


# ---- weeks with weather: each ship against what was known when its window was last open -------


def windy(week: Week, *holds: WindHold) -> Week:
    return week.changed(wind=holds)


def apart(week: Week) -> dict[int, Berth]:
    """CARLOTA B and MAERSK NARMADA (ship 10), far from everything."""
    return {7: Berth(95, 4, 2), 10: Berth(300, 9, 2)}


def test_wind_no_forecast_showed_when_the_ship_was_decided_is_excused() -> None:
    calm = windy(before_the_gale()[0])
    blew = windy(calm, WindHold(90, 97, 0))
    excuses = since_decided(blew, apart(calm), [calm], dict.fromkeys(calm.by_id, 0))
    assert (7, "wind_hold", None) in excuses.rules


def test_wind_the_forecast_showed_for_that_hour_is_charged() -> None:
    calm = windy(before_the_gale()[0])
    shown, blew = windy(calm, WindHold(95, 96, 0)), windy(calm, WindHold(90, 97, 0))
    excuses = since_decided(blew, apart(calm), [calm, shown], dict.fromkeys(calm.by_id, 1))
    assert (7, "wind_hold", None) not in excuses.rules


def test_each_ship_is_judged_by_the_watch_it_was_decided_at() -> None:
    calm = windy(before_the_gale()[0])
    shown = windy(calm, WindHold(95, 97, 0), WindHold(299, 301, 0))
    decided = dict.fromkeys(calm.by_id, 1) | {7: 0}
    excuses = since_decided(shown, apart(calm), [calm, shown], decided)
    assert (7, "wind_hold", None) in excuses.rules
    assert (10, "wind_hold", None) not in excuses.rules


def test_a_ship_that_is_not_decided_is_never_excused() -> None:
    calm = windy(before_the_gale()[0])
    blew = windy(calm, WindHold(90, 97, 0))
    assert since_decided(blew, apart(calm), [calm], {10: 0}).rules == frozenset()


def test_an_overlap_is_looked_up_as_the_later_decided_of_the_two_saw_it() -> None:
    # The wind holds ship 7 past its work, into ship 10's window on the same sections. Ship 10 was
    # decided when that was known: it is charged to both, though ship 7 was decided before.
    calm = windy(before_the_gale()[0])
    held = windy(calm, WindHold(117, 130, 0))
    plan = {7: Berth(95, 4, 2), 10: Berth(118, 4, 2)}
    late = since_decided(held, plan, [calm, held], {7: 0, 10: 1})
    assert (7, "overlap", None) not in late.rules
    early = since_decided(held, plan, [calm, held], {7: 0, 10: 0})
    assert {(7, "overlap", None), (10, "overlap", None)} <= early.rules


def test_cost_the_truth_adds_is_waived() -> None:
    calm = windy(before_the_gale()[0])
    blew = windy(calm, WindHold(117, 126, 0))
    excuses = since_decided(blew, apart(calm), [calm], dict.fromkeys(calm.by_id, 0))
    assert excuses.waived[7] == 20

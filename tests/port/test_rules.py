"""Every rule and every part of the cost, on weeks so small that the answer is worked by hand."""

from __future__ import annotations

import pytest

from port.batch import check_many
from port.check import Verdict, check, floor
from port.model import (
    RULES,
    Block,
    Movement,
    Outage,
    PilotShortage,
    Services,
    Ship,
    TugOutage,
    Week,
    WindHold,
)
from tests.checker import Opinion, opinion
from tests.port.handmade import giant, plan, ship, week

GALE = (WindHold(20, 30, 300), WindHold(22, 26, 0))
"""Above 25 kn in hours 20-29, above 30 kn in hours 22-25."""


def judged(week: Week, *windows: tuple[int, int, int]) -> Verdict:
    """What `check` says. A batch of this one plan and the independent checker say the same."""
    verdict = check(week, plan(*windows))
    faults = frozenset((finding.ship, str(finding.rule)) for finding in verdict.findings)
    assert opinion(week, plan(*windows)) == Opinion(verdict.feasible, verdict.cost, faults)
    if len(windows) == len(week.ships):
        batch = check_many(week, [windows])
        cost = -1 if verdict.cost is None else verdict.cost
        assert [part.tolist() for part in batch] == [[verdict.feasible], [cost], [verdict.clean]]
    return verdict


def broken(week: Week, *windows: tuple[int, int, int]) -> list[tuple[object, ...]]:
    """Each finding as (ship, rule), with the hour and the other ship where it has them."""
    return [
        tuple(part for part in finding[:4] if part is not None)
        for finding in judged(week, *windows).findings
    ]


def cost(week: Week, *windows: tuple[int, int, int]) -> int | None:
    return judged(week, *windows).cost


# ---- whose window, when ----------------------------------------------------------------------


def test_a_ship_berthed_as_planned_costs_nothing() -> None:
    verdict = check(week(ship()), plan((10, 5, 1)))
    assert (verdict.feasible, verdict.cost, verdict.clean) == (True, 0, 1)


def test_a_ship_without_a_window_is_missing() -> None:
    assert broken(week(ship(0), ship(1)), (10, 5, 1)) == [(1, "missing")]


def test_a_partial_plan_may_leave_ships_out() -> None:
    verdict = check(week(ship(0), ship(1)), plan((10, 5, 1)), partial=True)
    assert (verdict.feasible, list(verdict.ships)) == (True, [0])


def test_a_ship_may_not_berth_before_it_arrives() -> None:
    assert broken(week(ship()), (9, 5, 1)) == [(0, "arrival")]


def test_a_plan_that_breaks_a_rule_has_no_cost() -> None:
    assert cost(week(ship()), (9, 5, 1)) is None


# ---- wind ------------------------------------------------------------------------------------


def test_wind_above_25_knots_holds_a_giant_at_its_berthing() -> None:
    windy = week(giant(arrival=0, due=99), wind=GALE)
    assert broken(windy, (20, 5, 4)) == [(0, "wind_hold", 20)]


@pytest.mark.parametrize(("length", "held"), [(299.9, False), (300.0, True)])
def test_wind_above_25_knots_holds_ships_from_300_m(length: float, held: bool) -> None:
    windy = week(ship(length=length, due=99), wind=GALE)
    assert broken(windy, (20, 5, 3)) == [(0, "wind_hold", 20)] * held


def test_wind_above_25_knots_lets_a_feeder_berth() -> None:
    assert broken(week(ship(due=99), wind=GALE), (20, 5, 1)) == []


def test_wind_above_30_knots_holds_every_ship() -> None:
    assert broken(week(ship(due=99), wind=GALE), (22, 5, 1)) == [(0, "wind_hold", 22)]


def test_a_ship_may_berth_in_the_hour_the_wind_drops() -> None:
    assert broken(week(ship(due=99), wind=GALE), (26, 5, 1)) == []


def test_a_giant_done_in_a_gale_leaves_at_its_end() -> None:
    # 40 crane-hours with 4 cranes from hour 12: done at 22, held until 30, 8 sections x 10 late.
    windy = week(giant(), wind=GALE)
    stay = check(windy, plan((12, 5, 4))).ships[0].stay
    assert stay is not None
    assert (stay.work_end, stay.departure) == (22, 30)
    assert cost(windy, (12, 5, 4)) == 8 * (30 - 20)


def test_a_feeder_done_between_the_gale_and_its_core_leaves_at_once() -> None:
    # Done at hour 21, when only giants are held.
    assert cost(week(ship(handling=11), wind=GALE), (10, 5, 1)) == 0


def test_windows_that_touch_hold_as_one() -> None:
    wind = (WindHold(22, 24, 0), WindHold(24, 27, 0))
    # Done at 22, held until 27: five hours late.
    assert cost(week(ship(), wind=wind), (10, 5, 1)) == 4 * 5


def test_a_ship_held_by_the_wind_keeps_its_sections() -> None:
    windy = week(giant(0, due=99), ship(1, planned_section=9, due=99), wind=GALE)
    assert broken(windy, (12, 5, 4), (29, 9, 1)) == [(0, "overlap", 1), (1, "overlap", 0)]
    assert broken(windy, (12, 5, 4), (30, 9, 1)) == []


def test_a_ship_held_by_the_wind_has_freed_its_cranes() -> None:
    windy = week(giant(0, due=99), ship(1, due=99), wind=GALE, crane_pool=4)
    assert broken(windy, (12, 5, 4), (21, 15, 1)) == [(0, "crane_pool", 21), (1, "crane_pool", 21)]
    assert broken(windy, (12, 5, 4), (26, 15, 1)) == []


# ---- sections --------------------------------------------------------------------------------


@pytest.mark.parametrize(("section", "leaves"), [(1, True), (2, False), (19, False), (20, True)])
def test_a_ship_must_lie_on_sections_2_to_22(section: int, leaves: bool) -> None:
    assert broken(week(ship()), (10, section, 1)) == [(0, "quay")] * leaves


CLOSED = Block(8, 11, 15, 18, "closed", "dredging")


@pytest.mark.parametrize(
    ("hour", "section", "meets"),
    [
        (10, 8, True),  # hours 10-21
        (10, 5, True),  # sections 5-8: the first closed one
        (10, 4, False),  # sections 4-7
        (10, 11, True),  # the last closed one
        (10, 12, False),
        (17, 8, True),  # the last closed hour
        (18, 8, False),
    ],
)
def test_a_ship_may_not_lie_on_closed_sections(hour: int, section: int, meets: bool) -> None:
    closed = week(ship(due=99), blocks=(CLOSED,))
    assert broken(closed, (hour, section, 1)) == [(0, "closed")] * meets


def test_a_ship_may_be_gone_by_the_hour_sections_close() -> None:
    # With 2 cranes it is there in hours 10-15, and the closure starts at 16.
    closed = week(ship(), blocks=(Block(2, 22, 16, 20, "closed", "dredging"),))
    assert broken(closed, (10, 5, 2)) == []


def test_a_ship_may_not_lie_where_one_lay_at_hour_0() -> None:
    block = Block(5, 8, 0, 14, "alongside", "EARLY BIRD", cranes=2)
    assert broken(week(ship(), blocks=(block,)), (10, 5, 1)) == [(0, "alongside")]
    assert broken(week(ship(due=99), blocks=(block,)), (14, 5, 1)) == []


def test_ships_that_overlap_are_both_at_fault() -> None:
    two = week(ship(0), ship(1, planned_section=8))
    assert broken(two, (10, 5, 1), (10, 8, 1)) == [(0, "overlap", 1), (1, "overlap", 0)]


def test_ships_may_lie_end_to_end() -> None:
    two = week(ship(0), ship(1, planned_section=9))
    assert broken(two, (10, 5, 1), (10, 9, 1)) == []


def test_a_ship_may_berth_in_the_hour_another_leaves() -> None:
    two = week(ship(0), ship(1, due=99))
    assert broken(two, (10, 5, 1), (22, 5, 1)) == []
    assert broken(two, (10, 5, 1), (21, 5, 1)) == [(0, "overlap", 1), (1, "overlap", 0)]


# ---- cranes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("length", "least", "standard", "most"),
    [
        (40.0, 1, 1, 1),
        (149.9, 1, 1, 2),
        (150.0, 1, 1, 3),
        (179.9, 1, 1, 3),
        (180.0, 1, 2, 3),
        (259.9, 1, 2, 5),
        (260.0, 1, 3, 5),
        (329.9, 1, 3, 6),
        (330.0, 2, 4, 6),
        (350.0, 2, 4, 7),
        (400.0, 2, 4, 7),
    ],
)
def test_cranes_go_by_length(length: float, least: int, standard: int, most: int) -> None:
    it = ship(length=length)
    assert (it.least, it.standard, it.most) == (least, standard, most)


@pytest.mark.parametrize(("cranes", "hours"), [(2, 20), (3, 14), (4, 10), (6, 7), (7, 6)])
def test_work_takes_whole_hours(cranes: int, hours: int) -> None:
    # 40 crane-hours, rounded up.
    assert giant().work_hours(cranes) == hours


@pytest.mark.parametrize("cranes", [-1, 0, 1, 8, 10_000])
def test_a_giant_is_worked_by_2_to_7_cranes(cranes: int) -> None:
    assert broken(week(giant()), (10, 5, cranes)) == [(0, "crane_range")]


def test_cranes_out_of_range_count_as_the_standard_ones() -> None:
    stay = check(week(giant()), plan((10, 5, 100))).ships[0].stay
    assert stay is not None
    assert (stay.cranes, stay.departure) == (4, 20)


def test_cranes_at_work_may_not_exceed_the_pool() -> None:
    two = week(giant(0), giant(1, planned_section=13), crane_pool=7)
    # 4 + 4 at hours 15-19.
    assert broken(two, (10, 5, 4), (15, 13, 4)) == [(0, "crane_pool", 15), (1, "crane_pool", 15)]
    assert broken(two, (10, 5, 4), (15, 13, 3)) == []
    assert broken(two, (10, 5, 4), (20, 13, 4)) == []


def test_the_crane_pool_names_the_worst_hour_of_each_ship() -> None:
    three = week(giant(0), ship(1, planned_section=13), ship(2, planned_section=17), crane_pool=4)
    # In use: 4 at hour 10, 5 from 12, 6 from 15 to 19, then 2, and 1 from 24 to 26.
    assert broken(three, (10, 5, 4), (12, 13, 1), (15, 17, 1)) == [
        (0, "crane_pool", 15),
        (1, "crane_pool", 15),
        (2, "crane_pool", 15),
    ]


def test_a_crane_outage_takes_from_the_pool() -> None:
    short = week(giant(due=99), crane_pool=4, outages=(Outage(12, 14, 1),))
    assert broken(short, (10, 5, 4)) == [(0, "crane_pool", 12)]
    assert broken(short, (10, 5, 3)) == []
    assert broken(short, (14, 5, 4)) == []


def test_ships_alongside_at_hour_0_work_with_two_cranes() -> None:
    block = Block(15, 18, 0, 12, "alongside", "EARLY BIRD", cranes=2)
    short = week(giant(due=99), crane_pool=5, blocks=(block,))
    assert broken(short, (10, 5, 4)) == [(0, "crane_pool", 10)]
    assert broken(short, (12, 5, 4)) == []


# ---- movements -------------------------------------------------------------------------------


def test_berthings_count_towards_the_movement_limit() -> None:
    three = week(*(ship(i, planned_section=s) for i, s in enumerate((5, 9, 13))))
    assert broken(three, (10, 5, 1), (10, 9, 1), (10, 13, 2)) == [
        (0, "movement_limit", 10),
        (1, "movement_limit", 10),
        (2, "movement_limit", 10),
    ]
    assert broken(three, (10, 5, 1), (10, 9, 1), (11, 13, 1)) == []


def test_departures_count_towards_the_movement_limit() -> None:
    # Ship 0 leaves at 22, when the two others berth.
    three = week(*(ship(i, due=99) for i in range(3)))
    assert broken(three, (10, 5, 1), (22, 9, 1), (22, 13, 2)) == [
        (0, "movement_limit", 22),
        (1, "movement_limit", 22),
        (2, "movement_limit", 22),
    ]


def test_departures_of_ships_alongside_at_hour_0_count_too() -> None:
    block = Block(15, 18, 0, 10, "alongside", "EARLY BIRD", cranes=2)
    two = week(ship(0), ship(1, planned_section=9), blocks=(block,))
    assert broken(two, (10, 5, 1), (10, 9, 2)) == [
        (0, "movement_limit", 10),
        (1, "movement_limit", 10),
    ]


def test_a_closure_ending_is_no_movement() -> None:
    block = Block(15, 18, 0, 10, "closed", "dredging")
    two = week(ship(0), ship(1, planned_section=9), blocks=(block,))
    assert broken(two, (10, 5, 1), (10, 9, 2)) == []


# ---- pilots and tugs -------------------------------------------------------------------------


def port_services(**changes: object) -> Services:
    """7 pilots and 8 tugs for 264 hours, and nobody else about."""
    fields: dict[str, object] = {"pilots": 7, "tugs": 8, "hours": 264, "traffic": ()}
    return Services(**{**fields, **changes})  # type: ignore[arg-type]


def others(hour: int, count: int, type_: str = "P", length: float = 100.0) -> tuple[Movement, ...]:
    return (Movement(hour, type_, length),) * count


def served(*ships: Ship, wind: tuple[WindHold, ...] = (), **changes: object) -> Week:
    return week(*ships, services=port_services(**changes), wind=wind)


def test_each_movement_takes_a_pilot() -> None:
    # Small ships take no tugs: 6 others leave one pilot for two berthings.
    busy = served(ship(0), ship(1, planned_section=9), traffic=others(10, 6))
    assert broken(busy, (10, 5, 1), (10, 9, 2)) == [(0, "pilots", 10), (1, "pilots", 10)]
    assert broken(busy, (10, 5, 1), (11, 9, 2)) == []


def test_a_departure_takes_a_pilot_in_its_hour() -> None:
    assert broken(served(ship(), traffic=others(22, 7)), (10, 5, 1)) == [(0, "pilots", 22)]


def test_a_pilot_cut_takes_from_the_pool() -> None:
    cut = (PilotShortage(20, 32, 2),)
    busy = served(ship(), traffic=others(22, 5), pilot_cuts=cut)
    assert broken(busy, (10, 5, 1)) == [(0, "pilots", 22)]


def test_free_pilots_are_never_fewer_than_none() -> None:
    crowd = served(ship(), traffic=others(22, 9))
    (finding,) = judged(crowd, (10, 5, 1)).findings
    assert finding.text.endswith("our ships need 1, 0 free")


@pytest.mark.parametrize(
    ("length", "tugs"), [(119.9, 0), (120.0, 1), (199.9, 1), (200.0, 2), (299.9, 2), (300.0, 3)]
)
def test_tugs_go_by_length(length: float, tugs: int) -> None:
    enough = served(ship(length=length), tugs=tugs)
    assert broken(enough, (10, 5, 1 + (length >= 330))) == []
    if tugs:
        short = served(ship(length=length), tugs=tugs - 1)
        assert {rule for _, rule, _ in broken(short, (10, 5, 1))} == {"tugs"}


@pytest.mark.parametrize(
    ("type_", "length", "tugs"),
    [("G", 210.0, 2), ("T", 210.0, 0), ("S", 330.0, 0), ("I", 130.0, 0), ("R", 210.0, 2)],
)
def test_ferries_cruise_ships_and_yachts_take_no_tugs(type_: str, length: float, tugs: int) -> None:
    # One other movement at hour 10, when our ship of 140 m takes one tug.
    traffic = others(10, 1, type_, length)
    assert broken(served(ship(), traffic=traffic, tugs=tugs + 1), (10, 5, 1)) == []
    if tugs:
        assert broken(served(ship(), traffic=traffic, tugs=tugs), (10, 5, 1)) == [(0, "tugs", 10)]


def test_in_the_wind_each_movement_of_ours_takes_one_tug_more() -> None:
    # 140 m: 1 tug at hour 10, 2 at hour 22 (20-29 is above 25 kn).
    wind = (WindHold(20, 30, 300),)
    assert broken(served(ship(), tugs=1, wind=wind), (10, 5, 1)) == [(0, "tugs", 22)]
    assert broken(served(ship(), tugs=2, wind=wind), (10, 5, 1)) == []


@pytest.mark.parametrize(
    ("type_", "length", "tugs"),
    [
        ("G", 110.0, 1),
        ("S", 330.0, 1),
        ("I", 330.0, 0),  # yachts never
        ("T", 199.0, 0),  # ferries and ro-ro ships from 200 m on
        ("T", 200.0, 1),
        ("R", 199.0, 1),  # as in calm weather
        ("R", 200.0, 3),
    ],
)
def test_in_the_wind_the_other_traffic_takes_more_tugs(
    type_: str, length: float, tugs: int
) -> None:
    # Our ship takes 2 at hour 22 in the wind.
    wind = (WindHold(20, 30, 300),)
    traffic = others(22, 1, type_, length)
    assert broken(served(ship(), traffic=traffic, tugs=tugs + 2, wind=wind), (10, 5, 1)) == []
    short = served(ship(), traffic=traffic, tugs=tugs + 1, wind=wind)
    assert broken(short, (10, 5, 1)) == [(0, "tugs", 22)]


def test_a_window_that_does_not_bind_ships_of_300_m_takes_no_tug() -> None:
    wind = (WindHold(20, 30, 350),)
    assert broken(served(ship(), tugs=1, wind=wind), (10, 5, 1)) == []


def test_a_tug_cut_takes_from_the_pool() -> None:
    cut = (TugOutage(22, 46, 2),)
    assert broken(served(ship(), tugs=2, tug_cuts=cut), (10, 5, 1)) == [(0, "tugs", 22)]


def test_after_the_last_hour_of_traffic_both_pools_are_free() -> None:
    late = ship(arrival=263, due=999)
    busy = served(late, tugs=1, traffic=others(263, 7, "G", 140.0) + others(264, 7, "G", 140.0))
    assert broken(busy, (263, 5, 1)) == [(0, "pilots", 263), (0, "tugs", 263)]
    assert broken(busy, (264, 5, 1)) == []


def test_cuts_are_over_after_the_last_hour_of_traffic() -> None:
    cut = (PilotShortage(260, 272, 7),)
    late = served(ship(arrival=250, due=999), pilot_cuts=cut)
    assert broken(late, (262, 5, 1)) == [(0, "pilots", 262)]
    assert broken(late, (264, 5, 1)) == []


def test_ships_alongside_at_hour_0_take_no_pilot_of_ours() -> None:
    # Their departures are in the other traffic.
    block = Block(15, 18, 0, 10, "alongside", "EARLY BIRD", cranes=2)
    served_ = week(ship(), blocks=(block,), services=port_services(traffic=others(10, 6)))
    assert broken(served_, (10, 5, 1)) == []


# ---- cost ------------------------------------------------------------------------------------


def test_lateness_costs_sections_times_hours() -> None:
    # Done at 25, due at 22.
    assert cost(week(ship()), (13, 5, 1)) == 4 * 3


def test_priority_cargo_weighs_three_times() -> None:
    assert cost(week(ship(weight=3)), (13, 5, 1)) == 3 * 4 * 3


def test_leaving_early_earns_nothing() -> None:
    assert cost(week(ship()), (10, 5, 2)) == 0


def test_an_emergency_costs_its_penalty_each_hour_after_its_deadline() -> None:
    # Berths at 17, deadline 15; done at 23 with 2 cranes, due at 22.
    urgent = week(ship(deadline=15, penalty=40))
    assert cost(urgent, (17, 5, 2)) == 2 * 40 + 4 * 1
    assert cost(urgent, (15, 5, 2)) == 0


def test_another_section_than_planned_costs_5() -> None:
    assert cost(week(ship()), (10, 6, 1)) == 5


def test_an_unscheduled_call_has_no_planned_section() -> None:
    assert cost(week(ship(planned_hour=None, planned_section=None)), (10, 6, 1)) == 0


def test_costs_add_up_over_ships() -> None:
    # Ship 0: 3 hours late, 12. Ship 1: moved 5 and 1 hour late with 4 sections.
    verdict = check(week(ship(0), ship(1)), plan((13, 5, 1), (11, 9, 1)))
    assert (verdict.cost, verdict.delay_cost, verdict.moves) == (21, 16, 1)


# ---- what cannot be avoided ------------------------------------------------------------------


def test_the_floor_is_each_ship_alone_with_its_most_cranes() -> None:
    # Arrives at 19, done at 25 with 2 cranes, due at 22: 4 x 3. Ship 1 could be in time.
    assert floor(week(ship(0, arrival=19), ship(1))) == 12


def test_the_floor_waits_for_the_wind() -> None:
    # Arrives at 23 in the core of the gale, berths at 26, done at 32, due at 22.
    assert floor(week(ship(arrival=23), wind=GALE)) == 4 * 10


def test_the_floor_counts_an_emergency_that_cannot_make_its_deadline() -> None:
    # Held from 23 to 26, two hours after its deadline; due at 40.
    urgent = ship(arrival=23, due=40, deadline=24, penalty=40)
    assert floor(week(urgent, wind=GALE)) == 2 * 40


def test_every_finding_says_what_is_wrong() -> None:
    alongside = Block(2, 22, 0, 30, "alongside", "EARLY BIRD", cranes=9)
    closed = Block(2, 22, 0, 30, "closed", "dredging")
    crowd = served(
        *(giant(i, arrival=23) for i in range(3)), wind=GALE, traffic=others(22, 7), tugs=1
    ).changed(blocks=(alongside, closed), movement_limit=1)
    findings = check(crowd, plan((22, 1, 9), (22, 1, 9))).findings
    assert {finding.rule for finding in findings} == set(RULES) - {"queue"}
    assert all(len(finding.text) > 10 for finding in findings)

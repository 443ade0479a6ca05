"""A batch says of each plan what `check` says of it: edge cases, on small weeks.

That both agree on thousands of plans of real weeks is in test_check_agrees.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from port import batch
from port.batch import PlanArrayError, check_many
from port.check import check
from port.errors import PortsimError, WeekError
from port.model import (
    MAX_HOUR,
    Berth,
    Block,
    Movement,
    Outage,
    PilotShortage,
    Services,
    TugOutage,
    Week,
    WindHold,
)
from tests.port.handmade import giant, ship, week

PLAIN = week(ship(0), giant(1, planned_section=9))
SERVICES = Services(
    2,
    5,
    60,
    tuple(Movement(hour, "PTRI"[hour % 4], 150.0 + hour) for hour in range(0, 60, 5)),
    (TugOutage(20, 30, 2),),
    (PilotShortage(28, 34, 1),),
)
EVERYTHING = week(
    ship(0, planned_section=None, planned_hour=None),
    giant(2, planned_section=9),
    ship(3, length=210.0, deadline=12, penalty=40),
    ship(5, length=310.0, sections=7, weight=3),
    blocks=(
        Block(2, 5, 0, 12, "alongside", "EARLY BIRD", cranes=2),
        Block(20, 22, 8, 25, "closed", "dredging"),
        Block(-50_000, 3, 30, 33, "closed", "beyond the quay, both ways"),
    ),
    outages=(Outage(15, 20, 4), Outage(18, 22, 7)),
    wind=(WindHold(20, 30, 300), WindHold(22, 26, 0), WindHold(26, 27, 200)),
    services=SERVICES,
)
HOUR = st.integers(5, 40) | st.integers(-MAX_HOUR, MAX_HOUR)
SECTION = st.integers(1, 23) | st.integers(-MAX_HOUR, MAX_HOUR)
CRANES = st.integers(0, 8) | st.integers(-MAX_HOUR, MAX_HOUR)


def as_checked(week: Week, plans: NDArray[Any]) -> list[tuple[bool, int, int]]:
    """What `check` says, plan by plan, in the form of a batch."""
    rows = []
    for plan in plans:
        windows = zip(week.ships, plan, strict=True)
        verdict = check(week, {s.id: Berth(*map(int, row)) for s, row in windows})
        rows.append((verdict.feasible, -1 if verdict.cost is None else verdict.cost, verdict.clean))
    return rows


def as_batched(week: Week, plans: NDArray[Any]) -> list[tuple[bool, int, int]]:
    found = check_many(week, plans)
    return list(zip(*(part.tolist() for part in found), strict=True))


def assert_agree(week: Week, plans: Any) -> None:
    array = np.array(plans)
    assert as_batched(week, array) == as_checked(week, array)


# ---- values ----------------------------------------------------------------------------------


def test_a_batch_has_feasibility_cost_and_clean_ships_of_each_plan() -> None:
    # On time and in place; the giant moved (5) and both 1 hour late (4 + 8); the two overlapping.
    plans = [[[10, 5, 1], [10, 9, 4]], [[11, 5, 1], [11, 10, 4]], [[10, 5, 1], [10, 8, 4]]]
    found = check_many(PLAIN, plans)
    assert found.feasible.tolist() == [True, True, False]
    assert found.cost.tolist() == [0, 17, -1]
    assert found.clean.tolist() == [2, 2, 0]
    assert [str(part.dtype) for part in found] == ["bool", "int64", "int64"]


def test_ships_go_in_the_weeks_order() -> None:
    turned = PLAIN.changed(ships=PLAIN.ships[::-1])
    assert check_many(turned, [[[10, 9, 4], [10, 5, 1]]]).cost.tolist() == [0]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64])
def test_any_integers_will_do(dtype: type[np.integer[Any]]) -> None:
    plans = np.array([[[10, 5, 1], [10, 9, 4]]], dtype=dtype)
    assert check_many(PLAIN, plans).feasible.tolist() == [True]


def test_a_batch_need_not_be_contiguous() -> None:
    plans = np.zeros((8, 4, 6), dtype=np.int64)
    plans[::2, ::2, ::2] = [[10, 5, 1], [10, 9, 4]]
    assert check_many(PLAIN, plans[::2, ::2, ::2]).cost.tolist() == [0, 0, 0, 0]


def test_plans_are_left_as_they_were() -> None:
    plans = np.array([[[9, 5, 1], [10, 50, 99]]])
    before = plans.copy()
    check_many(PLAIN, plans)
    assert (plans == before).all()


def test_a_batch_may_be_empty() -> None:
    found = check_many(PLAIN, np.zeros((0, 2, 3), dtype=int))
    assert [len(part) for part in found] == [0, 0, 0]


def test_a_week_without_ships_has_nothing_to_break() -> None:
    found = check_many(week(), np.zeros((3, 0, 3), dtype=int))
    assert [part.tolist() for part in found] == [[True] * 3, [0] * 3, [0] * 3]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 9])
def test_any_number_of_plans_will_do(count: int) -> None:
    plans = [[[10 + i, 5, 1], [10, 9 - i % 2, 4]] for i in range(count)]
    assert_agree(PLAIN, plans)


def test_chunks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    plans = rng.integers((5, 1, 0), (40, 20, 8), (101, 4, 3))
    whole = as_batched(EVERYTHING, plans)
    monkeypatch.setattr(batch, "CHUNK_CELLS", 30)
    monkeypatch.setattr(batch, "PAIR_SLAB", 2)
    assert as_batched(EVERYTHING, plans) == whole


# ---- agreement on odd weeks and plans --------------------------------------------------------


@given(st.lists(st.tuples(*[st.tuples(HOUR, SECTION, CRANES)] * 4), min_size=1, max_size=6))
def test_a_batch_agrees_with_check_on_any_plan(plans: list[Any]) -> None:
    assert_agree(EVERYTHING, plans)


def test_a_plan_with_absurd_hours_does_not_disturb_its_neighbours() -> None:
    good = [[10, 5, 1], [10, 9, 4]]
    plans = [good, [[-MAX_HOUR, 5, 1], [10, 9, 4]], good, [[MAX_HOUR, 5, 1], [10, 9, 4]], good]
    assert_agree(PLAIN, plans)
    assert check_many(PLAIN, plans).cost.tolist()[::2] == [0, 0, 0]


def test_ships_that_overlap_far_from_quay_and_week_are_at_fault() -> None:
    assert_agree(PLAIN, [[[-500, -900, 1], [-505, -903, 4]], [[9999, 9999, 1], [9999, 9999, 4]]])


def test_work_too_long_for_16_bits_is_counted_in_32() -> None:
    # 27,000 crane-hours.
    long = week(ship(0, length=310.0, handling=9_000), ship(1, planned_section=15))
    plans = [[[10, 5, 3], [10, 15, 1]], [[10, 5, 1], [MAX_HOUR, 6, 1]], [[0, 0, 1], [9_010, 2, 1]]]
    assert_agree(long, plans)


def test_a_hundred_cranes_at_work_are_counted() -> None:
    many = week(
        *(giant(i, planned_section=None, planned_hour=None) for i in range(40)), crane_pool=279
    )
    at_once = np.full((1, 40, 3), (10, 5, 7))
    assert_agree(many, at_once)
    assert_agree(many.changed(crane_pool=280), at_once)


def test_a_pool_beyond_16_bits_is_never_short() -> None:
    assert_agree(PLAIN.changed(crane_pool=10**9, movement_limit=10**9), [[[10, 5, 1], [10, 9, 4]]])


def test_a_planned_section_beyond_the_quay_is_elsewhere() -> None:
    odd = week(ship(0, planned_section=10**6))
    assert check_many(odd, [[[10, 5, 1]]]).cost.tolist() == [5]


def test_three_hundred_ships_are_counted() -> None:
    crowd = week(*(ship(i) for i in range(300)))
    assert check_many(crowd, np.full((2, 300, 3), (9, 5, 1))).clean.tolist() == [0, 0]


# ---- refusals --------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(2, 3), (4, 3, 3), (4, 2, 4), (4, 2), (0,), (1, 4, 2, 3)])
def test_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(PlanArrayError, match=r"shape \(n, 2, 3\)"):
        check_many(PLAIN, np.zeros(shape, dtype=int))


@pytest.mark.parametrize("dtype", [float, bool, object, str])
def test_what_is_no_integer_is_refused(dtype: type) -> None:
    with pytest.raises(PlanArrayError, match="integer"):
        check_many(PLAIN, np.zeros((1, 2, 3), dtype=dtype))


@pytest.mark.parametrize("value", [MAX_HOUR + 1, -MAX_HOUR - 1, 10**12, np.iinfo(np.int64).min])
def test_a_value_out_of_range_is_refused_with_its_place(value: int) -> None:
    plans = np.zeros((3, 2, 3), dtype=np.int64)
    plans[2, 1, 0] = value
    with pytest.raises(PlanArrayError, match=rf"plans\[2, 1, 0\] .* got {value}$"):
        check_many(PLAIN, plans)


def test_refusals_are_errors_of_ours() -> None:
    assert issubclass(PlanArrayError, PortsimError)


def test_a_week_whose_costs_need_more_than_64_bits_is_refused() -> None:
    dear = PLAIN.changed(ships=(replace(PLAIN.ships[0], weight=10**18), PLAIN.ships[1]))
    with pytest.raises(WeekError, match="64 bits"):
        check_many(dear, [[[10, 5, 1], [10, 9, 4]]])

"""Solving part by part: published optima, what a part may not do, and the linear bound."""

from __future__ import annotations

import pytest

from port.check import check
from port.model import Block, Ship, Week
from port.packs import load_week
from references.effort import Effort, NoPlanError, OutOfEffortError
from references.options import choices
from references.parts import PART_SHIPS, Parts, cut
from references.relaxation import relaxed
from references.taken import taken

EFFORT = Effort(workers=1, limit=60.0)
OPTIMA = {  # published, over four tiers and both quays; the last but one in a gale
    "dock-24B-w06x1-busy-0": 87,
    "dock-36A-w06x1-standard-0": 14,
    "dock-36A-w05x1-busy-0": 404,
    "dock-24B-w35x2-storm-1": 312,
    "dock-36A-w05x2-storm-0": 290,
}


def ship(number: int, arrival: int, due: int, **changes: object) -> Ship:
    """A 150 m ship (one crane by standard, four sections) with ten hours of work."""
    fields: dict[str, object] = {
        "id": number,
        "name": f"SHIP {number}",
        "imo": "9000001",
        "length": 150.0,
        "sections": 4,
        "arrival": arrival,
        "handling": 10,
        "planned_hour": arrival,
        "planned_section": 2,
        "due": due,
    }
    return Ship(**{**fields, **changes})  # type: ignore[arg-type]


def week(*ships: Ship, **changes: object) -> Week:
    fields: dict[str, object] = {
        "id": "made-up",
        "quay": "24B",
        "number": 6,
        "weeks": 1,
        "monday": "2024-02-05",
        "tier": "standard",
        "crane_pool": 9,
        "movement_limit": 2,
        "ships": ships,
    }
    return Week(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("week_id", OPTIMA)
def test_published_optimum_is_proven(week_id: str) -> None:
    real = load_week(week_id)
    solved = Parts(real, EFFORT).solve()
    assert solved.proven
    assert solved.cost == solved.bound == OPTIMA[week_id] == check(real, solved.plan).cost


@pytest.mark.parametrize("week_id", ["dock-24B-w06x1-busy-0", "dock-24B-w07x1-busy-0"])
def test_marine_week_keeps_to_pilots_and_tugs(week_id: str) -> None:
    marine = load_week(week_id, "marine")
    solved = Parts(marine, EFFORT).solve()
    assert solved.cost == marine.best == check(marine, solved.plan).cost


def test_ships_of_different_parts_are_joined_when_they_collide() -> None:
    """Ten ships of four sections at once: five fit the 21 sections, and one crane each is all."""
    ships = [ship(n, arrival=n // 5, due=40) for n in range(PART_SHIPS + 2)]
    crowded = week(*ships, movement_limit=20)
    solved = Parts(crowded, EFFORT).solve()
    assert check(crowded, solved.plan).cost == solved.cost


def test_two_ships_one_crane_wait_for_each_other() -> None:
    """Ten hours each and one crane: the second is ten hours late, four sections a hour."""
    one_crane = week(ship(0, 0, 10), ship(1, 0, 10, planned_section=8), crane_pool=1)
    assert Parts(one_crane, EFFORT).solve().cost == 40


def test_no_deterministic_time_raises_instead_of_guessing() -> None:
    with pytest.raises(OutOfEffortError, match="dock-24B-w06x1-busy-0"):
        Parts(load_week("dock-24B-w06x1-busy-0"), Effort(1, 0.0)).solve()


def test_ship_that_never_finds_an_hour_is_named() -> None:
    """A movement limit taken up by ships alongside until past every horizon."""
    busy = tuple(
        Block(2, 2, 0, hour, "alongside", "ALONGSIDE", 0) for hour in range(1, 4_500) for _ in "ab"
    )
    with pytest.raises(NoPlanError, match="ship 0"):
        Parts(week(ship(0, 0, 10), blocks=busy), EFFORT)


def test_every_ship_is_in_exactly_one_part() -> None:
    real = load_week("dock-36A-w35x3-extreme-0")
    parts = cut(real.ships)
    assert sorted(i for part in parts for i in part) == sorted(s.id for s in real.ships)
    assert max(map(len, parts)) <= PART_SHIPS


def test_linear_bound_is_below_the_optimum_and_keeps_its_choices() -> None:
    real = load_week("dock-24B-w35x2-storm-1")
    use = taken(real, [])
    every = {s.id: choices(real, s, 0, s.arrival + 150, use) for s in real.ships}
    limit = OPTIMA[real.id]
    bound = relaxed(real, every, use, limit)
    assert bound is not None
    assert bound.bound <= limit
    optimal = Parts(real, EFFORT).solve().plan
    for ship_id, berth in optimal.items():
        same = [c for c in bound.by_ship[ship_id] if c.hour == berth.hour]
        assert berth.cranes in [c.cranes for c in same]


def test_linear_model_without_any_plan_says_so() -> None:
    """Two ships that can only berth now, and one crane."""
    one_crane = week(ship(0, 0, 10), ship(1, 0, 10), crane_pool=1)
    use = taken(one_crane, [])
    now = {s.id: choices(one_crane, s, 0, 1, use) for s in one_crane.ships}
    assert relaxed(one_crane, now, use, 0) is None

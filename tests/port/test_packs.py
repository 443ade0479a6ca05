"""Weeks come out of the packs as they were played, and a damaged pack says where it hurts."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from port import packs
from port.check import check, floor
from port.errors import PortsimError, WeekError
from port.model import Berth, Gale, Late, PilotShortage, Plan, TugOutage, Week, WindHold
from port.news import watch_hours

ROOT = Path(packs.__file__).parent.parent
PACK = ROOT / "data" / "weeks" / "dock-eval.jsonl"
SHORT = "dock-24B-w06x1-busy-0"


def published(port: str) -> list[dict[str, Any]]:
    text = (ROOT / "data" / "published" / f"{port}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def plan_of(rows: list[list[int]]) -> Plan:
    return {ship: Berth(hour, section, cranes) for ship, hour, section, cranes in rows}


def own_week() -> dict[str, Any]:
    """A pack line made by hand: two ships, a closure, and one ship late."""
    ship = {
        "name": "ANNA",
        "imo": "9371414",
        "length": 140.4,
        "sections": 4,
        "handling": 7,
        "planned_section": 4,
        "firm": "A FIRM",
    }
    late = {"kind": "late", "ship": 0, "arrival": 9}
    closure = {
        "kind": "closure",
        "first": 9,
        "last": 12,
        "start": 3,
        "end": 6,
        "reason": "dredging",
    }
    return {
        "id": "own-1",
        "quay": "24B",
        "number": 6,
        "weeks": 1,
        "monday": "2024-02-05",
        "tier": "standard",
        "crane_pool": 9,
        "movement_limit": 2,
        "ships": [
            {**ship, "id": 0, "arrival": 0, "planned_hour": 0, "due": 7},
            {**ship, "id": 1, "arrival": 20, "planned_hour": 20, "due": 27},
        ],
        "blocks": [
            {"first": 15, "last": 19, "start": 0, "end": 7, "kind": "alongside", "label": "KOI"}
        ],
        "events": [closure, late],
    }


def written(tmp_path: Path, *weeks: dict[str, Any]) -> Path:
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps(week) + "\n" for week in weeks), encoding="utf-8")
    return path


# ---- which weeks there are -------------------------------------------------------------------


@pytest.mark.parametrize(("port", "count"), [("dock", 50), ("live", 18), ("marine", 18)])
def test_a_port_has_its_published_weeks(port: str, count: int) -> None:
    assert packs.week_ids(port) == [row["id"] for row in published(port)]
    assert len(packs.week_ids(port)) == count


def test_the_wind_port_lists_fifteen_of_the_pairs_that_were_screened() -> None:
    assert packs.week_ids("wind") == [row["id"] for row in published("wind")]
    assert len(packs.week_ids("wind")) == 15
    pairs = packs.wind_pairs()
    assert len(set(pairs)) == 240
    assert set(packs.week_ids("wind")) <= set(pairs)


@pytest.mark.parametrize("port", packs.PORTS)
def test_a_summary_counts_what_the_week_has(port: str) -> None:
    for summary in packs.summaries(port):
        week = packs.load_week(summary.id, port)
        assert week.opening is not None
        assert summary.ships == len(week.opening.ships)
        assert summary.events == len(week.events)
        assert (summary.quay, summary.tier, summary.weeks) == (week.quay, week.tier, week.weeks)


def test_listing_weeks_loads_neither_ray_nor_a_solver() -> None:
    code = (
        "import sys; from port.packs import summaries; [summaries(p) for p in "
        "('dock', 'live', 'marine', 'wind')]; "
        "print([m for m in ('ray', 'ortools', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.strip() == "[]"


# ---- what is in them -------------------------------------------------------------------------


@pytest.mark.parametrize("row", published("dock"), ids=lambda row: row["id"])
def test_a_dock_week_costs_what_was_published(row: dict[str, Any]) -> None:
    week = packs.load_week(row["id"])
    assert check(week, plan_of(row["optimal_plan"])).cost == row["optimum"] == week.best
    assert check(week, plan_of(row["naive_plan"])).cost == row["naive"]


@pytest.mark.parametrize("row", published("live"), ids=lambda row: row["id"])
def test_a_live_week_unfolds_in_the_published_watches(row: dict[str, Any]) -> None:
    week = packs.load_week(row["id"], "live")
    assert list(watch_hours(week)) == row["watches"]
    assert (floor(week), week.best) == (row["floor"], row["optimum"])


@pytest.mark.parametrize("row", published("marine"), ids=lambda row: row["id"])
def test_a_marine_week_has_the_published_watches_floor_and_optimum(row: dict[str, Any]) -> None:
    week = packs.load_week(row["id"], "marine")
    assert list(watch_hours(week)) == row["watches"]
    assert floor(week) == row["floor"]
    assert check(week, plan_of(row["optimal_plan"])).cost == row["optimum"] == week.best


@pytest.mark.parametrize("row", published("wind"), ids=lambda row: row["id"])
def test_a_wind_week_has_the_published_floor_and_anchor(row: dict[str, Any]) -> None:
    week = packs.load_week(row["id"], "wind")
    assert (floor(week), week.best) == (row["floor"], row["anchor"])


def test_the_opening_is_the_published_schedule() -> None:
    for week_id in packs.week_ids():
        opening = packs.load_week(week_id).opening
        assert opening is not None
        assert all(ship.arrival == ship.planned_hour for ship in opening.ships)
        assert all(ship.weight == 1 and ship.deadline is None for ship in opening.ships)
        assert all(block.kind == "alongside" for block in opening.blocks)
        assert not opening.outages
        assert not opening.wind


def test_every_ship_has_the_firm_that_was_its_agent() -> None:
    weeks = [packs.load_week(week_id) for week_id in packs.week_ids()]
    assert all(ship.firm for week in weeks for ship in week.ships)
    # Berthing 2024-02-05 and the unscheduled FOS EXPRESS, whose one call of the year was in autumn.
    firms = {ship.name: ship.firm for ship in packs.load_week(SHORT).ships}
    assert firms["CMA CGM DALILA"] == "CMA CGM IBERICA SAU"
    assert firms["FOS EXPRESS"] == "HAPAG LLOYD SPAIN SL"


def test_a_late_ship_keeps_its_planned_hour() -> None:
    week = packs.load_week(SHORT)  # NANTO, planned for hour 54, came 20 hours late
    assert Late(5, 74) in week.events
    assert (week.by_id[5].arrival, week.by_id[5].planned_hour) == (74, 54)


def test_the_cuts_are_the_last_news_of_a_marine_week() -> None:
    week = packs.load_week(SHORT, "marine")
    assert week.events[-2:] == (TugOutage(66, 90, 2), PilotShortage(66, 78, 2))
    assert week.services is not None
    assert (week.services.pilots, week.services.tugs, week.services.hours) == (7, 8, 264)
    assert week.opening is not None
    assert week.opening.services is not None
    assert week.opening.services.tug_cuts == ()


def test_the_weather_of_a_wind_week_replaces_its_gale() -> None:
    marine = packs.load_week("dock-24B-w35x1-busy-0", "marine")
    assert any(isinstance(event, Gale) for event in marine.events)
    week = packs.load_week("dock-24B-w35x1-busy-0-e14", "wind")
    assert not any(isinstance(event, Gale) for event in week.events)
    assert week.wind == (WindHold(83, 88, 300), WindHold(84, 85, 0))
    assert week.weather is not None
    assert len(week.weather.runs) == 44


def test_the_opening_of_a_wind_week_does_not_hold_the_weather() -> None:
    opening = packs.load_week("dock-24B-w06x1-busy-0-e15", "wind").opening
    assert opening is not None
    assert (opening.weather, opening.wind) == (None, ())


def test_every_marine_week_can_be_had_in_every_weather() -> None:
    for marine_id in packs.week_ids("marine"):
        week = packs.load_week(f"{marine_id}-e13", "wind")
        assert week.wind == ()  # nothing blew in e13
        assert week.best is None


def test_two_weather_weeks_were_false_alarms() -> None:
    kinds = packs.weather_kinds()
    assert len(kinds) == 16
    assert [key for key, kind in kinds.items() if kind == "false_alarm"] == ["e04", "e13"]


# ---- the reference a week is graded against --------------------------------------------------


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    data = tmp_path / "data"
    shutil.copytree(ROOT / "data", data, ignore=shutil.ignore_patterns("references"))
    monkeypatch.setattr(packs, "DATA", data)
    return data


def test_our_own_reference_comes_before_the_published_one(copied: Path) -> None:
    (copied / "references").mkdir()
    rows = '{"id":"dock-24B-w06x1-busy-0","optimum":86}\n'
    (copied / "references" / "dock.jsonl").write_text(rows)
    assert packs.best(SHORT, "dock") == 86
    assert packs.best("dock-24B-w07x1-busy-0", "dock") == 226  # published: ours lacks it


def test_a_week_nobody_has_solved_has_no_best(copied: Path) -> None:
    (copied / "published" / "dock.jsonl").unlink()
    assert packs.load_week(SHORT).best is None


@pytest.mark.parametrize("cost", ["null", "true", '"87"', "-1"])
def test_a_reference_that_is_no_cost_is_refused(copied: Path, cost: str) -> None:
    rows = f'{{"id":"{SHORT}","optimum":{cost}}}\n'
    (copied / "published" / "dock.jsonl").write_text(rows)
    with pytest.raises(WeekError, match=r"dock\.jsonl:1: optimum: "):
        packs.load_week(SHORT)


# ---- packs of one's own ----------------------------------------------------------------------


def test_a_pack_of_ones_own_is_loaded(tmp_path: Path) -> None:
    (week,) = packs.load_pack(written(tmp_path, own_week()))
    assert week.by_id[0].arrival == 9
    assert [block.kind for block in week.blocks] == ["alongside", "closed"]
    assert week.best is None
    assert not week.unfolds


def test_a_pack_of_ones_own_can_unfold(tmp_path: Path) -> None:
    (week,) = packs.load_pack(written(tmp_path, own_week()), unfolds=True)
    assert week.unfolds
    assert week.opening is not None
    assert week.opening.unfolds


def test_a_week_is_written_as_it_was_read() -> None:
    lines = PACK.read_text(encoding="utf-8").splitlines()
    assert [dumped(week) for week in packs.load_pack(PACK)] == lines


def test_a_marine_week_is_written_with_its_services(tmp_path: Path) -> None:
    week = packs.load_week(SHORT, "marine")
    path = tmp_path / "marine.jsonl"
    path.write_text(dumped(week) + "\n", encoding="utf-8")
    (back,) = packs.load_pack(path, unfolds=True)
    assert back.services == week.services
    assert back.events == week.events


def dumped(week: Week) -> str:
    assert week.opening is not None
    return packs.dump_week(week.opening, week.events)


def test_a_pack_that_is_written_again_is_read_again(tmp_path: Path) -> None:
    path = written(tmp_path, own_week())
    packs.load_pack(path)
    written(tmp_path, own_week(), {**own_week(), "id": "own-number-two"})
    assert [week.id for week in packs.load_pack(path)] == ["own-1", "own-number-two"]


# ---- what is wrong, and where ----------------------------------------------------------------


def test_an_unknown_week_is_named_with_its_nearest() -> None:
    with pytest.raises(WeekError) as raised:
        packs.load_week("dock-24B-w06x1-busy-1")
    assert "'dock-24B-w06x1-busy-1'" in str(raised.value)
    assert SHORT in str(raised.value)
    assert isinstance(raised.value, PortsimError)


def test_a_week_of_two_is_no_live_week() -> None:
    with pytest.raises(WeekError, match=r"'dock-24B-w06x2-busy-0' at port 'live'"):
        packs.load_week("dock-24B-w06x2-busy-0", "live")


@pytest.mark.parametrize("week_id", ["", "e00", SHORT, SHORT + "-e16", "x-e00", "-"])
def test_half_a_pair_is_no_wind_week(week_id: str) -> None:
    with pytest.raises(WeekError, match="at port 'wind'; nearest of its 288"):
        packs.load_week(week_id, "wind")


def test_an_unknown_port_is_named_with_those_there_are() -> None:
    with pytest.raises(WeekError, match=r"no port 'wnd': .*did you mean 'wind'"):
        packs.load_week(SHORT, "wnd")
    with pytest.raises(WeekError, match="dock, live, marine, wind"):
        packs.week_ids("moon")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(WeekError, match=r"none\.jsonl: cannot be read"):
        packs.load_pack(tmp_path / "none.jsonl")


CASES: dict[str, tuple[tuple[Any, ...], Any, str]] = {
    "a boolean is no number": (("ships", 1, "handling"), True, "ships.1.handling: .*True"),
    "text is no number": (("ships", 1, "due"), "27", "ships.1.due: .*'27'"),
    "a fraction is no hour": (("ships", 0, "arrival"), 0.5, "ships.0.arrival: .*0.5"),
    "a field too many": (("ships", 0, "crew"), 22, "ships.0.crew: no such field, got 22"),
    "a field too many in the week": (("gale", ), 1, "gale: no such field"),
    "no time to handle": (("ships", 1, "handling"), 0, "ships.1: handling must be .*got 0"),
    "an unknown quay": (("quay",), "99Z", "quay must be one of .*'99Z'"),
    "a day that is no Monday": (("monday",), "2024-02-06", "monday must be .*'2024-02-06'"),
    "an id twice": (("ships", 1, "id"), 0, r"ships must have ids of their own, got \[0, 0\]"),
    "a ship longer than the quay": (("ships", 1, "sections"), 22, "ship 1: sections must fit"),
    "a ship off the quay": (("ships", 1, "planned_section"), 20, "ships.1.planned_section"),
    "an event of no kind": (("events", 0, "kind"), "strike", "events.0: .*'strike'"),
    "an event about nobody": (("events", 1, "ship"), 7, r"events.1 \(late\): .*schedule, got 7"),
    "a closure that ends first": (("events", 0, "end"), 2, r"events.0 \(closure\): .*\(3, 2\)"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, case: str) -> None:
    where, value, said = CASES[case]
    week = own_week()
    put(week, where, value)
    path = written(tmp_path, {**own_week(), "id": "sound"}, week)
    with pytest.raises(WeekError, match=rf"own\.jsonl:2: .*{said}"):
        packs.load_pack(path)


def test_a_missing_field_is_named(tmp_path: Path) -> None:
    week = own_week()
    del week["ships"][1]["due"]
    with pytest.raises(WeekError, match=r"own\.jsonl:1: ships\.1\.due: is missing"):
        packs.load_pack(written(tmp_path, week))


def test_two_weeks_of_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WeekError, match=r"own\.jsonl:2: id: .*'own-1' is on 1"):
        packs.load_pack(written(tmp_path, own_week(), own_week()))


@pytest.mark.parametrize("kept", [40, 200, -10])
def test_a_truncated_line_is_named(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(own_week())[:kept])
    with pytest.raises(WeekError, match=r"own\.jsonl:1: broken JSON"):
        packs.load_pack(path)


@pytest.mark.parametrize("text", ["[]", "7", '"id"', "{}", '{"ID":"x"}', "\x00", "{"])
def test_a_line_that_is_no_week_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(text)
    with pytest.raises(WeekError, match=r"own\.jsonl:1: must start with"):
        packs.load_pack(path)


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(WeekError, match=r"own\.jsonl: cannot be read"):
        packs.load_pack(path)


def test_whatever_stands_in_a_field_gives_a_week_or_a_week_error(tmp_path: Path) -> None:
    strange: list[Any] = [
        None,
        True,
        -1,
        0,
        10**30,
        0.5,
        float("nan"),
        float("inf"),
        "",
        "x",
        [],
        {},
        [[]],
    ]
    path = tmp_path / "own.jsonl"
    said: list[str] = []
    for where in places(own_week()):
        for value in strange:
            week = own_week()
            put(week, where, value)
            path.write_text(json.dumps(week))
            try:
                packs.load_pack(path)
            except WeekError as error:
                said.append(str(error))
    assert len(said) > 400
    assert all(text.startswith(f"{path}:1: ") for text in said)


def put(week: dict[str, Any], where: tuple[Any, ...], value: Any) -> None:
    inner: Any = week
    for key in where[:-1]:
        inner = inner[key]
    inner[where[-1]] = value


def places(value: Any, where: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if where:
        yield where
    if isinstance(value, dict):
        for key, part in value.items():
            yield from places(part, (*where, key))
    if isinstance(value, list):
        for n, part in enumerate(value):
            yield from places(part, (*where, n))

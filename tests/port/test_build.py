"""The weeks of `data/` follow from the port's record, and are the recorded ones."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from port import packs
from port.build.__main__ import main
from port.build.cuts import cuts
from port.build.dock import crane_peak, movement_peak, recorded
from port.build.marine import traffic
from port.build.record import BuildError, Call, hour_of, nearest_call, read_calls
from port.build.tree import tree
from port.build.weather import weather_row
from port.build.weeks import Published, published
from port.jsonl import line_of, parse
from port.known import known
from port.model import Berth, Block, ForecastRun, Movement, Plan, Ship, Week
from port.movements import merge
from port.packfile import WeatherLine
from port.weather import hourly, windows

ROOT = Path(packs.__file__).parent.parent
DATA = ROOT / "data"
SOURCES = Path(os.environ.get("PORTSIM_SOURCES", ROOT.parent / "shared" / "sources"))

needs_sources = pytest.mark.skipif(
    not (SOURCES / "dock_eval_weeks.jsonl").is_file(),
    reason="the source files are not here (PORTSIM_SOURCES names their folder)",
)

MONDAY = datetime(2024, 2, 5)


def call(start: float, end: float, sections: tuple[int, int] = (4, 7), **fields: Any) -> Call:
    """A call at 24B, its hours counted from MONDAY."""
    first, last = sections
    return Call(
        fields.get("id", "1-1"),
        fields.get("quay", "24B"),
        first,
        last,
        fields.get("ship", "ANNA"),
        fields.get("imo", "9371414"),
        fields.get("length", 140.0),
        MONDAY + timedelta(hours=start),
        MONDAY + timedelta(hours=end),
        fields.get("agent", "A FIRM"),
    )


def plan_of(*calls: Call, weeks: int = 1) -> Published:
    return published(calls, "24B", MONDAY, weeks)


@cache
def record() -> tuple[Call, ...]:
    return read_calls(SOURCES / "barcelona_container_calls_2024.csv")


@cache
def rows(name: str) -> tuple[dict[str, Any], ...]:
    text = (SOURCES / name).read_text(encoding="utf-8")
    return tuple(json.loads(line) for line in text.splitlines())


@cache
def rebuilt(week_id: str) -> tuple[Week, Week, dict[str, Any]]:
    """A week's opening from the record, the week as it was, and the recorded row."""
    (row,) = (row for row in rows("dock_eval_weeks.jsonl") if row["task_id"] == week_id)
    opening, events = recorded(record(), row)
    return opening, known(opening, events), row


# ---- the record's hours and weeks ------------------------------------------------------------


@pytest.mark.parametrize(
    ("minutes", "hour"), [(0, 0), (29, 0), (30, 0), (31, 1), (90, 2), (150, 2), (-30, 0), (-31, -1)]
)
def test_hours_are_rounded_half_to_even(minutes: int, hour: int) -> None:
    assert hour_of(MONDAY + timedelta(minutes=minutes), MONDAY) == hour


def test_a_call_is_planned_where_and_when_it_was() -> None:
    (ship,) = plan_of(call(7.2, 19.4, (9, 14))).ships
    assert (ship.arrival, ship.planned_hour, ship.planned_section) == (7, 7, 9)
    assert (ship.handling, ship.due, ship.sections, ship.firm) == (12, 19, 6, "A FIRM")


def test_a_call_shorter_than_an_hour_takes_one() -> None:
    (ship,) = plan_of(call(7.1, 7.4)).ships
    assert (ship.handling, ship.due) == (1, 8)


def test_sections_beyond_the_quay_are_clipped() -> None:
    (ship,) = plan_of(call(7, 9, (1, 4))).ships
    assert (ship.planned_section, ship.sections) == (2, 3)


def test_a_ship_that_came_before_monday_lies_alongside_until_it_leaves() -> None:
    plan = plan_of(call(-12, 7), call(168.1, 170), call(-9, -1))
    assert plan == Published((), (Block(4, 7, 0, 7, "alongside", "ANNA", 2),))


def test_ships_are_numbered_by_start_then_call() -> None:
    late, first, second = (
        call(9, 12, ship="LATE", id="1-1"),
        call(5, 8, (4, 7), ship="FIRST", id="2-1"),
        call(5, 8, (9, 12), ship="SECOND", id="2-2"),
    )
    names = [ship.name for ship in plan_of(second, late, first).ships]
    assert names == ["FIRST", "SECOND", "LATE"]


def test_of_two_overlapping_stays_the_earlier_is_cut() -> None:
    early, late = plan_of(call(5, 10), call(9, 15, (6, 9), ship="BEA")).ships
    assert (early.handling, early.due) == (4, 9)
    assert (late.arrival, late.due) == (9, 15)


def test_of_two_that_berth_together_the_later_waits() -> None:
    first, second = plan_of(call(5, 10), call(5, 15, (6, 9), ship="BEA", id="1-2")).ships
    assert (first.arrival, first.due) == (5, 10)
    assert (second.arrival, second.handling, second.due) == (10, 5, 15)


def test_following_weeks_are_appended_and_a_ship_counts_once() -> None:
    # BEA berths 20 minutes before the second Monday: at hour 168 of both weeks.
    ships = plan_of(call(5, 10), call(167.7, 180, ship="BEA"), call(200, 210), weeks=2).ships
    assert [(ship.name, ship.arrival, ship.due) for ship in ships] == [
        ("ANNA", 5, 10),
        ("BEA", 168, 180),
        ("ANNA", 200, 210),
    ]


def test_the_crane_pool_is_the_quays_or_the_plans_peak() -> None:
    big = {"length": 366.0}  # 4 cranes each
    koi = call(8, 9, (16, 20))
    plan = plan_of(call(5, 10, (2, 8), **big), call(6, 10, (9, 15), **big), koi)
    assert crane_peak(plan, 9) == 9
    assert crane_peak(plan, 8) == 9


def test_the_movement_limit_is_the_quays_or_the_plans_peak() -> None:
    bea = call(9, 12, (8, 11), ship="BEA")
    plan = plan_of(call(-5, 9, (16, 20)), call(9, 10, (2, 5)), bea)
    assert movement_peak(plan, 2) == 3  # one leaves and two berth at hour 9


def test_the_nearest_call_of_a_ship_may_lie_on_either_side() -> None:
    calls = [call(0, 5, id="a"), call(100, 105, id="b"), call(51, 55, imo="9083043", id="c")]
    assert nearest_call(calls, "9371414", MONDAY + timedelta(hours=40)).id == "a"
    assert nearest_call(calls, "9371414", MONDAY + timedelta(hours=60)).id == "b"
    with pytest.raises(BuildError, match="IMO '1'"):
        nearest_call(calls, "1", MONDAY)


# ---- against the recorded weeks --------------------------------------------------------------


@needs_sources
@pytest.mark.parametrize("week_id", packs.week_ids())
def test_the_record_gives_the_recorded_schedule(week_id: str) -> None:
    opening, _, row = rebuilt(week_id)
    planned = [(*ship_row(ship)[:5], *ship_row(ship)[6:10]) for ship in opening.ships]
    # Column 5 is the arrival, which the events move; column 7 the planned hour.
    recorded_plan = [(*ship[:5], *ship[6:10]) for ship in row["ships"] if ship[7] is not None]
    assert planned == recorded_plan


@needs_sources
def test_the_one_week_weeks_have_399_planned_ships() -> None:
    openings = [rebuilt(week_id)[0] for week_id in packs.week_ids("live")]
    assert sum(len(opening.ships) for opening in openings) == 399


@needs_sources
@pytest.mark.parametrize("week_id", packs.week_ids())
def test_the_events_give_the_week_as_it_was(week_id: str) -> None:
    _, week, row = rebuilt(week_id)
    assert [ship_row(ship) for ship in week.ships] == row["ships"]
    blocks = [[b.first, b.last, b.start, b.end, b.kind, b.label, b.cranes] for b in week.blocks]
    assert blocks == row["blocks"]
    rules = row["rules"]
    wind = {(w.start, w.end, w.min_length) for w in week.wind}
    assert wind == {(w["start"], w["end"], w["min_length"]) for w in rules["no_moves"]}
    outages = {(o.start, o.end, o.cranes) for o in week.outages}
    assert outages == {(o["start"], o["end"], o["cranes"]) for o in rules["crane_outages"]}


def ship_row(s: Ship) -> list[Any]:
    return [
        *(s.id, s.name, s.imo, s.length, s.sections, s.arrival, s.handling),
        *(s.planned_hour, s.planned_section, s.due, s.workload, s.least, s.most, s.standard),
        *(s.weight, s.deadline, s.penalty),
    ]


@needs_sources
@pytest.mark.parametrize("week_id", packs.week_ids())
def test_the_published_plan_gives_the_recorded_limits(week_id: str) -> None:
    opening, _, row = rebuilt(week_id)
    assert opening.crane_pool == row["rules"]["crane_pool"]
    assert opening.movement_limit == row["rules"]["max_moves_per_hour"]


@needs_sources
def test_the_rule_places_every_recorded_cut() -> None:
    for row in rows("marine_traffic.jsonl"):
        opening, week, dock_row = rebuilt(row["task_id"])
        events = packs.load_week(row["task_id"]).events
        week = week.changed(opening=opening, events=events, unfolds=True)
        plan: Plan = {ship: Berth(*window) for ship, *window in dock_row["ref"]["optimal_plan"]}
        placed = [(cut.kind, cut.start, cut.end) for cut in cuts(week, plan)]
        assert placed == [(cut["type"], cut["start"], cut["end"]) for cut in row["cuts"]]


@needs_sources
def test_every_forecast_runs_recorded_windows_follow_from_its_knots() -> None:
    runs = [run for row in rows("weather_weeks.jsonl") for run in row["runs"]]
    assert len(runs) == 703
    for run in runs:
        coming = windows(hourly(ForecastRun(run["init"], run["issued"], tuple(run["kn"]))))
        recorded_windows = [(w["start"], w["end"], w["min_length"]) for w in run["windows"]]
        assert [(w.start, w.end, w.min_length) for w in coming] == recorded_windows


@needs_sources
def test_a_run_whose_windows_do_not_follow_is_refused() -> None:
    row = json.loads(json.dumps(rows("weather_weeks.jsonl")[0]))
    row["runs"][3]["windows"][0]["end"] += 1
    with pytest.raises(BuildError, match="e00: run 6: "):
        weather_row(row)


# ---- the files -------------------------------------------------------------------------------


@needs_sources
def test_a_rebuild_gives_the_committed_files_byte_for_byte(tmp_path: Path) -> None:
    assert main([str(SOURCES), "--out", str(tmp_path)]) == 0
    built = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert len(built) == 14
    for path in built:
        assert path.read_bytes() == (DATA / path.relative_to(tmp_path)).read_bytes(), path


@pytest.mark.parametrize("folder", ["calls", "traffic", "weeks", "weather", "published"])
def test_a_manifest_vouches_for_every_file_beside_it(folder: str) -> None:
    manifests = sorted((DATA / folder).glob("manifest*.json"))
    entries = [json.loads(path.read_text(encoding="utf-8")) for path in manifests]
    manifest = {name: entry for part in entries for name, entry in part.items()}
    there = {path.name for path in (DATA / folder).iterdir()} - {path.name for path in manifests}
    assert set(manifest) == there
    for name, entry in manifest.items():
        content = (DATA / folder / name).read_bytes()
        assert entry["sha256"] == hashlib.sha256(content).hexdigest()
        text = gzip.decompress(content) if name.endswith(".gz") else content
        assert entry["rows"] == len(text.splitlines())
        assert entry["licence"]
        assert entry["credit"]


def test_missing_sources_are_named_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "barcelona_container_calls_2024.csv" in said
    assert not (tmp_path / "out").exists()


def test_a_damaged_source_is_named(tmp_path: Path) -> None:
    path = tmp_path / "calls.csv"
    path.write_text(
        "call,quay,sections,ship,imo,length_m,eta_utc,etd_utc,agent\n1,24B,x,A,1,9,,,B\n"
    )
    with pytest.raises(BuildError, match=r"calls\.csv:2: "):
        read_calls(path)
    with pytest.raises(BuildError, match="lacks"):
        tree(tmp_path)


def test_a_recorded_movement_is_hour_type_and_length() -> None:
    assert traffic("0T253.8 21K168.06") == (Movement(0, "T", 253.8), Movement(21, "K", 168.06))
    with pytest.raises(BuildError, match="'T12'"):
        traffic("0T253.8 T12")


def test_what_blew_is_what_was_observed_with_gaps_of_two_hours_joined() -> None:
    for weather_id in packs.weather_kinds():
        line = line_of(DATA / "weather" / "weather-weeks.jsonl", weather_id)
        assert line is not None
        weather = parse(WeatherLine, line)
        for min_length in (300, 0):
            observed = [(w.start, w.end) for w in weather.observed if w.min_length == min_length]
            blew = [(w.start, w.end) for w in weather.windows if w.min_length == min_length]
            assert list(merge(observed, gap=2)) == blew


def test_hours_without_a_reading_are_kept() -> None:
    line = line_of(DATA / "weather" / "weather-weeks.jsonl", "e07")
    assert line is not None
    # 17 hours in two spans, as the readings' users have published it.
    spans = parse(WeatherLine, line).no_reading
    assert [end - start for start, end in spans] == [5, 12]

"""Plans come in many forms and some are rubbish: what is readable is read, the rest is told."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from port.model import MAX_HOUR, Berth
from port.packs import load_week
from port.plans import MAX_ENTRIES, MAX_TEXT, QUOTED, parse_plan, plan_rows
from tests.port.handmade import giant, ship, week

WEEK = week(
    ship(0, name="ANNA"),
    giant(3, name="BERTHA"),
    ship(7, name="TWIN"),
    ship(9, name="TWIN"),
    ship(12, name="3"),
)
ENTRY = {"ship": 0, "berth_hour": 10, "section": 5, "cranes": 2}
READ = {0: Berth(10, 5, 2)}
LONGEST_PROBLEM = 4 * QUOTED + 100


def type_name(value: object) -> str:
    """A test's name for a value too long, or too strange, to be in one."""
    return type(value).__name__


def problems(raw: object) -> list[str]:
    """The problems of a plan of which nothing could be read."""
    plan, unreadable = parse_plan(WEEK, raw)
    assert plan == {}
    return unreadable


def problem(**changes: Any) -> str:
    """The one problem of an entry with these changes."""
    (text,) = problems([{**ENTRY, **changes}])
    return text


# ---- forms -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [
        [ENTRY],
        (ENTRY,),
        {"plan": [ENTRY]},
        {"plan": [ENTRY], "why": "it fits"},
        json.dumps([ENTRY]),
        json.dumps([ENTRY], indent=4),
        f"  \n{json.dumps([ENTRY])}\n",
        f"\ufeff{json.dumps([ENTRY])}",
        json.dumps({"plan": [ENTRY]}),
        {"plan": json.dumps([ENTRY])},
        json.dumps(json.dumps([ENTRY])),
        f"```\n{json.dumps([ENTRY])}\n```",
        f"```json\n{json.dumps([ENTRY])}\n```",
        f"```JSON\n{json.dumps([ENTRY], indent=1)}\n```",
        f"``` json\r\n{json.dumps({'plan': [ENTRY]})}\r\n```\r\n",
        f"```json {json.dumps([ENTRY])}```",
        f"```json{json.dumps([ENTRY])}```",
        f"My plan:\n\n```json\n{json.dumps([ENTRY])}\n```\n\nIt breaks no rule.",
        f"```json\n{json.dumps([ENTRY])}",
        json.dumps([{**ENTRY, "note": "a ``` in a note"}]),
        {0: Berth(10, 5, 2)},
        {0: (10, 5, 2)},
        {0: [10, 5, 2]},
        {"0": [10, 5, 2]},
        {"ANNA": [10, 5, 2]},
        '{"0": [10, 5, 2]}',
        {"plan": {0: Berth(10, 5, 2)}},
        [{**ENTRY, "ship": "0"}],
        [{**ENTRY, "ship": "ANNA"}],
        [{**ENTRY, "ship": 0.0, "berth_hour": 10.0}],
        '[{"ship": 0, "berth_hour": 1e1, "section": 5, "cranes": 2}]',
        [{**ENTRY, "comment": {"deep": [True, None, math.nan]}}],
        {np.int64(0): (np.int32(10), np.int16(5), np.uint8(2))},
    ],
    ids=type_name,
)
def test_a_plan_is_read_in_any_of_its_forms(raw: object) -> None:
    assert parse_plan(WEEK, raw) == (READ, [])


@pytest.mark.parametrize("raw", [[], {}, {"plan": []}, "[]", "{}", "```\n[]\n```"])
def test_an_empty_plan_is_a_plan(raw: object) -> None:
    assert parse_plan(WEEK, raw) == ({}, [])


@pytest.mark.parametrize("cranes", [{}, {"cranes": None}])
def test_cranes_default_to_the_standard(cranes: dict[str, None]) -> None:
    raw = [{"ship": 3, "berth_hour": 10, "section": 5, **cranes}]
    assert parse_plan(WEEK, raw) == ({3: Berth(10, 5, 4)}, [])


def test_numbers_are_plain_integers_whatever_they_were() -> None:
    plan, _ = parse_plan(WEEK, {np.int64(0): (np.int32(10), 5.0, np.uint8(2))})
    assert {type(number) for ship, window in plan.items() for number in (ship, *window)} == {int}


def test_whether_a_window_is_allowed_is_not_asked() -> None:
    window = Berth(-MAX_HOUR, MAX_HOUR, 0)
    assert parse_plan(WEEK, {0: window}) == ({0: window}, [])


def test_rows_are_what_an_agent_sends() -> None:
    plan = {3: Berth(11, 6, 4), 0: Berth(10, 5, 2)}
    assert plan_rows(plan) == [
        {"ship": 0, "berth_hour": 10, "section": 5, "cranes": 2},
        {"ship": 3, "berth_hour": 11, "section": 6, "cranes": 4},
    ]
    assert parse_plan(WEEK, plan_rows(plan)) == (plan, [])


# ---- which ship ------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", [1, -1, "1", "anna", "ANNA ", "", "٣", "03", "+3", 3.5, None])
def test_an_unknown_ship_is_a_problem(asked: object) -> None:
    assert "ship" in problem(ship=asked)


def test_a_name_that_two_ships_bear_is_a_problem() -> None:
    assert problem(ship="TWIN") == "entry 1: the name 'TWIN' is that of ships 7, 9; give the id"


def test_a_name_comes_before_an_id_spelled_out() -> None:
    assert list(parse_plan(WEEK, [{**ENTRY, "ship": "3"}])[0]) == [12]


def test_a_ship_named_twice_keeps_its_first_window() -> None:
    raw = [ENTRY, {**ENTRY, "berth_hour": 11}, {**ENTRY, "ship": "ANNA", "berth_hour": 12}]
    assert parse_plan(WEEK, raw) == (
        READ,
        ["entry 2: ship 0 (ANNA) is there already", "entry 3: ship 0 (ANNA) is there already"],
    )


def test_an_unreadable_entry_does_not_take_the_ships_place() -> None:
    plan, unreadable = parse_plan(WEEK, [{**ENTRY, "berth_hour": "ten"}, ENTRY])
    assert (plan, len(unreadable)) == (READ, 1)


def test_fifty_copies_are_one_window_and_49_problems() -> None:
    plan, unreadable = parse_plan(WEEK, [ENTRY] * 50)
    assert (plan, len(unreadable)) == (READ, 49)


# ---- numbers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["ship", "berth_hour", "section", "cranes"])
@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        0.5,
        math.nan,
        math.inf,
        -math.inf,
        10**12,
        -(10**12),
        MAX_HOUR + 1,
        10.0**300,
        10**5000,
        1j,
        [3],
        {"value": 3},
        b"3",
        np.bool_(True),
        np.float64("nan"),
        object(),
    ],
    ids=type_name,
)
def test_what_is_no_whole_number_is_a_problem(field: str, value: object) -> None:
    text = problem(**{field: value})
    assert field in text
    assert len(text) < LONGEST_PROBLEM


@pytest.mark.parametrize("field", ["berth_hour", "section", "cranes"])
@pytest.mark.parametrize("value", ["10", "", "ten"])
def test_text_is_no_number(field: str, value: str) -> None:
    assert f"{field} must be a whole number, not {value!r}" in problem(**{field: value})


@pytest.mark.parametrize("field", ["ship", "berth_hour", "section"])
def test_a_field_left_out_is_a_problem(field: str) -> None:
    (text,) = problems([{key: value for key, value in ENTRY.items() if key != field}])
    assert text.startswith(f"entry 1: it has no {field}")


@pytest.mark.parametrize(
    "number",
    ["NaN", "Infinity", "-Infinity", "1e400", "1" + "0" * 5000, "-1" + "0" * 12],
    ids=("nan", "inf", "-inf", "1e400", "5001 digits", "-1e12"),
)
def test_numbers_in_json_that_are_none(number: str) -> None:
    (text,) = problems(f'[{{"ship": 0, "berth_hour": {number}, "section": 5}}]')
    assert "berth_hour" in text
    assert len(text) < LONGEST_PROBLEM


# ---- entries ---------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", [None, 5, "ANNA", [0, 10, 5, 2], [], b"", {}])
def test_an_entry_that_is_no_object_is_a_problem(entry: object) -> None:
    assert len(problems([entry])) == 1


@pytest.mark.parametrize("window", [[10, 5], [10, 5, 2, 1], None, 10, "abc", {"hour": 10}])
def test_a_mapping_needs_an_hour_a_section_and_cranes(window: object) -> None:
    plan, unreadable = parse_plan(WEEK, {0: (10, 5, 2), 3: window})
    assert (plan, len(unreadable)) == (READ, 1)


def test_a_ship_under_two_keys_keeps_its_first_window() -> None:
    plan, unreadable = parse_plan(WEEK, {0: (10, 5, 2), "ANNA": (11, 5, 2)})
    assert (plan, len(unreadable)) == (READ, 1)


def test_a_key_given_twice_is_a_problem() -> None:
    raw = '[{"ship": 0, "berth_hour": 10, "berth_hour": 12, "section": 5}]'
    assert problems(raw) == ["entry 1: it gives the same key twice"]


def test_entries_beyond_the_limit_are_one_problem_together() -> None:
    plan, unreadable = parse_plan(WEEK, [ENTRY] * 100_000)
    assert (plan, len(unreadable)) == (READ, MAX_ENTRIES)
    assert unreadable[-1] == "the plan has 100000 entries; only 1000 are read"


# ---- no plan at all --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [
        None,
        True,
        5,
        10**5000,
        math.nan,
        b"[]",
        bytearray(b"[]"),
        {1, 2},
        iter([ENTRY]),
        object(),
        np.zeros((5, 3), dtype=int),
        "",
        "I would rather not.",
        "\ud800",
        '"\ud800"',
        "null",
        "5",
        "NaN",
        "[{]",
        '[{"ship": 0',
        "[" * 500_000,
        '{"plan":' * 100_000,
        '{"a":' * 400_000,
        "x" * (5 * MAX_TEXT),
        "[" + "1" * (MAX_TEXT - 10),
        "```" * 1000,
        "```json\n[]\n```\nor\n```json\n[]\n```",
        '{"plan": [], "plan": []}',
        {"plan": None},
        {"plan": {"plan": {"plan": {"plan": {"plan": []}}}}},
        ENTRY,
        {"ship": {}, "berth_hour": {}},
    ],
    ids=type_name,
)
def test_what_is_no_plan_is_one_problem(raw: object) -> None:
    started = time.perf_counter()
    (text,) = problems(raw)
    assert time.perf_counter() - started < 1
    assert len(text) < LONGEST_PROBLEM
    text.encode()


def test_a_list_nested_deep_is_one_problem_an_entry() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    (text,) = problems(deep)
    assert text.endswith("a list of 1")


def test_lone_surrogates_are_quoted_as_text_that_can_be_written() -> None:
    problem(ship="\ud800").encode()
    problem(berth_hour="\udfff").encode()


@pytest.mark.parametrize(
    "value",
    ["y" * 10**6, {"k" * 10**6: 1}, type("T" * 10**6, (), {})()],
    ids=("text", "object", "type"),
)
def test_a_problem_quotes_no_more_than_a_little(value: object) -> None:
    assert len(problem(section=value)) < LONGEST_PROBLEM


# ---- whatever comes --------------------------------------------------------------------------

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-30, 400)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["ANNA", "TWIN", "3", "\ud800", "```"])
)
KEYS = st.sampled_from(["ship", "berth_hour", "section", "cranes", "plan", "x"])
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.tuples(inner, inner, inner)
        | st.dictionaries(KEYS | st.integers(0, 12), inner, max_size=5)
    ),
    max_leaves=30,
)
TEXTS = st.text(max_size=200) | ANYTHING.map(lambda value: json.dumps(value, skipkeys=True))
FENCED = TEXTS.map(lambda text: f"```json\n{text}\n```")


@given(ANYTHING | TEXTS | FENCED)
def test_nothing_crashes_and_everything_is_accounted_for(raw: object) -> None:
    plan, unreadable = parse_plan(WEEK, raw)
    assert set(plan) <= set(WEEK.by_id)
    for window in plan.values():
        assert type(window) is Berth
        assert all(type(n) is int and abs(n) <= MAX_HOUR for n in window)
    for text in unreadable:
        assert 0 < len(text.encode()) < 4 * LONGEST_PROBLEM
    if isinstance(raw, list):
        assert len(plan) + len(unreadable) == len(raw)


@given(st.dictionaries(st.sampled_from([0, 3, 7, 9, 12]), st.tuples(*[st.integers(-99, 999)] * 3)))
def test_a_plan_survives_being_sent(windows: dict[int, tuple[int, int, int]]) -> None:
    plan = {number: Berth(*window) for number, window in windows.items()}
    assert parse_plan(WEEK, json.dumps(plan_rows(plan))) == (plan, [])


def test_windows_as_numpy_arrays_are_read() -> None:
    week = load_week("dock-24B-w06x1-busy-0")
    ship = week.ships[0]
    rows = {ship.id: np.array([ship.arrival, 2, ship.standard])}
    assert parse_plan(week, rows) == ({ship.id: Berth(ship.arrival, 2, ship.standard)}, [])


class Failing(dict[int, object]):
    """A mapping that cannot be looked into."""

    def items(self) -> Any:
        raise KeyError("gone")


class Broken(list[object]):
    def __iter__(self) -> Iterator[object]:
        raise RuntimeError("no\nmore")


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (Failing({0: (1, 2, 3)}), "the plan cannot be read: KeyError: 'gone'"),
        (Broken([1]), "the plan cannot be read: RuntimeError: no more"),
    ],
)
def test_objects_that_fail_when_they_are_read_are_a_problem(raw: object, told: str) -> None:
    assert parse_plan(load_week("dock-24B-w06x1-busy-0"), raw) == ({}, [told])

"""Is a planner told only what somebody has said? What is to come changes nothing before it.

Every event of some weeks is changed and dropped, every forecast run and the wind itself too, and
the week is played again by a planner that asks for all there is to ask. Up to the hour at which
the two weeks' news first differ, both leave the same messages; the first that differs is the
news itself.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest

from actors.cast import Cast, cast
from actors.inline import Inline
from actors.journal import Heading, Journal
from actors.messages import CLOCK, Envelope
from actors.planners.desk import Desk
from actors.stage import Session, play
from port.model import Week, WindHold
from port.news import PORT_CONTROL, News
from port.packs import load_week
from port.weather import blown
from references.naive import naive
from tests.actors.playing import heading
from tests.actors.retold import (
    STRANGER,
    changed_news,
    in_other_weather,
    news,
    other_forecasts,
    otherwise,
    retold,
)

WEEKS = [
    ("live", "dock-24B-w07x1-busy-0"),
    ("live", "dock-24B-w16x1-busy-0"),
    ("live", "dock-24B-w35x1-busy-0"),
    ("live", "dock-36A-w35x1-standard-0"),  # the firm of its unscheduled call has no other ship
    ("marine", "dock-24B-w07x1-busy-0"),
    ("marine", "dock-36A-w05x1-busy-0"),
    ("marine", "dock-36A-w35x1-standard-0"),
    ("wind", "dock-24B-w07x1-busy-0-e04"),
    ("wind", "dock-36A-w37x1-busy-0-e12"),
    ("wind", "dock-36A-w35x1-standard-0-e03"),
]
WIND_WEEKS = [(port, week_id) for port, week_id in WEEKS if port == "wind"][:2]

Said = tuple[int, Envelope]
"""A message and the round it was delivered in: a journal line but its number and seal."""


def curious(session: Session) -> None:
    """Asks for the situation and a check at every watch, then confirms what naive would."""
    desk = Desk(session)
    while not desk.done:
        desk.get_situation()
        desk.check_plan(naive(desk.view()))
        desk.confirm_berths(naive(desk.view()))
        desk.advance()


def said(week: Week, port: str) -> list[Said]:
    journal = Rounds(heading(week, port))
    play(cast(week, port), curious, Inline(), journal)
    return list(zip(journal.rounds, journal.envelopes, strict=True))


class Rounds(Journal):
    """A journal that also keeps the round of each envelope at hand."""

    def __init__(self, head: Heading) -> None:
        super().__init__(head)
        self.rounds: list[int] = []

    def append(self, round_number: int, envelopes: Sequence[Envelope]) -> None:
        super().append(round_number, envelopes)
        self.rounds += [round_number] * len(envelopes)


@cache
def as_it_was(week_id: str, port: str) -> tuple[Week, list[Said]]:
    week = load_week(week_id, port)
    return week, said(week, port)


@cache
def as_it_might_have_been(week_id: str, port: str) -> list[tuple[str, list[News], list[Said]]]:
    """Each event's changes: which, the news that differs, and what was said then."""
    week, _ = as_it_was(week_id, port)
    return [
        (f"{event.kind}, {how}", changed_news(week, other), said(other, port))
        for event, how, other in otherwise(week)
    ]


def before(told: list[Said], hour: int) -> list[Said]:
    return [(n, e) for n, e in told if e.hour < hour]


def first_difference(one: list[Said], other: list[Said]) -> tuple[Said, Said]:
    return next((a, b) for a, b in zip(one, other, strict=False) if a != b)


@pytest.mark.parametrize(("port", "week_id"), WEEKS)
def test_a_retold_week_is_the_week_when_nothing_is_changed(port: str, week_id: str) -> None:
    week = load_week(week_id, port)
    again = retold(week, week.events)
    assert again == week
    assert again.opening == week.opening


@pytest.mark.parametrize(("port", "week_id"), WEEKS)
def test_an_event_changes_no_message_before_the_hour_it_is_told(port: str, week_id: str) -> None:
    _, was = as_it_was(week_id, port)
    for change, differing, now in as_it_might_have_been(week_id, port):
        told = min(item.hour for item in differing)
        assert before(now, told) == before(was, told), change


@pytest.mark.parametrize(("port", "week_id"), WEEKS)
def test_the_first_message_an_event_changes_is_by_the_role_that_tells_it(
    port: str, week_id: str
) -> None:
    _, was = as_it_was(week_id, port)
    for change, differing, now in as_it_might_have_been(week_id, port):
        told = min(item.hour for item in differing)
        tellers = {item.speaker for item in differing if item.hour == told}
        (_, a), (_, b) = first_difference(was, now)
        assert {a.sender, b.sender} & tellers, change
        assert min(a.hour, b.hour) == told, change


@pytest.mark.parametrize(("port", "week_id"), WEEKS)
def test_an_event_is_in_nobodys_part_but_its_tellers(port: str, week_id: str) -> None:
    week = load_week(week_id, port)
    parts = pickled(cast(week, port))
    for event, how, other in otherwise(week):
        tellers = {item.speaker for item in changed_news(week, other)}
        for role, part in pickled(cast(other, port)).items():
            if role not in tellers:
                assert part == parts[role], f"{role} knows of {event.kind}, {how}"


@pytest.mark.parametrize(("port", "week_id"), WEEKS)
def test_the_opening_says_nothing_of_any_event(port: str, week_id: str) -> None:
    week = load_week(week_id, port)
    opening = cast(week, port).opening
    assert (opening.events, opening.opening, opening.best) == ((), None, None)
    assert (opening.weather, opening.forecast, opening.wind) == (None, None, ())
    for _, _, other in otherwise(week):
        assert pickle.dumps(cast(other, port).opening) == pickle.dumps(opening)


def test_a_firm_nobody_heard_of_is_heard_of_when_its_ship_calls() -> None:
    """Not even that there is such a firm is told before."""
    week, was = as_it_was("dock-36A-w35x1-standard-0", "live")
    call = next(item for item in news(week) if item.event.kind == "unscheduled")
    firms = {e.sender for _, e in before(was, call.hour)} | {
        name for _, e in before(was, call.hour) for name in e.to
    }
    assert call.speaker not in firms
    assert STRANGER not in "".join(firms)
    assert call.speaker in {e.sender for _, e in was}


# ---- weather ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("port", "week_id"), WIND_WEEKS)
def test_a_forecast_run_changes_no_message_before_it_is_out(port: str, week_id: str) -> None:
    week, was = as_it_was(week_id, port)
    differ = 0
    for issued, how, other in other_forecasts(week):
        now = said(other, port)
        assert before(now, issued) == before(was, issued), f"run of {issued}, {how}"
        if now != was:
            (_, a), (_, b) = first_difference(was, now)
            assert PORT_CONTROL in {a.sender, b.sender}, f"run of {issued}, {how}"
            differ += 1
    assert differ > 0


@pytest.mark.parametrize(("port", "week_id"), WIND_WEEKS)
def test_the_wind_to_come_changes_no_message_before_it_blows(port: str, week_id: str) -> None:
    week, was = as_it_was(week_id, port)
    weather = week.weather
    assert weather is not None
    hours = sorted({e.body.hour for _, e in was if e.body.kind == "tick"})
    assert len(hours) > 3
    for hour in hours:
        for gale in (WindHold(hour, hour + 30, 0), WindHold(hour + 1, hour + 9, 300), None):
            to_come = () if gale is None else (gale,)
            observed = (*blown(weather.observed, hour), *to_come)
            windows = (*blown(weather.windows, hour), *to_come)
            other = replace(weather, observed=observed, windows=windows)
            now = said(in_other_weather(week, other), port)
            assert before(now, hour + 1) == before(was, hour + 1), f"after hour {hour}: {gale}"


@pytest.mark.parametrize(("port", "week_id"), WIND_WEEKS)
def test_the_weather_is_in_nobodys_part_but_port_controls(port: str, week_id: str) -> None:
    week = load_week(week_id, port)
    parts = pickled(cast(week, port))
    assert week.weather is not None
    calm = in_other_weather(week, replace(week.weather, windows=(), observed=(), runs=()))
    changed = {role for role, part in pickled(cast(calm, port)).items() if part != parts[role]}
    assert changed == {PORT_CONTROL}


def pickled(casting: Cast) -> dict[str, bytes]:
    parts = {role: pickle.dumps(part) for role, part in casting.parts.items()}
    assert CLOCK in parts
    return parts

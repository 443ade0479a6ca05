"""How did the week go? Testimonies and journal in, grade and audit out."""

from __future__ import annotations

from collections.abc import Sequence

from port.errors import PortsimError
from port.excuse import Excuses, since_decided
from port.grade import Grade, audit, grade
from port.known import apply, known
from port.model import Event, Plan, Week
from port.news import News, rank

from .messages import (
    PLANNER,
    Envelope,
    Graded,
    NewsTestimony,
    Notice,
    RegisterTestimony,
    Tick,
    WatchOpened,
    WeatherTestimony,
)
from .roles.base import faults, plan_of


class TestimonyError(PortsimError):
    """The roles' testimonies do not add up to the week that was cast."""

    __test__ = False


def assess(week: Week, record: Sequence[Envelope]) -> tuple[Grade, Graded]:
    """The week's grade, and the message that tells the planner.

    `record` is everything delivered in the week, in order. Raises TestimonyError when what the
    roles testify is not the week they were cast for.
    """
    _agrees(week, record)
    register = _register(record)
    plan = plan_of(register.windows)
    graded = grade(week, plan, register.unreadable, _excuses(week, plan, register, record))
    return graded, Graded(
        reward=graded.reward,
        feasible=graded.feasible,
        cost=graded.cost,
        excused_cost=graded.excused_cost,
        problems=faults(graded.settlement.charged),
        audit=(*audit(week, told(record)), *_early_calls(record)),
    )


def _excuses(
    week: Week, plan: Plan, register: RegisterTestimony, record: Sequence[Envelope]
) -> Excuses:
    if week.weather is None:
        return Excuses(
            frozenset((x.ship, x.rule, x.other) for x in register.excused),
            {w.ship: w.cost for w in register.waived},
        )
    weeks = _known_by_watch(week, record)
    decided = dict.fromkeys(plan, len(weeks) - 1) | dict(register.decided)
    return since_decided(week, plan, weeks, decided)


def _known_by_watch(week: Week, record: Sequence[Envelope]) -> list[Week]:
    """The week as known to the planner at each watch."""
    assert week.opening is not None
    now, weeks = week.opening, []
    for envelope in record:
        if isinstance(envelope.body, Tick) and envelope.body.watch > 0:
            weeks.append(now)
        elif isinstance(envelope.body, Notice) and PLANNER in envelope.to:
            now = apply(now, envelope.body.effect)
    return [*weeks, now]


def _register(record: Sequence[Envelope]) -> RegisterTestimony:
    for envelope in reversed(record):
        if isinstance(envelope.body, RegisterTestimony):
            return envelope.body
    raise TestimonyError("the harbour master handed in no register")


def _agrees(week: Week, record: Sequence[Envelope]) -> None:
    """The truth put together from the testimonies must be the week that was cast."""
    assert week.opening is not None
    spoken: list[tuple[int, tuple[int, str], int, Event]] = []
    for envelope in record:
        if isinstance(envelope.body, NewsTestimony):
            told_at = zip(envelope.body.hours, envelope.body.events, strict=True)
            place = rank(envelope.sender)
            spoken += [(hour, place, i, event) for i, (hour, event) in enumerate(told_at)]
    truth = known(week.opening, [event for *_, event in sorted(spoken, key=lambda s: s[:3])])
    if set(truth.ships) != set(week.ships):
        raise TestimonyError(f"{week.id}: the firms' testimonies do not give the week's ships")
    if set(truth.blocks) != set(week.blocks) or set(truth.outages) != set(week.outages):
        raise TestimonyError(f"{week.id}: the terminal's testimony does not give the week's quay")
    blew = next(
        (e.body.windows for e in record if isinstance(e.body, WeatherTestimony)), truth.wind
    )
    if set(blew) != set(week.wind):
        raise TestimonyError(f"{week.id}: the testimonies do not give the wind that blew")
    if truth.services != week.services:
        raise TestimonyError(f"{week.id}: the testimonies do not give the week's pilots and tugs")


def told(record: Sequence[Envelope]) -> list[News]:
    """The news the planner was told, in the order it came."""
    return [
        News(envelope.hour, envelope.sender, envelope.body.effect)
        for envelope in record
        if isinstance(envelope.body, Notice) and PLANNER in envelope.to
    ]


def _early_calls(record: Sequence[Envelope]) -> list[str]:
    """Planner calls that came between a watch's news and its opening."""
    faults = []
    telling = False
    for envelope in record:
        if isinstance(envelope.body, Tick):
            telling = True
        elif isinstance(envelope.body, WatchOpened):
            telling = False
        elif telling and envelope.sender == PLANNER and envelope.body.kind != "leave_week":
            faults.append(f"{envelope.body.kind} at hour {envelope.hour} before the news was told")
    return faults

"""How well could a week have gone, and is it worth playing? Jobs a farm can do.

Every re-planner here plays as anybody would: at the desk, with a session of actors, graded by the
port.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from port.check import floor
from port.grade import reward
from port.model import Week
from port.news import watch_hours
from port.packfile import dump_plan
from port.packs import load_week, weather_kinds
from references import screen
from references.effort import NoPlanError
from references.hindsight import LIMIT, Solution, hindsight
from references.screen import CONFIGURATIONS, Played

from .cast import cast
from .inline import Inline
from .journal import Heading, Journal
from .planners.policy import PlannerError, Policy, load_policy, plan_week
from .stage import Outcome, StageError, play
from .store import Record


def reference_job(fields: Mapping[str, Any]) -> Record:
    """The references of one week: what hindsight, the re-planners, greedy and naive get."""
    week = load_week(fields["week"], fields["port"])
    # Two workers side by side may end on another plan of the same cost each time.
    solved = hindsight(week, workers=1)
    week = week.changed(best=solved.cost)
    row = _solved(week, solved)
    if week.weather is not None:
        rolling = configurations(week, "rolling")
        week = week.changed(best=screen.anchor(solved.cost, rolling))
        row |= {"anchor": week.best, **_wind_rows(week, rolling)}
    elif week.unfolds:
        rolling = configurations(week, "rolling")
        row |= {"rolling": _rows(rolling), "qualifies": screen.reaches(rolling, solved.cost)}
    return row | scripts(week)


def scripts(week: Week) -> Record:
    """What the planners without a solver get on a week that has a best cost."""
    grades = {name: outcome(week, load_policy(name)).grade for name in ("naive", "greedy")}
    return {
        name: {
            "cost": grade.cost,
            "reward": grade.reward,
            "feasible": grade.feasible,
            "excused_cost": grade.excused_cost,
        }
        for name, grade in grades.items()
    }


def _solved(week: Week, solved: Solution) -> Record:
    row: Record = {
        "id": week.id,
        "optimum": solved.cost,
        "proven": solved.proven,
        "floor": floor(week),
        "plan": dump_plan(solved.plan),
    }
    if week.unfolds:
        row["watches"] = list(watch_hours(week))
    return row


def _wind_rows(week: Week, rolling: Sequence[Played]) -> Record:
    """What following, ignoring and (in a false alarm) heeding every forecast earns."""
    rows = {
        "rolling": _rows(against(week, rolling)),
        "blind": _rows(configurations(week, "blind")),
    }
    if is_false_alarm(week):
        rows["hold"] = _rows(configurations(week, "hold"))
    return rows


def pair_job(fields: Mapping[str, Any]) -> Record:
    """Whether a marine week in a weather week is worth playing, and if not, why.

    The four configurations are not all played where those with one worker settle it. Whether the
    forecasts matter is then judged against the best of the ones played: the others would have to
    undercut it by excused cost to change that. With a `limit` in the fields, deterministic seconds
    of each worker, a week that needs more for a proof is dropped.
    """
    week, limit = load_week(fields["week"], "wind"), fields.get("limit")
    row: Record = {"id": week.id, "watches": len(watch_hours(week)), "qualifies": False}
    if (reason := screen.held_alongside(week) or screen.too_many_watches(week)) is not None:
        return row | {"reason": reason}
    try:
        solved = hindsight(week, workers=1, limit=limit or LIMIT)
        row |= {"optimum": solved.cost, "proven": solved.proven, "floor": floor(week)}
        return row | _judged(week.changed(best=solved.cost), solved.cost, limit)
    except NoPlanError as error:
        return row | {"reason": str(error)}


def reach(week: Week, limit: float) -> Record:
    """Whether a week's best is within the re-planner's reach as the week unfolds.

    Configurations are played until the answer is certain. Raises NoPlanError when a watch
    takes over `limit` deterministic seconds of each of its workers.
    """
    optimum = week.best
    assert optimum is not None
    rolling = _until_sure(week, "rolling", lambda p: p.cost == optimum, len(CONFIGURATIONS), limit)
    qualifies = screen.reaches(rolling, optimum)
    reason = None if qualifies else "the re-planner misses the optimum too often"
    return {"rolling": _rows(rolling), "qualifies": qualifies, "reason": reason}


def _judged(week: Week, optimum: int, limit: float | None) -> Record:
    """Rolling's reach and whether the forecasts matter, the dear configurations last.

    A planner that was played is not played again: it remembers what it solved.
    """
    ignoring = "hold" if is_false_alarm(week) else "blind"
    reached = partial(screen.at_most, cost=optimum)
    for few in (CHEAP, len(CONFIGURATIONS)):
        rolling = _until_sure(week, "rolling", reached, few, limit)
        row: Record = {"rolling": _rows(rolling)}
        if not _may(reached, rolling):
            return row | {"reason": "the re-planner misses hindsight's cost too often"}
        week = week.changed(best=screen.anchor(optimum, rolling))
        ignored = _until_sure(week, ignoring, screen.suffers, few, limit)
        row |= {"anchor": week.best, "ignoring": _rows(ignored)}
        if not _may(screen.suffers, ignored):
            return row | {"reason": "the forecasts do not matter enough"}
    rest = CONFIGURATIONS[len(rolling) :]
    rolling += [configuration(week, "rolling", *each, limit) for each in rest]
    return row | {"qualifies": True, "reason": None} | _anchored(week, optimum, rolling, ignored)


def _anchored(
    week: Week, optimum: int, rolling: Sequence[Played], ignored: Sequence[Played]
) -> Record:
    """What is kept of a week that qualifies. The anchor takes all of rolling's configurations."""
    week = week.changed(best=screen.anchor(optimum, rolling))
    return {
        "anchor": week.best,
        "rolling": _rows(against(week, rolling)),
        "ignoring": _rows(against(week, ignored)),
        **scripts(week),
    }


CHEAP = 2
"""The first two configurations have one worker; the others take twice as long and more."""


def _until_sure(
    week: Week, planner: str, good: Callable[[Played], bool], most: int, limit: float | None
) -> list[Played]:
    """A planner's first configurations, up to the one after which the rest cannot matter."""
    played: list[Played] = []
    for workers, tie_break in CONFIGURATIONS[:most]:
        played.append(configuration(week, planner, workers, tie_break, limit))
        if sum(map(good, played)) >= screen.ENOUGH or not _may(good, played):
            break
    return played


def _may(good: Callable[[Played], bool], played: Sequence[Played]) -> bool:
    """Whether enough configurations can still be good."""
    bad = len(played) - sum(map(good, played))
    return bad <= len(CONFIGURATIONS) - screen.ENOUGH


def is_false_alarm(week: Week) -> bool:
    """Whether the week's weather warned of wind that hardly blew."""
    return week.weather is not None and weather_kinds()[week.weather.id] == "false_alarm"


def configurations(week: Week, planner: str) -> list[Played]:
    """A re-planner's four configurations on a week."""
    return [configuration(week, planner, workers, tie) for workers, tie in CONFIGURATIONS]


def configuration(
    week: Week, planner: str, workers: int, tie_break: bool, limit: float | None = None
) -> Played:
    """One configuration of a re-planner on a week that has a best cost.

    With a `limit` it must prove each watch's plan in so many deterministic seconds of each worker;
    NoPlanError when it does not.
    """
    parameters: dict[str, Any] = {"workers": workers, "tie_break": tie_break}
    if limit is not None:
        parameters |= {"limit": limit, "must_be_proven": True}
    try:
        grade = outcome(week, load_policy(planner, parameters)).grade
    except PlannerError as error:
        if limit is not None and isinstance(error.__cause__, NoPlanError):
            raise error.__cause__ from error
        raise
    return Played(workers, tie_break, grade.cost, grade.reward, grade.feasible, grade.excused_cost)


def against(week: Week, played: Sequence[Played]) -> list[Played]:
    """The same results, graded against the best cost the week has by now."""
    assert week.best is not None
    least = floor(week)
    return [
        p
        if p.cost is None
        else Played(
            p.workers,
            p.tie_break,
            p.cost,
            reward(p.cost, week.best, least),
            p.feasible,
            p.excused_cost,
        )
        for p in played
    ]


def outcome(week: Week, policy: Policy) -> Outcome:
    """A week played inline by a policy. Raises StageError when the week fails its audit."""
    heading = Heading(week=week.id, port="", planner="", digest="")
    ended = play(cast(week, ""), partial(plan_week, policy), Inline(), Journal(heading))
    if ended.audit:
        raise StageError(f"{week.id} failed its audit: {ended.audit[0]}")
    return ended


def _rows(played: Sequence[Played]) -> list[Record]:
    return [asdict(p) for p in played]

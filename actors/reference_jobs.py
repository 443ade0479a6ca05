"""How well could a week have gone? The references of a week, each played as anyone would play it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from port.check import check, floor
from port.model import Week
from port.news import watch_hours
from port.packs import load_week, weather_kinds
from references import screen
from references.hindsight import Solution, hindsight
from references.screen import CONFIGURATIONS, Played

from .cast import cast
from .inline import Inline
from .journal import Heading, Journal
from .planners.policy import Policy, load_policy, plan_week
from .stage import Outcome, play
from .store import Record


def reference_job(fields: Mapping[str, Any]) -> Record:
    """The references of one published week: what hindsight, naive and the re-planners get."""
    week, port = load_week(fields["week"], fields["port"]), fields["port"]
    solved = hindsight(week)
    week = week.changed(best=solved.cost)
    row: Record = _solved(week, solved)
    if week.unfolds:
        rolling = configurations(week, "rolling")
        if week.weather is None:
            row |= {"rolling": _rows(rolling), "qualifies": screen.reaches(rolling, solved.cost)}
        else:
            week = week.changed(best=screen.anchor(solved.cost, rolling))
            row |= {"anchor": week.best, **_in_wind(week, rolling)}
    row["naive"] = _row(outcome(week, load_policy("naive")))
    row["greedy"] = _row(outcome(week, load_policy("greedy")))
    return row


def _solved(week: Week, solved: Solution) -> Record:
    verdict = check(week, solved.plan)
    if not verdict.feasible or verdict.cost != solved.cost:
        raise AssertionError(f"{week.id}: hindsight's plan is not what it says: {verdict.findings}")
    return {
        "id": week.id,
        "optimum": solved.cost,
        "proven": solved.proven,
        "floor": floor(week),
        "watches": list(watch_hours(week)) if week.unfolds else None,
        "plan": [[ship, *berth] for ship, berth in sorted(solved.plan.items())],
    }


def _in_wind(week: Week, rolling: list[Played]) -> Record:
    """Rolling's and blind's results against the anchor, and hold's where a false alarm is played."""
    rewards = {"rolling": _rows(configurations(week, "rolling")), "blind": []}
    del rolling
    rewards["blind"] = _rows(configurations(week, "blind"))
    assert week.weather is not None
    if weather_kinds()[week.weather.id] == "false_alarm":
        rewards["hold"] = _rows(configurations(week, "hold"))
    return rewards


def configurations(week: Week, planner: str) -> list[Played]:
    """A re-planner's four configurations on a week."""
    return [configuration(week, planner, workers, tie) for workers, tie in CONFIGURATIONS]


def configuration(week: Week, planner: str, workers: int, tie_break: bool) -> Played:
    policy = load_policy(planner, {"workers": workers, "tie_break": tie_break})
    return _played(outcome(week, policy), workers, tie_break)


def outcome(week: Week, policy: Policy) -> Outcome:
    """A week played inline by a policy. Raises AssertionError when its audit fails."""
    heading = Heading(week=week.id, port="", planner="", digest="")
    ended = play(
        cast(week, ""), lambda session: plan_week(policy, session), Inline(), Journal(heading)
    )
    if ended.audit:
        raise AssertionError(f"{week.id} failed its audit: {ended.audit[0]}")
    return ended


def _played(ended: Outcome, workers: int, tie_break: bool) -> Played:
    grade = ended.grade
    return Played(
        workers, tie_break, grade.cost, grade.reward, grade.feasible, grade.excused_cost
    )


def _row(ended: Outcome) -> Record:
    grade = ended.grade
    return {
        "cost": grade.cost,
        "reward": grade.reward,
        "feasible": grade.feasible,
        "excused_cost": grade.excused_cost,
    }


def _rows(played: list[Played]) -> list[Record]:
    return [vars(p) for p in played]

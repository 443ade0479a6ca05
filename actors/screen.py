"""Which candidate weeks are kept? Each is drawn, solved and judged by a job of its own.

A screen asks for so many weeks of each tier: recipes are tried in their order, and the first that
are kept make the pack, so that the pack depends on nothing but the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from port.build.generate import candidate
from port.build.keep import keep, unfit
from port.build.recipe import TIERS, Recipe, RecipeError, recipes
from port.check import check, floor
from port.errors import PortsimError
from port.grade import infeasible_reward, reward
from port.model import Plan, Week
from port.packfile import dump_plan
from port.view import View
from references.effort import NoPlanError
from references.greedy import greedy
from references.hindsight import hindsight
from references.naive import naive

from .farm import Job
from .store import Record

LIMIT = 40.0
"""Deterministic seconds a candidate's proof may take: a week that needs more is dropped."""
HOPELESS = 50
"""A screen whose first so many jobs all fail would go on without end."""


class HopelessError(PortsimError):
    """A screen none of whose jobs can be done."""


@dataclass(frozen=True)
class Screen:
    """How many weeks of each tier are wanted, of which lengths (weeks)."""

    per_tier: int
    tiers: Sequence[str] = tuple(TIERS)
    lengths: Sequence[int] = (1, 2, 3)
    limit: float = LIMIT

    def settings(self) -> dict[str, Any]:
        return asdict(self) | {"tiers": list(self.tiers), "lengths": list(self.lengths)}


class Quota:
    """The screen's jobs, for as long as a tier still lacks weeks.

    Jobs done before take their turn again, so that one that was under way when the screen was
    stopped is not passed over because later ones were kept.
    """

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._lacking = dict.fromkeys(screen.tiers, screen.per_tier)
        self._kept_before: set[str] = set()
        self._done = self._failed = 0

    def remember(self, record: Record) -> None:
        """Take note of a job that was done before; it counts in its turn."""
        if _kept(record):
            self._kept_before.add(record["job"])

    def count(self, record: Record) -> None:
        """Take note of a job that is done. Raises HopelessError when none can be."""
        self._done += 1
        self._failed += record["error"] is not None
        if self._done == self._failed == HOPELESS:
            raise HopelessError(f"all of the first {HOPELESS} candidates failed: {record['error']}")
        if _kept(record):
            self._lacking[record["fields"]["tier"]] -= 1

    def jobs(self) -> Iterator[Job]:
        """Recipes in their order, those of tiers that lack nothing left out."""
        stream = recipes(tuple(self._screen.tiers), tuple(self._screen.lengths))
        while any(lacking > 0 for lacking in self._lacking.values()):
            recipe = next(stream)
            if self._lacking[recipe.tier] > 0:
                job = Job("candidate", {**asdict(recipe), "limit": self._screen.limit})
                self._lacking[recipe.tier] -= job.id in self._kept_before
                yield job


def _kept(record: Record) -> bool:
    result = record["result"]
    return result is not None and bool(result["kept"])


def chosen(screen: Screen, rows: Sequence[Record]) -> list[Record]:
    """The candidates' rows in the order of their recipes, no more kept of a tier than was wanted.

    Jobs under way when a tier had enough may have been kept too: which of them came first must
    not depend on who was faster.
    """
    by_id = {row["id"]: row for row in rows}
    wanted = dict.fromkeys(screen.tiers, screen.per_tier)
    found: list[Record] = []
    for recipe in recipes(tuple(screen.tiers), tuple(screen.lengths)):
        if not by_id:
            break
        row = by_id.pop(recipe.id, None)
        if row is None:
            continue
        if row["kept"] and wanted[recipe.tier] == 0:
            row = row | {"kept": False, "reason": "there were enough of its tier"}
        wanted[recipe.tier] -= row["kept"]
        found.append(row)
    return found


def candidate_job(fields: Mapping[str, Any]) -> Record:
    """Draw a candidate, solve it, and say whether it is kept or why not."""
    recipe = Recipe(*(fields[name] for name in ("quay", "week", "weeks", "tier", "seed")))
    row: Record = {"id": recipe.id, "kept": False}
    try:
        week = candidate(recipe).week()
    except RecipeError as error:
        return row | {"reason": error.reason}
    row |= {"ships": len(week.ships), "events": len(week.events)}
    if (reason := unfit(week)) is not None:
        return row | {"reason": reason}
    try:
        solved = hindsight(week, workers=1, limit=fields["limit"])
    except NoPlanError as error:
        return row | {"reason": str(error)}
    week = week.changed(best=solved.cost)
    view = View(week, {}, 0, 0)
    rewards = {name: _worth(week, plan(view)) for name, plan in PLANNERS.items()}
    row |= {
        "optimum": solved.cost,
        "proven": solved.proven,
        "floor": floor(week),
        "plan": dump_plan(solved.plan),
        **{name: cost for name, (cost, _) in rewards.items()},
        **{f"{name}_reward": worth for name, (_, worth) in rewards.items()},
    }
    reason = keep(week, solved.cost, solved.proven, rewards["naive"][1], rewards["greedy"][1])
    return row | {"kept": reason is None, "reason": reason}


PLANNERS = {"naive": naive, "greedy": greedy}


def _worth(week: Week, plan: Plan) -> tuple[int | None, float]:
    verdict = check(week, plan)
    assert week.best is not None
    if verdict.cost is None:
        return None, infeasible_reward(verdict.clean, len(week.ships))
    return verdict.cost, reward(verdict.cost, week.best, floor(week))

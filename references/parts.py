"""How is a whole week solved to a proven optimum faster than in one model?

Ships that arrive close together fight over the quay; those of another day hardly know of them. So
the week is cut where arrivals are far apart, and each part is solved as if it were alone: what it
costs is a lower bound. Plans of parts that get along together are optimal together; parts that do
not are joined and solved again, the bounds of the pieces keeping the joined model small. The last
join, at worst, is the whole week.

Measured on the 50 published weeks with 2 workers, see `benchmarks/plain.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ortools.sat.python import cp_model

from port.check import Verdict, check
from port.model import Berth, Finding, Ship, Week

from .effort import Effort, NoPlanError, OutOfEffortError, search
from .model import BerthModel, Solved, _Placed
from .options import Bounded, Choices, choices
from .relaxation import relaxed
from .taken import Taken, taken

PART_SHIPS = 8
"""Parts are cut until they have at most so many ships."""
FIRST_STEP = 10
STEP_GROWTH = 1.5
"""A part's limit starts at its lower bound and grows by 10, 15, 22, ... until there is a plan. On
the week w05x2-extreme-0 of 36A a limit 12% above the optimum takes 19 s to prove, the optimum 1."""
PLAIN_TRIES = 3
"""So many limits are tried before the linear bound is worked out: easy parts never need it. On the
8 hardest weeks 14.7 s with it, 26.5 s without (one run each, on a busy machine)."""
HORIZON_HOURS = 168
MOST_HOURS = 4_000
"""A ship without a choice for so long has none: every block, outage and hold is over."""


@dataclass
class Part:
    """Ships solved together. `bound` is what they cost at least; with a plan, exactly that."""

    ships: frozenset[int]
    pieces: list[Part]
    bound: int
    plan: dict[int, Berth] = field(default_factory=dict)


@dataclass
class PartModel(BerthModel):
    """The model of a part, of the choices offered and a cost of at most `limit`."""

    offered: Mapping[int, Choices] = field(default_factory=dict)
    limit: int = 0

    def _bound(self) -> int | None:
        return self.limit

    def _options(self) -> Bounded:
        least = (min(out.cost for out in options.values()) for options in self.offered.values())
        return Bounded(self.offered, sum(least))

    def _hint(self, placed: _Placed) -> None:
        """No hint: a part's limit says more than a plan that costs more."""

    def _objective(self) -> None:
        cost = cp_model.LinearExpr.sum(self._costs())
        self.model.add(cost <= self.limit)
        self.model.minimize(cost)


@dataclass
class Parts:
    """Solves one week. `effort.limit` is the deterministic time for all its parts together."""

    week: Week
    effort: Effort
    spent: float = 0.0

    def __post_init__(self) -> None:
        self.use: Taken = taken(self.week, [])
        self._least: dict[int, int] = {s.id: self._cheapest(s) for s in self.week.ships}

    def solve(self) -> Solved:
        """The optimal plan. Raises OutOfEffortError when the time allowed runs out first."""
        parts = [self._solved(frozenset(ships), []) for ships in cut(self.week.ships)]
        while True:
            plan = {i: berth for part in parts for i, berth in part.plan.items()}
            verdict = check(self.week, plan)
            if verdict.feasible:
                cost = sum(part.bound for part in parts)
                return Solved(plan, cost, cost, True)
            joined = _at_odds(verdict, parts)
            ships = frozenset[int]().union(*(part.ships for part in joined))
            parts = [part for part in parts if part not in joined]
            parts.append(self._solved(ships, joined))

    def _solved(self, ships: frozenset[int], pieces: list[Part]) -> Part:
        """The ships as a part of their own, at the least cost there is a plan for."""
        if pieces:
            least = sum(piece.bound for piece in pieces)
        else:
            least = sum(self._least[i] for i in ships)
        part = Part(ships, pieces, least)
        limit, step, tries = least, float(FIRST_STEP), 0
        while not part.plan:
            tries += 1
            offered = self._offered(part, limit - least)
            if tries > PLAIN_TRIES:
                bound = relaxed(self.week, offered, self.use, limit)
                if bound is not None and bound.bound > limit:
                    limit = bound.bound
                    continue
                offered = offered if bound is None else bound.by_ship
            if all(offered.values()) and self._try(part, offered, limit):
                break
            limit += int(step)
            step *= STEP_GROWTH
        return part

    def _offered(self, part: Part, slack: int) -> Mapping[int, Choices]:
        """By ship, the choices of a plan that costs `slack` more than the part's lower bound."""
        found: dict[int, Choices] = {}
        for ship_id, extra in self._slack(part, slack).items():
            ship, most = self.week.by_id[ship_id], self._least[ship_id] + extra
            every = choices(self.week, ship, 0, _end(ship, most), self.use)
            found[ship_id] = {c: out for c, out in every.items() if out.cost <= most}
        return found

    def _slack(self, part: Part, slack: int) -> dict[int, int]:
        """What each ship may cost beyond its cheapest, when the others cost what they must."""
        if part.pieces:
            spare = slack + part.bound - sum(piece.bound for piece in part.pieces)
            return {i: s for p in part.pieces for i, s in self._slack(p, spare).items()}
        spare = slack + part.bound - sum(self._least[i] for i in part.ships)
        return dict.fromkeys(part.ships, spare)

    def _try(self, part: Part, offered: Mapping[int, Choices], limit: int) -> bool:
        """Solve the part within the limit; False when there is proof of no plan that cheap."""
        ships = tuple(ship for ship in self.week.ships if ship.id in part.ships)
        model = PartModel(self.week.changed(ships=ships), {}, offered=offered, limit=limit)
        left = max(0.0, self.effort.limit - self.spent)
        solver, status = search(model.model, replace(self.effort, limit=left))
        self.spent += solver.response_proto.deterministic_time
        if status == cp_model.INFEASIBLE:
            return False
        if status != cp_model.OPTIMAL:
            raise OutOfEffortError(f"{self.week.id}: unproven after {self.spent:.0f} s")
        part.plan, part.bound = model.windows(solver), round(solver.objective_value)
        return True

    def _cheapest(self, ship: Ship) -> int:
        """What the ship costs with the quay to itself."""
        end = ship.arrival + HORIZON_HOURS
        while end < ship.arrival + MOST_HOURS:
            found = choices(self.week, ship, 0, end, self.use)
            least = min((out.cost for out in found.values()), default=None)
            if least is not None and _end(ship, least) <= end:
                return least
            end = max(end + HORIZON_HOURS, _end(ship, least or 0))
        raise NoPlanError(f"{self.week.id}: ship {ship.id} finds no hour up to {end}")


def _end(ship: Ship, most: int) -> int:
    """From this hour on, any stay of the ship costs more than `most` by its lateness alone."""
    hours_late = most // (ship.sections * ship.weight) + 1
    return max(ship.arrival, ship.due + hours_late - ship.work_hours(ship.most)) + 1


def cut(ships: Iterable[Ship]) -> list[list[int]]:
    """The ships by arrival, cut at wide gaps near the middle until parts are small."""
    inorder = sorted(ships, key=lambda ship: (ship.arrival, ship.id))
    if len(inorder) <= PART_SHIPS:
        return [[ship.id for ship in inorder]] if inorder else []

    def worth(at: int) -> float:
        gap = inorder[at].arrival - inorder[at - 1].arrival
        return gap * math.sqrt(min(at, len(inorder) - at))

    at = max(range(1, len(inorder)), key=worth)
    return cut(inorder[:at]) + cut(inorder[at:])


def _at_odds(verdict: Verdict, parts: list[Part]) -> list[Part]:
    """The fewest ships of different parts that break a rule together."""
    groups = []
    for ship in verdict.ships.values():
        for finding in ship.findings:
            ids = _involved(verdict, finding)
            groups.append([part for part in parts if not part.ships.isdisjoint(ids)])
    return min(groups, key=lambda group: sum(len(part.ships) for part in group))


def _involved(verdict: Verdict, finding: Finding) -> set[int]:
    """The ships that take part in a finding."""
    if finding.other is not None:
        return {finding.ship, finding.other}
    stays = [ship.stay for ship in verdict.ships.values() if ship.stay is not None]
    if finding.rule == "crane_pool" and finding.hour is not None:
        return {s.ship.id for s in stays if s.hour <= finding.hour < s.work_end}
    return {s.ship.id for s in stays if finding.hour in (s.hour, s.departure)}

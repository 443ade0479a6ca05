"""What did news do to windows that could no longer change? That much is not charged.

A week without weather goes by notices: `after_notice`, each as it comes. A week with weather goes
by decisions: `since_decided`, each ship against what was known when its window was last open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from .check import Verdict, check
from .model import Finding, Plan, RuleCode, Week

Charge: TypeAlias = tuple[int, RuleCode, int | None]
"""A rule one ship breaks: ship, rule, and for an overlap the other ship (None: all of the rule)."""


@dataclass(frozen=True)
class Excuses:
    """Rule breaks and costs (by ship) that are not charged."""

    rules: frozenset[Charge] = frozenset()
    waived: Mapping[int, int] = field(default_factory=dict)

    def cover(self, finding: Finding) -> bool:
        ship, rule, _, other, _ = finding
        return (ship, rule, other) in self.rules or (ship, rule, None) in self.rules


NONE = Excuses()


@dataclass(frozen=True)
class Settlement:
    """A verdict less what is excused. `cost` is None when a charged rule break is left.

    `waived` is the cost not charged, by ship, never more than the ship's own.
    """

    feasible: bool
    cost: int | None
    charged: tuple[Finding, ...]
    excused: tuple[Finding, ...]
    waived: Mapping[int, int]
    clean: int


def settle(verdict: Verdict, excuses: Excuses) -> Settlement:
    """Split a verdict's findings and costs into charged and excused."""
    charged: list[Finding] = []
    excused: list[Finding] = []
    waived: dict[int, int] = {}
    cost = clean = 0
    for ship_id, ship in verdict.ships.items():
        faults = [f for f in ship.findings if not excuses.cover(f)]
        charged += faults
        clean += not faults
        if len(faults) < len(ship.findings):
            excused += [f for f in ship.findings if excuses.cover(f)]
        if less := min(excuses.waived.get(ship_id, 0), ship.cost):
            waived[ship_id] = less
        cost += ship.cost - less
    feasible = not charged
    return Settlement(
        feasible, cost if feasible else None, tuple(charged), tuple(excused), waived, clean
    )


def after_notice(excuses: Excuses, before: Week, after: Week, frozen: Plan) -> Excuses:
    """The excuses once a notice turned the known week `before` into `after`.

    The frozen windows alone are checked on both: what only the news added is excused.
    """
    if not frozen:
        return excuses
    old, new = check(before, frozen, partial=True), check(after, frozen, partial=True)
    known = {_charge(finding) for finding in old.findings}
    brought = {charge for f in new.findings if (charge := _charge(f)) not in known}
    waived = dict(excuses.waived)
    for ship_id, ship in new.ships.items():
        if (more := ship.cost - old.ships[ship_id].cost) > 0:
            waived[ship_id] = waived.get(ship_id, 0) + more
    return Excuses(excuses.rules | brought, waived)


def _charge(finding: Finding) -> Charge:
    return (finding.ship, finding.rule, finding.other)


# ---- weeks with weather ----------------------------------------------------------------------

_BY_HOUR: frozenset[RuleCode] = frozenset(("wind_hold", "movement_limit", "pilots", "tugs"))
_SHARED_BY_HOUR: frozenset[RuleCode] = frozenset(("movement_limit", "pilots", "tugs"))

_Likeness: TypeAlias = tuple[int, RuleCode, int | None, int | None]


def since_decided(
    now: Week, plan: Plan, known: Sequence[Week], decided: Mapping[int, int]
) -> Excuses:
    """What `now` (in the end: the truth) adds to what was known when each ship was decided.

    `known` holds the week as known at each watch, `decided` the watch each ship's window was last
    open at; a ship not in it is judged on `now` itself, so nothing of it is excused.
    """
    verdict = check(now, plan)
    open_watch = len(known)
    watch_of = {ship: decided.get(ship, open_watch) for ship in verdict.ships}
    before = {watch: check(known[watch], plan) for watch in set(decided.values())}
    before[open_watch] = verdict
    seen = {watch: {_likeness(f) for f in v.findings} for watch, v in before.items()}
    movers: dict[tuple[RuleCode, int | None], int] = {}
    for f in verdict.findings:
        if f.rule in _SHARED_BY_HOUR:
            key = (f.rule, f.hour)
            movers[key] = max(movers.get(key, 0), watch_of[f.ship])

    def there_already(f: Finding) -> bool:
        watch = watch_of[f.ship]
        if f.other is not None:
            watch = max(watch, watch_of[f.other])
        return _likeness(f) in seen[movers.get((f.rule, f.hour), watch)]

    charged = {(f.ship, f.rule) for f in verdict.findings if there_already(f)}
    excused = {(f.ship, f.rule, None) for f in verdict.findings} - {
        (ship, rule, None) for ship, rule in charged
    }
    return Excuses(frozenset(excused), _added_cost(verdict, before, watch_of))


def _likeness(finding: Finding) -> _Likeness:
    """What makes two findings the same one: the rule, for some the hour, for overlaps the other."""
    ship, rule, hour, other, _ = finding
    return (ship, rule, hour if rule in _BY_HOUR else None, other)


def _added_cost(
    verdict: Verdict, before: Mapping[int, Verdict], watch_of: Mapping[int, int]
) -> dict[int, int]:
    added = {}
    for ship_id, ship in verdict.ships.items():
        old = before[watch_of[ship_id]].ships.get(ship_id)
        if old is not None and ship.cost > old.cost:
            added[ship_id] = ship.cost - old.cost
    return added

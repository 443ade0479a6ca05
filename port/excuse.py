"""What did news do to windows that could no longer change? That much is not charged."""

from __future__ import annotations

from collections.abc import Mapping
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

"""What does a planner do that solves the week anew, as known, at every watch?"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from port.model import Berth, Plan, Week, WindHold
from port.view import View
from port.weather import windows_of

from .effort import Effort, OutOfEffortError
from .model import BerthModel
from .naive import naive

Windows: TypeAlias = tuple[tuple[int, Berth], ...]
"""A plan that can be a key: ship ids with their windows, in order."""


def _windows(plan: Plan) -> Windows:
    return tuple(sorted(plan.items()))


@lru_cache(maxsize=4096)
def _solved(
    week: Week, hint: Windows, standing: Windows, line: int, tie_break: bool, effort: Effort
) -> tuple[Windows, bool]:
    """A watch's plan, and whether it is proven best.

    Kept, because screens meet the same watch in many weathers.
    """
    model = BerthModel(week, dict(hint), dict(standing), line, tie_break)
    solved = model.solve(effort)
    return _windows(solved.plan), solved.proven


@dataclass
class Rolling:
    """Frozen windows stand, the rest are placed at best; the same week gives the same plans.

    `workers` is 1 or 8 in the published configurations, `tie_break` sends ties to early finishes,
    `limit` is the deterministic seconds a watch may take of each worker; when it passes without a
    proof the best plan found is taken, or OutOfEffortError raised if the plan `must_be_proven`.
    """

    workers: int = 1
    tie_break: bool = True
    limit: float = 60.0
    must_be_proven: bool = False

    def __post_init__(self) -> None:
        for name in ("tie_break", "must_be_proven"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be true or false, got {getattr(self, name)!r}")
        if not isinstance(self.workers, int) or isinstance(self.workers, bool) or self.workers < 1:
            raise ValueError(f"workers must be 1 or more, got {self.workers!r}")
        if not isinstance(self.limit, int | float) or not 0 < self.limit < math.inf:
            raise ValueError(f"limit must be a number of seconds above 0, got {self.limit!r}")

    def __call__(self, view: View) -> Plan:
        week = self.seen(view).changed(id="", forecast=None)
        hint, standing = _windows(naive(view)), _windows(view.frozen)
        effort = Effort(self.workers, self.limit)
        windows, proven = _solved(week, hint, standing, view.line, self.tie_break, effort)
        if self.must_be_proven and not proven:
            raise OutOfEffortError(f"a watch takes the re-planner over {self.limit:g} s to prove")
        return dict(windows)

    def seen(self, view: View) -> Week:
        """The week the planner plans on."""
        return view.week


@dataclass
class Blind(Rolling):
    """Rolling on the week with the wind taken out: it ignores every forecast."""

    def seen(self, view: View) -> Week:
        return view.week.changed(wind=())


@dataclass
class Hold(Rolling):
    """Rolling on every window any forecast so far has shown: it never lets a warning go."""

    _shown: list[WindHold] = field(default_factory=list)

    def seen(self, view: View) -> Week:
        forecast = view.week.forecast
        if forecast is not None and forecast.run is not None:
            self._shown += [w for w in windows_of(forecast.run) if w not in self._shown]
        return view.week.changed(wind=(*view.week.wind, *self._shown))

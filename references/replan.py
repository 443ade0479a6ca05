"""What does a planner do that solves the week anew, as known, at every watch?"""

from __future__ import annotations

from dataclasses import dataclass, field

from port.model import Plan, Week, WindHold
from port.view import View
from port.weather import windows_of

from .model import BerthModel, Effort
from .naive import naive


@dataclass
class Rolling:
    """Frozen windows stand, the rest are placed at best; the same week gives the same plans.

    `workers` is 1 or 8 in the published configurations, `tie_break` sends ties to early finishes,
    `limit` is the deterministic seconds a watch may take.
    """

    workers: int = 1
    tie_break: bool = True
    limit: float = 60.0

    def __call__(self, view: View) -> Plan:
        week = self.seen(view)
        model = BerthModel(
            week, naive(view), standing=view.frozen, line=view.line, tie_break=self.tie_break
        )
        return model.solve(Effort(self.workers, self.limit)).plan

    def seen(self, view: View) -> Week:
        """The week the planner plans on."""
        return view.week


@dataclass
class Blind(Rolling):
    """Rolling on the week with the wind taken out: it ignores every forecast."""

    def seen(self, view: View) -> Week:
        return view.week.changed(wind=(), forecast=None)


@dataclass
class Hold(Rolling):
    """Rolling on every window any forecast so far has shown: it never lets a warning go."""

    _shown: list[WindHold] = field(default_factory=list)

    def seen(self, view: View) -> Week:
        forecast = view.week.forecast
        if forecast is not None and forecast.run is not None:
            self._shown += [w for w in windows_of(forecast.run) if w not in self._shown]
        return view.week.changed(wind=(*view.week.wind, *self._shown))

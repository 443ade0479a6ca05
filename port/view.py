"""What does a planner see when its turn comes?"""

from __future__ import annotations

from dataclasses import dataclass

from . import movements
from .model import Berth, Plan, Week


@dataclass(frozen=True)
class View:
    """The week as known at a watch, and the windows confirmed so far.

    `line` is the freeze line: windows before it stand, new or changed ones start at or after it.
    """

    week: Week
    confirmed: Plan
    watch: int
    hour: int

    @property
    def line(self) -> int:
        return movements.freeze_line(self.watch, self.hour)

    @property
    def frozen(self) -> dict[int, Berth]:
        return movements.frozen(self.confirmed, self.line)

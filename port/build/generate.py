"""What week does a recipe give? A real schedule, and drawn disruptions.

A candidate follows from its recipe and the call record in `data/` alone, on any machine, in any
process. Nothing is solved here: `keep` says what is worth keeping once it has been.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from random import Random
from typing import NamedTuple

from .. import known
from ..model import QUAYS, Closure, CraneOutage, Event, Gale, Ship, Week
from . import disruptions as draw
from . import foreign
from .disruptions import NoRoomError
from .dock import crane_peak, movement_peak
from .keep import FEWEST_SHIPS
from .recipe import TIERS, YEAR, Range, Recipe
from .record import load_calls
from .weeks import WEEK_HOURS, Published, published

DIVERTED_TO = {"36A": "24B"}
"""Where traffic can be diverted to, and from where: quay 24B is too small to take 36A's."""


class Candidate(NamedTuple):
    """A generated week: its opening, and the events in the order they apply."""

    opening: Week
    events: tuple[Event, ...]

    def week(self, unfolds: bool = False) -> Week:
        """The week as it was; its best cost is not known."""
        opening = self.opening.changed(unfolds=unfolds)
        truth = known.known(opening, self.events)
        return truth.changed(opening=opening, events=self.events)


def candidate(recipe: Recipe) -> Candidate:
    """The week of this recipe.

    Events come in the evaluation weeks' order: gales, diverted traffic, unscheduled calls,
    closures, late ships, bunched ships, crane outages, emergencies, priority cargo. Raises
    RecipeError with the reason when the week has no room for what was drawn, or too few ships.
    """
    drawing = _Drawing(recipe)
    try:
        drawn = drawing.candidate()
    except NoRoomError as error:
        raise recipe.error(str(error)) from error
    if drawing.ships < FEWEST_SHIPS:
        raise recipe.error(f"{drawing.ships} ships, at least {FEWEST_SHIPS} wanted")
    return drawn


def opening(recipe: Recipe, gales: Sequence[Gale] = ()) -> Week:
    """The published schedule of the recipe's weeks, and the ships a gale keeps alongside.

    The crane pool and the movement limit are those of the schedule without any gale.
    """
    quay = QUAYS[recipe.quay]
    plan = _published(recipe.quay, recipe.week, recipe.weeks)
    return Week(
        recipe.id,
        recipe.quay,
        recipe.week,
        recipe.weeks,
        recipe.monday.isoformat(),
        recipe.tier,
        crane_peak(plan, quay.cranes),
        movement_peak(plan, quay.movements),
        plan.ships,
        draw.kept_alongside(plan.blocks, gales),
    )


@lru_cache(maxsize=256)
def _published(quay: str, week: int, weeks: int) -> Published:
    monday = datetime.fromisocalendar(YEAR, week, 1)
    return published(load_calls(), quay, monday, weeks)


class _Drawing:
    """The draws for one recipe, in order, from one stream of chance."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe, self.tier = recipe, TIERS[recipe.tier]
        self.rng = Random(recipe.id)
        self.quay = QUAYS[recipe.quay]
        self.horizon = WEEK_HOURS * recipe.weeks
        self.events: list[Event] = []
        self.ships = 0

    def candidate(self) -> Candidate:
        gales = [draw.gale(self.rng, self.horizon) for _ in range(self._count(self.tier.gales))]
        self.events += gales
        self.opening = opening(self.recipe, gales)
        self._foreign()
        self._closures()
        self._delays()
        self._outages()
        self._urgent()
        return Candidate(self.opening, tuple(self.events))

    def _count(self, range_: Range) -> int:
        return self.rng.randint(*range_)

    def _foreign(self) -> None:
        rng, calls, number = self.rng, load_calls(), len(self.opening.ships)
        other = DIVERTED_TO.get(self.quay.name)
        if self._count(self.tier.divert) and other is not None:
            event = foreign.diverted(rng, calls, self.recipe, self.quay, other, number)
            self.events.append(event)
            number += len(event.ships)
        count = self._count(self.tier.extra)
        self.events += foreign.unscheduled(rng, calls, self.recipe, self.quay, number, count)

    def _closures(self) -> None:
        ships, alongside = self.opening.ships, self.opening.blocks
        drawn: list[tuple[Ship, Closure]] = []
        for _ in range(self._count(self.tier.closures)):
            drawn.append(draw.closure(self.rng, self.quay, ships, alongside, drawn))
        self.events += [closure for _, closure in drawn]

    def _delays(self) -> None:
        ships = self.opening.ships
        late = draw.late(self.rng, ships, self._count(self.tier.late))
        self.events += late
        delayed = {event.ship for event in late}
        undelayed = [ship for ship in ships if ship.id not in delayed]
        for _ in range(self._count(self.tier.bunching)):
            self.events.append(draw.bunched(self.rng, undelayed))

    def _outages(self) -> None:
        drawn: list[CraneOutage] = []
        for _ in range(self._count(self.tier.outages)):
            drawn.append(draw.outage(self.rng, self.horizon, self.opening.blocks, drawn))
        self.events += drawn

    def _urgent(self) -> None:
        ships = known.known(self.opening, self.events).ships
        self.ships = len(ships)
        urgent = draw.emergencies(self.rng, ships, self._count(self.tier.emergencies))
        self.events += urgent
        others = [s for s in ships if s.id not in {event.ship for event in urgent}]
        self.events += draw.priorities(self.rng, others, self._count(self.tier.priority))

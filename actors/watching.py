"""What does a person see while a week plays, and when it is over?"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from port.briefing import clock_text
from port.known import apply
from port.model import Plan, Week
from port.services import pool_use

from .chart import MARKS, chart
from .messages import (
    Checked,
    Confirmation,
    Declined,
    Envelope,
    Notice,
    Opening,
    PlanningOver,
    Tick,
    WatchReport,
    Window,
)
from .roles.base import plan_of
from .run import Run

_ROLE_NAMES = {
    "harbour_master": "Harbour master",
    "terminal_ops": "Terminal ops",
    "tug_company": "Tug company",
    "pilot_station": "Pilot station",
    "port_control": "Port control",
}


def speaker_name(role: str) -> str:
    """A role as people call it."""
    return _ROLE_NAMES.get(role, role.removeprefix("firm:").title())


class Watcher:
    """Prints a week as it is delivered, envelope by envelope."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._windows: dict[int, Window] = {}
        self._week: Week | None = None
        self._hour = 0

    def __call__(self, envelope: Envelope) -> None:
        match envelope.body:
            case Opening() as opening:
                self._week = opening.week
            case Notice() as notice if self._week is not None:
                self._week = apply(self._week, notice.effect)
            case _:
                pass
        for line in self._lines(envelope):
            self._console.print(line)

    def _lines(self, envelope: Envelope) -> Iterator[Text]:
        match envelope.body:
            case Tick() as tick:
                self._hour = tick.hour
                title = f"Watch {tick.watch}  {clock_text(tick.hour)}, hour {tick.hour}"
                yield Text(f"\n{title}", style="bold")
            case Notice() as notice:
                yield Text.assemble((f"  {speaker_name(envelope.sender)}: ", "cyan"), notice.text)
            case Confirmation() as confirmation:
                yield from self._confirmed(confirmation)
            case Checked() as checked:
                worth = f"cost {checked.cost}" if checked.feasible else "breaks rules"
                yield Text(f"  Checked a plan: {worth}; {checked.calls_left} calls left.")
            case Declined() as declined:
                yield Text(f"  Harbour master declines: {declined.reason}", style="red")
            case PlanningOver() as over:
                yield Text(f"  Harbour master: {over.reason}.", style="cyan")
            case WatchReport() as report if report.watch:
                yield Text(
                    f"  Freeze line hour {report.line}; berthed {_ids(report.berthed)}; "
                    f"departed {_ids(report.departed)}.",
                    style="dim",
                )
            case _:
                return

    def _confirmed(self, confirmation: Confirmation) -> Iterator[Text]:
        changed = [w for w in confirmation.confirmed if self._windows.get(w.ship) != w]
        kept = len(confirmation.confirmed) - len(changed)
        self._windows |= {w.ship: w for w in confirmation.confirmed}
        told = ", ".join(
            f"{w.ship}: hour {w.berth_hour} @ {w.section} x{w.cranes}" for w in changed
        )
        yield Text(
            f"  Confirmed: {len(changed)} new or changed, {kept} kept"
            + (f": {told}" if 0 < len(changed) <= 6 else "")
            + ".",
            style="green",
        )
        if (week := self._week) is not None and week.services is not None:
            yield from _binding(week, plan_of(self._windows.values()), self._hour)
        for refusal in confirmation.refused:
            yield Text(f"  Refused ship {refusal.ship}: {refusal.reason}.", style="red")
        for problem in confirmation.unreadable:
            yield Text(f"  Unreadable: {problem}.", style="red")


def _binding(week: Week, plan: Plan, now: int) -> Iterator[Text]:
    """The hours to come at which our movements take the last pilot or tug, or more."""
    for name, used in pool_use(week, plan).items():
        tight = [
            f"hour {hour} ({need} of {free}{', short' if need > free else ''})"
            for hour, (need, free) in sorted(used.items())
            if hour >= now and need >= free
        ]
        if tight:
            yield Text(f"  {name.title()} bind at {', '.join(tight)}.", style="yellow")


def _ids(ships: tuple[int, ...]) -> str:
    return ", ".join(map(str, ships)) if ships else "none"


def print_outcome(console: Console, run: Run) -> None:
    """The berth chart, the ships, the cost split and the reward."""
    week = run.cast.week
    plan = plan_of(Window(**row) for row in run.plan)
    console.print()
    print_plan(console, week, plan, run)
    grade = run.outcome.grade
    for finding in grade.settlement.charged:
        console.print(f"  ship {finding.ship} {finding.text}", style="red", highlight=False)
    for finding in grade.settlement.excused:
        console.print(f"  excused: ship {finding.ship} {finding.text}", highlight=False)
    ships = grade.verdict.ships.values()
    split = (
        f"lateness {sum(s.lateness for s in ships)} + emergencies "
        f"{sum(s.emergency for s in ships)} + {grade.verdict.moves} moves x 5 - excused "
        f"{grade.excused_cost}"
    )
    cost = f"{grade.cost} = {split}" if grade.feasible else "none: rules are broken"
    console.print(f"\nCost {cost}", highlight=False)
    console.print(f"Best known {grade.best}, unavoidable {grade.floor}", highlight=False)
    for fault in run.outcome.audit:
        console.print(f"Audit: {fault}", style="red", highlight=False)
    if run.outcome.audit:
        console.print("The week failed its audit and is not scored.", style="bold red")
    else:
        console.print(f"Reward {grade.reward}", style="bold", highlight=False)


def print_plan(console: Console, week: Week, plan: Plan, run: Run) -> None:
    for line in chart(week, plan, console.width):
        console.print(line, highlight=False, markup=False, no_wrap=True, crop=True)
    table = Table(box=None, padding=(0, 1))
    for column in ("", "ship", "berths", "section", "cranes", "leaves", "due", "late", "cost"):
        table.add_column(column, justify="left" if column in ("", "ship") else "right")
    for ship_id, verdict in run.outcome.grade.verdict.ships.items():
        if (stay := verdict.stay) is None:
            table.add_row(MARKS[ship_id % len(MARKS)], verdict.ship.name, "no window")
            continue
        table.add_row(
            MARKS[ship_id % len(MARKS)],
            f"{ship_id} {verdict.ship.name}",
            *map(str, (stay.hour, stay.section, stay.cranes, stay.departure, verdict.ship.due)),
            str(verdict.delay_hours or ""),
            str(verdict.cost or ""),
        )
    console.print(table)

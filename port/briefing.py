"""What does a planner read: the situation at a watch, and the words of each notice?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from . import services as pools
from .model import (
    MOVES_PER_CRANE_HOUR,
    Bunched,
    Closure,
    CraneOutage,
    Diverted,
    Emergency,
    Event,
    Forecast,
    ForecastRun,
    Gale,
    Late,
    PilotShortage,
    PriorityCargo,
    Ship,
    TugOutage,
    UnscheduledCall,
    Week,
    WindHold,
)
from .movements import stay
from .view import View
from .weather import RUN_STEP_HOURS, windows_of

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def clock_text(hour: int) -> str:
    """An hour as day and time: ``Tue 06:00``, past the first week ``+8d 06:00``."""
    day, of_day = divmod(hour, 24)
    name = DAYS[day] if 0 <= day < 7 else DAYS[-1] if day == -1 else f"{day:+d}d"
    return f"{name} {of_day:02d}:00"


# ---- notices ---------------------------------------------------------------------------------


def notice_text(week: Week, event: Event) -> str:
    """The words of a notice, told to somebody who knows `week` so far."""
    match event:
        case Late():
            return _late_text(week.by_id[event.ship], event.arrival)
        case Bunched():
            return _bunched_text(week, event)
        case UnscheduledCall():
            return f"An unscheduled call asks for a berth. {_call_text(event.ship)}"
        case Diverted():
            calls = " ".join(_call_text(ship) for ship in event.ships)
            return (
                f"Quay {event.from_quay} is shut from hour {event.start} to {event.end}; "
                f"its calls are sent here with no slot of their own. {calls}"
            )
        case Closure():
            return (
                f"Sections {event.first}-{event.last} are shut from hour {event.start} to "
                f"{event.end}: {event.reason}."
            )
        case CraneOutage():
            return (
                f"{event.cranes} of our {week.crane_pool} quay cranes are out of service from "
                f"hour {event.start} to {event.end}."
            )
        case Gale():
            return _gale_text(week, event)
        case Emergency():
            ship = week.by_id[event.ship]
            return (
                f"Emergency aboard {ship.name} (ship {ship.id}): it has to be alongside by hour "
                f"{event.deadline}. Every hour after that costs {event.penalty}."
            )
        case PriorityCargo():
            ship = week.by_id[event.ship]
            return (
                f"{ship.name} (ship {ship.id}) has priority cargo on board: each hour it leaves "
                f"late counts {event.weight} times."
            )
        case TugOutage() | PilotShortage():
            return _cut_text(week, event)
        case Forecast():
            return forecast_text(event)


def _late_text(ship: Ship, arrival: int) -> str:
    return (
        f"{ship.name} (ship {ship.id}) is running late: it reaches the port at hour {arrival}, "
        f"not {ship.arrival}. Its planned departure stays hour {ship.due}."
    )


def _bunched_text(week: Week, event: Bunched) -> str:
    ships = "; ".join(
        f"{week.by_id[ship].name} (ship {ship}) at hour {hour}, planned {week.by_id[ship].arrival}"
        for ship, hour in event.arrivals
    )
    return f"Traffic has bunched up on the way here. Now due in: {ships}."


def _call_text(ship: Ship) -> str:
    return (
        f"{ship.name} (ship {ship.id}, {ship.length:g} m, {ship.sections} sections) arrives at "
        f"hour {ship.arrival} with {ship.workload * MOVES_PER_CRANE_HOUR} moves to work and "
        f"wants to sail by hour {ship.due}."
    )


def _gale_text(week: Week, event: Gale) -> str:
    text = (
        f"Gale warning. Above 25 kn from hour {event.start} to {event.end}: ships of 300 m or "
        f"more neither berth nor leave. Above 30 kn from hour {event.core_start} to "
        f"{event.core_end}: nobody does."
    )
    if week.services is not None:
        text += f" Each movement from hour {event.start} to {event.end} takes one more tug."
    return text


def _cut_text(week: Week, event: TugOutage | PilotShortage) -> str:
    services = week.services
    assert services is not None, "cuts are told only in weeks with pilots and tugs"
    if isinstance(event, TugOutage):
        what, pool = f"{event.tugs} of the port's {services.tugs} tugs are laid up", "tug"
    else:
        what, pool = f"{event.pilots} of the {services.pilots} pilots are off duty", "pilot"
    return f"{what} from hour {event.start} to {event.end}; plan {pool}s accordingly."


def forecast_text(forecast: Forecast) -> str:
    """Port control's bulletin: the windows of the run in force."""
    run = forecast.run
    if run is None:
        return "No wind forecast is out yet."
    until = run.init + RUN_STEP_HOURS * (len(run.knots) - 1)
    coming = [w for w in windows_of(run) if w.end > forecast.hour]
    strongest = max(run.knots[_step(run, forecast.hour) :])
    return (
        f"Wind forecast issued {clock_text(run.issued)}, reaching to hour {until}: "
        f"{_holds_text(coming)}; strongest {strongest} kn."
    )


def _step(run: ForecastRun, hour: int) -> int:
    """The first of a run's steps at or after an hour, its last at most."""
    return min(max(0, -(-(hour - run.init) // RUN_STEP_HOURS)), len(run.knots) - 1)


def _holds_text(wind: Iterable[WindHold]) -> str:
    parts = []
    for knots, min_length in ((25, 300), (30, 0)):
        spans = [f"{w.start}-{w.end}" for w in wind if w.min_length == min_length]
        if spans:
            parts.append(f"above {knots} kn in hours {', '.join(spans)}")
    return ", ".join(parts) if parts else "nothing above 25 kn"


# ---- the situation ---------------------------------------------------------------------------


def situation(view: View, calls_left: int) -> str:
    """The week as known now, in Markdown: all a planner needs and nothing it may not know."""
    week = view.week
    lines = [*_heading(view), *_quay_lines(week), *_ship_table(week)]
    if view.confirmed:
        lines += _confirmed_lines(view)
    if week.unfolds:
        waiting = [str(ship.id) for ship in week.ships if ship.id not in view.confirmed]
        lines += ["", f"Ships without a window: {', '.join(waiting) or 'none'}."]
        lines += [f"Planning calls left in this watch: {calls_left}."]
    else:
        lines += ["", f"Plan checks left: {calls_left}."]
    lines += _rules_lines(week)
    if week.services is not None:
        lines += _services_lines(week)
    if week.forecast is not None:
        lines += _wind_lines(week.forecast)
    return "\n".join(lines) + "\n"


def _heading(view: View) -> Iterator[str]:
    week = view.week
    monday = date.fromisoformat(week.monday)
    yield (
        f"# Quay {week.quay}, {week.place.terminal}, Port of Barcelona: "
        f"week {week.number} of {monday.year}"
    )
    yield ""
    yield (
        f"Hours are whole hours from Monday {monday.day} {monday:%B %Y}, 00:00 UTC. A window a-b "
        f"holds hour a and not hour b."
    )
    if week.unfolds:
        yield f"It is watch {view.watch}, hour {view.hour} ({clock_text(view.hour)})."
        if view.watch:
            yield (
                f"Freeze line: hour {view.line}. Windows that start before it stand; new or "
                f"changed ones start at or after it."
            )


def _quay_lines(week: Week) -> Iterator[str]:
    place = week.place
    yield ""
    yield "## The quay"
    yield f"- Sections {place.first}-{place.last}, about {place.section_m} m each."
    yield f"- {week.crane_pool} quay cranes; at most {week.movement_limit} movements an hour."
    for outage in week.outages:
        yield f"- {outage.cranes} cranes out of service in hours {outage.start}-{outage.end}."
    for block in week.blocks:
        where = f"sections {block.first}-{block.last}, hours {block.start}-{block.end}"
        if block.kind == "closed":
            yield f"- Shut: {where} ({block.label})."
        else:
            yield f"- Alongside at hour 0: {block.label}, {where}, worked by {block.cranes} cranes."
    for hold in week.wind:
        who = f"ships of {hold.min_length} m or more" if hold.min_length else "all ships"
        yield f"- Wind: {who} neither berth nor leave in hours {hold.start}-{hold.end}."


def _ship_table(week: Week) -> Iterator[str]:
    yield ""
    yield "## Ships to berth"
    yield (
        "| id | ship | length m | sections | arrives | moves | crane-hours | cranes (standard) "
        "| planned berth @ section | leave by | notes |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for ship in week.ships:
        planned = (
            "-" if ship.planned_hour is None else f"{ship.planned_hour} @ {ship.planned_section}"
        )
        yield (
            f"| {ship.id} | {ship.name} | {ship.length:g} | {ship.sections} | {ship.arrival} "
            f"| {ship.workload * MOVES_PER_CRANE_HOUR} | {ship.workload} "
            f"| {ship.least}-{ship.most} ({ship.standard}) | {planned} | {ship.due} "
            f"| {_notes(ship)} |"
        )


def _notes(ship: Ship) -> str:
    notes = []
    if ship.weight > 1:
        notes.append(f"priority, late hours count {ship.weight} times")
    if ship.deadline is not None:
        notes.append(f"emergency: berth by {ship.deadline}, then {ship.penalty} an hour")
    if ship.planned_hour is None:
        notes.append("unscheduled")
    elif ship.arrival > ship.planned_hour:
        notes.append("late")
    return "; ".join(notes)


def _confirmed_lines(view: View) -> Iterator[str]:
    yield ""
    yield "## Confirmed windows"
    yield "| ship | berths | section | cranes | leaves | state |"
    yield "|---|---|---|---|---|---|"
    for ship in view.week.ships:
        if (berth := view.confirmed.get(ship.id)) is not None:
            departure = stay(view.week, ship, berth).departure
            state = window_state(view, berth.hour, departure)
            yield (
                f"| {ship.id} {ship.name} | {berth.hour} | {berth.section} | {berth.cranes} "
                f"| {departure} | {state} |"
            )


def window_state(view: View, berths: int, leaves: int) -> str:
    """Whether a confirmed window is departed, berthed, frozen or open at the view's hour."""
    if leaves <= view.hour:
        return "departed"
    if berths <= view.hour and view.watch:
        return "berthed"
    return "frozen" if berths < view.line else "open"


def _rules_lines(week: Week) -> Iterator[str]:
    yield ""
    yield "## Rules"
    yield "- A ship berths when it has arrived, on consecutive sections of the quay, alone on them."
    yield (
        "- Work takes its crane-hours divided by its cranes, rounded up; then the ship leaves. "
        "Cranes stay within the ship's range and, hour by hour, within those in service."
    )
    yield (
        "- Berthings and departures in an hour stay within the movement limit. A ship whose work "
        "ends while the wind holds it leaves when the hold ends, and keeps its sections till then."
    )
    yield (
        "- Cost: sections x hours after `leave by` (x 3 for priority); an emergency's penalty for "
        "each hour it berths after its deadline; 5 for each ship put elsewhere than planned."
    )
    yield "- A plan that breaks any rule scores below every plan that breaks none."


def _services_lines(week: Week) -> Iterator[str]:
    services = week.services
    assert services is not None
    yield ""
    yield "## Pilots and tugs"
    yield (
        f"- Each berthing and each departure takes one pilot and its tugs for that hour, out of "
        f"the port's {services.pilots} pilots and {services.tugs} tugs, which other traffic uses "
        f"too. Our ships may not need more than are free in any hour."
    )
    yield (
        "- Tugs for a movement by length: none below 120 m, 1 below 200 m, 2 below 300 m, else 3. "
        "In hours with wind above 25 kn one more."
    )
    for tugs in (3, 2, 1):
        ids = [str(s.id) for s in week.ships if pools.tugs_for_length(s.length) == tugs]
        if ids:
            yield f"- {tugs} tug{'s' if tugs > 1 else ''}: ships {', '.join(ids)}."
    for outage in services.tug_cuts:
        yield f"- {outage.tugs} tugs out in hours {outage.start}-{outage.end}."
    for shortage in services.pilot_cuts:
        yield f"- {shortage.pilots} pilots out in hours {shortage.start}-{shortage.end}."
    yield "- Free for our ships, pilots | tugs, one digit an hour from 00:00, six to a block:"
    yield from free_lines(week)
    yield f"- From hour {services.hours}: {services.pilots} pilots and {services.tugs} tugs."


def free_lines(week: Week) -> Iterator[str]:
    """Pilots and tugs free hour by hour, a line a day: ``Mon: 745565 ... | 867675 ...``."""
    services = week.services
    assert services is not None
    free = pools.free(week, services)
    for start in range(0, services.hours, 24):
        day = start // 24
        name = DAYS[day] if day < 7 else f"+{day}d"
        yield (
            f"- {name}: {_blocks(free.pilots[start : start + 24])} "
            f"| {_blocks(free.tugs[start : start + 24])}"
        )


def _blocks(counts: Sequence[int]) -> str:
    return " ".join("".join(map(str, counts[i : i + 6])) for i in range(0, len(counts), 6))


def _wind_lines(forecast: Forecast) -> Iterator[str]:
    yield ""
    yield "## Wind at the Dique Sur"
    yield (
        "- Above 25 kn ships of 300 m or more neither berth nor leave and every movement takes "
        "one more tug; above 30 kn no ship moves. The week is graded in the wind that blows: the "
        "windows ahead are a forecast."
    )
    yield f"- Barcelona Port Control: {forecast_text(forecast)}"
    if (run := forecast.run) is not None:
        from_step = _step(run, forecast.hour)
        knots = " ".join(map(str, run.knots[from_step:]))
        yield f"- Knots every 3 h from hour {run.init + RUN_STEP_HOURS * from_step}: {knots}"
    yield f"- Observed since hour 0: {_holds_text(forecast.observed)}."

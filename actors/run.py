"""What does a run leave behind? A folder: its journal, its result, its plan.

This layer casts a week by names and options and keeps what came of it. It never writes into a
folder that holds something already.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

from port.errors import PortsimError
from port.model import Week
from port.plans import plan_rows

from .cast import Cast, cast
from .inline import Inline
from .journal import Heading, Journal
from .messages import RegisterTestimony
from .planners.policy import PlannerError, load_policy, plan_week
from .post import Observer
from .roles.base import plan_of
from .stage import Company, Outcome, play
from .weeks import playable, week_digest

JOURNAL, RESULT, PLAN = "journal.jsonl", "result.json", "plan.json"
RUNTIMES = ("ray", "inline")


class RunError(PortsimError):
    """A run that cannot be kept, or found, where it was asked for."""


@dataclass(frozen=True)
class Request:
    """What to play: everything a run is fixed by."""

    week: str
    port: str
    planner: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None


@dataclass(frozen=True)
class Run:
    """A week that was played, and how."""

    request: Request
    cast: Cast
    outcome: Outcome
    journal: Journal

    @property
    def plan(self) -> list[dict[str, int]]:
        """The windows in force at the end."""
        for envelope in reversed(self.journal.envelopes):
            if isinstance(envelope.body, RegisterTestimony):
                return plan_rows(plan_of(envelope.body.windows))
        raise RunError(f"{self.request.week}: no register was handed in")


def heading(request: Request, week: Week) -> Heading:
    options = "".join(f" {k}={v}" for k, v in sorted(request.parameters.items()))
    return Heading(
        week=week.id, port=request.port, planner=request.planner + options, digest=week_digest(week)
    )


def played(
    request: Request,
    runtime: Company,
    stream: IO[str] | None = None,
    observer: Observer | None = None,
) -> Run:
    """Play what is asked for, its journal written to `stream` as it grows."""
    week = playable(request.week, request.port)
    policy = load_policy(request.planner, request.parameters, request.seed)
    casting = cast(week, request.port)
    journal = Journal(heading(request, week), stream)
    outcome = play(
        casting, partial(plan_week, policy, name=request.planner), runtime, journal, observer
    )
    return Run(request, casting, outcome, journal)


def kept(request: Request, runtime: Company, folder: Path, observer: Observer | None = None) -> Run:
    """Play what is asked for and keep journal, result and plan in a folder."""
    there = folder.absolute()  # a planner may change the folder it is in
    with (there / JOURNAL).open("x", encoding="utf-8") as stream:
        try:
            run = played(request, runtime, stream, observer)
        except PlannerError as error:
            told = f"{error}; the journal up to there is in {folder}"
            raise PlannerError(told) from error
    _write(there / RESULT, result(run))
    _write(there / PLAN, run.plan)
    return run


def _write(path: Path, value: object) -> None:
    with path.open("x", encoding="utf-8") as stream:
        json.dump(value, stream, indent=1, ensure_ascii=False)
        stream.write("\n")


def result(run: Run) -> dict[str, Any]:
    """The outcome as one JSON object. A week that fails its audit has no reward."""
    grade, sound = run.outcome.grade, not run.outcome.audit
    ships = grade.verdict.ships.values()
    return {
        "week": run.request.week,
        "port": run.request.port,
        "planner": run.request.planner,
        "parameters": dict(run.request.parameters),
        "reward": grade.reward if sound else None,
        "feasible": grade.feasible,
        "cost": grade.cost,
        "best": grade.best,
        "floor": grade.floor,
        "lateness": sum(ship.lateness for ship in ships),
        "emergencies": sum(ship.emergency for ship in ships),
        "moves": grade.verdict.moves,
        "excused_cost": grade.excused_cost,
        "clean_ships": grade.settlement.clean,
        "ships": len(grade.verdict.ships),
        "unreadable": grade.unreadable,
        "problems": [
            {"ship": f.ship, "rule": f.rule, "hour": f.hour, "other": f.other, "text": f.text}
            for f in grade.settlement.charged
        ],
        "excused": [f"ship {f.ship}: {f.text}" for f in grade.settlement.excused],
        "audit": list(run.outcome.audit),
    }


def new_folder(request: Request, out: Path | None, runs: Path = Path("runs")) -> Path:
    """A folder of its own for a run: `out`, or the next free name under `runs`."""
    if out is not None:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise RunError(f"{out} exists already; name a folder that is new or empty")
        return _made(out, exist_ok=True)
    stem = f"{request.week}-{request.port}-{request.planner.replace(':', '.')}"
    for number in range(1, 10_000):
        folder = runs / (stem if number == 1 else f"{stem}-{number}")
        if not folder.exists():
            try:
                return _made(folder, exist_ok=False)
            except FileExistsError:
                continue
    raise RunError(f"{runs} holds too many runs named {stem}")


def _made(folder: Path, exist_ok: bool) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=exist_ok)
    except FileExistsError:
        raise
    except OSError as error:
        raise RunError(f"cannot make {folder}: {error.strerror or error}") from error
    return folder


def parameters(settings: Iterable[str]) -> dict[str, Any]:
    """``name=value`` pairs, the values read as JSON where they are JSON."""
    found: dict[str, Any] = {}
    for setting in settings:
        name, equals, value = setting.strip().partition("=")
        if not name or not equals:
            raise RunError(f"a planner's parameter is NAME=VALUE, got {setting!r}")
        try:
            found[name] = json.loads(value, parse_constant=_no_constant)
        except ValueError:
            found[name] = value
    return found


def _no_constant(name: str) -> None:
    """NaN and Infinity are Python's, and not JSON's: what is kept of a run must be JSON."""
    raise ValueError(name)


@contextmanager
def company(runtime: str) -> Iterator[Company]:
    """A runtime by name: `ray` or `inline`."""
    check_runtime(runtime)
    if runtime == "inline":
        with Inline() as inline:
            yield inline
    else:
        from .on_ray import OnRay, cluster

        with cluster(), OnRay() as on_ray:
            yield on_ray


def check_runtime(runtime: str) -> None:
    """Raises RunError, naming those there are, for a runtime there is not."""
    if runtime not in RUNTIMES:
        near = difflib.get_close_matches(runtime, RUNTIMES, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise RunError(f"no runtime {runtime!r}{hint} There are {', '.join(RUNTIMES)}.")

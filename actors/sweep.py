"""How do planners do over many weeks? A job per week, planner and repetition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from port.errors import PortsimError
from port.packs import load_week, qualifying, week_ids

from .board import tier_of
from .farm import Job
from .journal import digest
from .run import Request, company, parameters, played, result
from .store import Record

_PLANNER = re.compile(r"^(?P<name>[^\[\]]+)(\[(?P<settings>[^\[\]]*)\])?$")


class SweepError(PortsimError):
    """A sweep that selects nothing, or a planner that is not written as one."""


@dataclass(frozen=True)
class Sweep:
    """What to play. `planners` are written as `name` or `name[parameter=value,...]`.

    The caps are in US dollars, for planners whose calls cost something; policies cost nothing.
    """

    port: str
    weeks: Sequence[str]
    planners: Sequence[str]
    repetitions: int = 1
    seed: int = 0
    runtime: str = "inline"
    episode_cap_usd: float | None = None
    total_cap_usd: float | None = None

    def settings(self) -> dict[str, Any]:
        """What a store of this sweep is made for, as JSON."""
        return asdict(self) | {"weeks": list(self.weeks), "planners": list(self.planners)}

    @property
    def size(self) -> int:
        return len(self.weeks) * len(self.planners) * self.repetitions


def select(
    port: str,
    weeks: str | None = None,
    file: Path | None = None,
    pack: str = "eval",
    tier: str | None = None,
    every: bool = False,
) -> list[str]:
    """The ids of the weeks to play: those named, those in a file, or a pack's.

    Raises SweepError when none is left, and WeekError for one there is not.
    """
    there = week_ids(port, pack)
    if weeks is not None or file is not None:
        named = _named(weeks, file)
        for week_id in named:
            load_week(week_id, port)
    elif pack != "eval":
        named = there
    else:
        named = there if every else qualifying(port)
    selected = [week_id for week_id in named if tier is None or tier_of(week_id) == tier]
    if not selected:
        raise SweepError(f"no week is selected at the {port} port, tier {tier or 'any'}")
    return selected


def _named(weeks: str | None, file: Path | None) -> list[str]:
    names = [] if weeks is None else weeks.split(",")
    if file is not None:
        try:
            names += file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise SweepError(f"{file}: {error}") from error
    return list(dict.fromkeys(name.strip() for name in names if name.strip()))


def jobs(sweep: Sweep) -> Iterator[Job]:
    """The sweep's jobs: week by week, so that planners meet the same weeks early on."""
    for week in sweep.weeks:
        for planner in sweep.planners:
            name, parameters = parse_planner(planner)
            for repetition in range(sweep.repetitions):
                yield Job(
                    "play",
                    {
                        "week": week,
                        "port": sweep.port,
                        "planner": name,
                        "parameters": parameters,
                        "repetition": repetition,
                        "seed": sweep.seed,
                        "runtime": sweep.runtime,
                        "episode_cap_usd": sweep.episode_cap_usd,
                        "total_cap_usd": sweep.total_cap_usd,
                    },
                )


def parse_planner(text: str) -> tuple[str, dict[str, Any]]:
    """``rolling[workers=8,tie_break=false]`` as a name and its parameters."""
    match = _PLANNER.match(text.strip())
    if match is None:
        raise SweepError(f"{text!r} is no planner: write name or name[parameter=value,...]")
    settings = [s for s in (match["settings"] or "").split(",") if s.strip()]
    return match["name"], parameters(settings)


def play_job(fields: Mapping[str, Any]) -> Record:
    """Play one week with one planner: the run's result, and a digest of its journal."""
    request = Request(
        fields["week"], fields["port"], fields["planner"], fields["parameters"], _seed(fields)
    )
    with company(fields["runtime"]) as players:
        run = played(request, players)
    return {**result(run), "journal": run.journal.seal, "spend_usd": 0.0}


def _seed(fields: Mapping[str, Any]) -> int:
    """A seed for the episode: its own for each week and repetition, the same for every planner."""
    drawn_for = {name: fields[name] for name in ("seed", "week", "port", "repetition")}
    return int(digest(drawn_for), 16) % 2**31

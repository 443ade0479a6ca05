"""How do planners do over many weeks? A job per week, planner and repetition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from port.errors import PortsimError

from .farm import Job
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
        return {
            "sweep": {**asdict(self), "weeks": list(self.weeks), "planners": list(self.planners)}
        }

    @property
    def size(self) -> int:
        return len(self.weeks) * len(self.planners) * self.repetitions


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
    request = Request(fields["week"], fields["port"], fields["planner"], fields["parameters"])
    with company(fields["runtime"]) as players:
        run = played(request, players)
    return {**result(run), "journal": run.journal.seal, "spend_usd": 0.0}

"""Who plans better, and by how much? Means, intervals and paired differences over a sweep."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from port.errors import PortsimError

from .store import Record, read, reward_of, settings_of

RESAMPLES = 10_000
SEED = 20_240_101
"""Of the bootstrap's random numbers, so that a board is the same whenever it is drawn."""
CONFIDENCE = 0.95

Rewards: TypeAlias = Mapping[str, float]
"""A planner's mean reward on each week."""


class BoardError(PortsimError):
    """A board with nothing to show."""


@dataclass(frozen=True)
class Interval:
    """A mean over weeks and its 95% bootstrap interval (percentiles of resampled weeks' means)."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Standing:
    """How one planner did. Regret is cost over the best known, on its feasible episodes."""

    planner: str
    weeks: int
    episodes: int
    reward: Interval
    feasible: int
    at_anchor: int
    regret: float | None
    excused_cost: float
    failed: int
    tiers: Mapping[str, float]


@dataclass(frozen=True)
class Difference:
    """Mean reward of `planner` less that of `other`, on the weeks both played."""

    planner: str
    other: str
    weeks: int
    reward: Interval


@dataclass(frozen=True)
class Board:
    port: str
    standings: Sequence[Standing]
    differences: Sequence[Difference]
    by_week: Mapping[str, Rewards]

    def as_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)


def bootstrap(values: Sequence[float]) -> Interval:
    """The mean of per-week values and its interval, resampling weeks with replacement."""
    sample = np.asarray(values, dtype=float)
    random = np.random.default_rng(SEED)
    draws = random.integers(0, len(sample), size=(RESAMPLES, len(sample)))
    means = sample[draws].mean(axis=1)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(sample.mean()), float(low), float(high))


def board(folders: Iterable[Path | str]) -> Board:
    """The board of one or more sweeps of the same port.

    An episode that several of them hold counts once, as one that did not fail if there is such.
    Raises BoardError when they hold no result, or results of different ports.
    """
    records: dict[str, Record] = {}
    ports: set[str] = set()
    for folder in folders:
        ports.add(str(settings_of(folder).get("port")))
        for record in read(folder):
            there = records.get(record["job"])
            if record["work"] == "play" and (there is None or there["error"] is not None):
                records[record["job"]] = record
    if len(ports) != 1:
        raise BoardError(f"a board is of one port; these sweeps are of {', '.join(sorted(ports))}")
    by_planner: dict[str, list[Record]] = {}
    for record in records.values():
        by_planner.setdefault(planner_label(record["fields"]), []).append(record)
    if not by_planner:
        raise BoardError("the sweep holds no result yet")
    rewards = {planner: week_rewards(theirs) for planner, theirs in by_planner.items()}
    standings = [_standing(p, theirs, rewards[p]) for p, theirs in by_planner.items()]
    standings.sort(key=lambda s: (-s.reward.mean, s.planner))
    names = [standing.planner for standing in standings]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    differences = [d for a, b in pairs if (d := _difference(a, b, rewards)) is not None]
    return Board(ports.pop(), standings, differences, _by_week(rewards))


def planner_label(fields: Mapping[str, object]) -> str:
    """A planner with its parameters, as a sweep writes it."""
    parameters = fields["parameters"]
    assert isinstance(parameters, dict)
    settings = ",".join(f"{k}={json.dumps(v)}" for k, v in sorted(parameters.items()))
    return f"{fields['planner']}[{settings}]" if settings else str(fields["planner"])


def week_rewards(records: Iterable[Record]) -> dict[str, float]:
    """A planner's mean reward on each week, over its repetitions.

    An episode that failed, or took three workers with it, earned nothing; one that was not scored
    is left out.
    """
    found: dict[str, list[float]] = {}
    for record in records:
        if (reward := reward_of(record)) is not None:
            found.setdefault(record["fields"]["week"], []).append(reward)
    return {week: sum(values) / len(values) for week, values in found.items()}


def _standing(planner: str, records: Sequence[Record], rewards: Rewards) -> Standing:
    if not rewards:
        raise BoardError(f"none of {planner}'s episodes was scored")
    results = [record["result"] for record in records if record["error"] is None]
    feasible = [result for result in results if result["feasible"]]
    tiers: dict[str, list[float]] = {}
    for week, reward in rewards.items():
        tiers.setdefault(tier_of(week), []).append(reward)
    return Standing(
        planner=planner,
        weeks=len(rewards),
        episodes=len(records),
        reward=bootstrap(list(rewards.values())),
        feasible=len(feasible),
        at_anchor=sum(result["cost"] <= result["best"] for result in feasible),
        regret=_mean([max(0, r["cost"] - r["best"]) for r in feasible]),
        excused_cost=_mean([result["excused_cost"] for result in results]) or 0.0,
        failed=sum(record["error"] is not None for record in records),
        tiers={tier: sum(values) / len(values) for tier, values in sorted(tiers.items())},
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def tier_of(week_id: str) -> str:
    """The tier in a week's id: ``dock-24B-w07x1-busy-0`` is busy."""
    return week_id.split("-")[3]


def _difference(a: str, b: str, rewards: Mapping[str, Rewards]) -> Difference | None:
    shared = [week for week in rewards[a] if week in rewards[b]]
    if not shared:
        return None
    return Difference(
        a, b, len(shared), bootstrap([rewards[a][week] - rewards[b][week] for week in shared])
    )


def _by_week(rewards: Mapping[str, Rewards]) -> dict[str, dict[str, float]]:
    weeks = dict.fromkeys(week for theirs in rewards.values() for week in theirs)
    return {
        week: {planner: theirs[week] for planner, theirs in rewards.items() if week in theirs}
        for week in weeks
    }

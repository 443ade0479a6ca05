"""Which parameters make a planner plan best? `ray.tune` over its parameters, on training weeks.

A trial plays the same weeks in the same order with one setting of the parameters, and reports the
mean reward so far after each week, so that a scheduler can stop a hopeless trial early. A trial
costs about a second besides its weeks: for sweeps of settings that are known, use `sweep`.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from port.errors import PortsimError, first_line

from .farm import Job, attempt
from .planners.policy import load_policy
from .store import Store, reward_of
from .sweep import Sweep, jobs, parse_planner

SPACES = (
    "choice", "grid_search", "uniform", "quniform", "loguniform", "qloguniform",
    "randint", "qrandint", "lograndint", "qlograndint", "randn", "qrandn",
)  # fmt: skip
METRIC = "mean_reward"
MISSING = (
    "portsim tune needs ray.tune's own packages, which take 170 MB: "
    "python -m pip install -r constraints-tune.txt"
)


class TuneError(PortsimError):
    """A search that cannot be made: the text says which part of it."""


@dataclass(frozen=True)
class Tuning:
    """What to search: a planner's parameters, on which weeks, with which of Tune's methods."""

    port: str
    weeks: Sequence[str]
    planner: str
    space: Mapping[str, str]
    trials: int = 10
    search: str = "random"
    scheduler: str = "fifo"
    seed: int = 0

    def settings(self) -> dict[str, Any]:
        """What a folder of trials is made for, as JSON."""
        return asdict(self) | {"weeks": list(self.weeks), "space": dict(self.space)}


@dataclass(frozen=True)
class Trial:
    """What one setting came to. Fewer weeks than asked for: the scheduler stopped it."""

    parameters: Mapping[str, Any]
    mean_reward: float | None
    weeks: int
    failed: int
    error: str | None
    first_failure: str | None = None
    """What the first week that failed failed with: the planner's fault, and not the trial's."""


def parse_space(texts: Iterable[str]) -> dict[str, str]:
    """``name=choice(1,8)`` or a JSON object ``{"name": "choice(1,8)"}``, as name and space.

    Raises TuneError for what is no space.
    """
    found: dict[str, str] = {}
    for text in texts:
        for name, space in _named_spaces(text):
            domain(name, space, _Arguments())
            if name in found:
                raise TuneError(f"--space {name} is given twice")
            found[name] = space
    if not found:
        raise TuneError("no --space given: write a parameter's, as --space 'workers=choice(1,8)'")
    return found


def _named_spaces(text: str) -> list[tuple[str, str]]:
    if text.lstrip().startswith("{"):
        try:
            spaces = json.loads(text)
        except ValueError as error:
            raise TuneError(f"--space {text!r} is no JSON: {error}") from error
        return [(str(name), str(space)) for name, space in spaces.items()]
    name, equals, space = text.partition("=")
    if not equals or not name.strip().isidentifier():
        raise TuneError(f"--space {text!r}: write name=choice(1,8), or another of ray.tune's")
    return [(name.strip(), space.strip())]


class _Arguments:
    """Stands in for ray.tune to look at a space without it."""

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: arguments


def domain(name: str, space: str, tune: Any) -> Any:
    """The search space that ``choice(1,8)`` names, made by `tune`. Nothing in it is executed."""
    try:
        call = ast.parse(space, mode="eval").body
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            raise ValueError("not a call")
        if call.func.id not in SPACES or call.keywords:
            raise ValueError("not a space of ray.tune")
        arguments = [ast.literal_eval(argument) for argument in call.args]
    except (SyntaxError, ValueError) as error:
        raise TuneError(
            f"--space {name}: {space!r} is no search space ({error}); there are {', '.join(SPACES)}"
        ) from error
    if call.func.id in ("choice", "grid_search") and not (
        len(arguments) == 1 and isinstance(arguments[0], list)
    ):
        arguments = [arguments]
    try:
        return getattr(tune, call.func.id)(*arguments)
    except (TypeError, ValueError) as error:
        raise TuneError(f"--space {name}: {space}: {error}") from error


def ready(tuning: Tuning) -> None:
    """Raises TuneError when ray.tune is not here, or has no such space, searcher or scheduler.

    PlannerError when the planner takes no such parameters.
    """
    tune = _tune()
    drawn = {name: _drawn(name, space, tune) for name, space in tuning.space.items()}
    name, fixed = parse_planner(tuning.planner)
    load_policy(name, {**fixed, **drawn}, tuning.seed)
    _method(tuning, tune, None)


def _drawn(name: str, space: str, tune: Any) -> Any:
    """A value of the space, which may have none: ``choice()``, ``randint(5,5)``."""
    made = domain(name, space, tune)
    try:
        return made["grid_search"][0] if isinstance(made, dict) else made.sample(random_state=0)
    except (ValueError, IndexError) as error:
        raise TuneError(f"--space {name}: {space} has no values: {first_line(error)}") from error


def search(tuning: Tuning, folder: Path | str, at_once: int | None = None) -> list[Trial]:
    """Every trial, best first; one that was begun before is taken up again.

    Needs a Ray cluster to be joined. Tune keeps its state under ``<folder>/tune``.
    """
    tune = _tune()
    storage = str(folder) if "://" in str(folder) else str(Path(folder).resolve())
    trainable = tune.with_resources(
        tune.with_parameters(_trial, tuning=tuning, metric=METRIC), {"cpu": 1}
    )
    state = f"{storage}/tune"
    if tune.Tuner.can_restore(state):
        tuner = tune.Tuner.restore(state, trainable, resume_unfinished=True, restart_errored=True)
    else:
        tuner = tune.Tuner(
            trainable,
            param_space={n: domain(n, space, tune) for n, space in tuning.space.items()},
            tune_config=_method(tuning, tune, at_once),
            run_config=_keeping(tune, storage),
        )
    trials = [_outcome(result) for result in tuner.fit()]
    return sorted(trials, key=lambda trial: -(trial.mean_reward or 0.0))


def spread(weeks: Sequence[str], limit: int) -> list[str]:
    """At most `limit` of the weeks, evenly spread over their order."""
    if len(weeks) <= limit:
        return list(weeks)
    return [weeks[number * len(weeks) // limit] for number in range(limit)]


def keep(trials: Iterable[Trial], tuning: Tuning, store: Store) -> None:
    """A record per setting that was tried; the same setting tried twice has the same weeks.

    A trial that failed is none: it is taken up again when the search is.
    """
    for trial in trials:
        fields = {"planner": tuning.planner, "parameters": dict(trial.parameters)}
        job = Job("trial", fields)
        if trial.mean_reward is None or trial.error is not None or job.id in store.done:
            continue
        result = {"reward": trial.mean_reward, "weeks": trial.weeks, "failed": trial.failed}
        store.append(
            {"job": job.id, "work": job.work, "fields": fields, "result": result}
            | {"error": None, "attempts": []}
        )


def table(trials: Sequence[Trial]) -> str:
    """The trials for a terminal, best first."""
    names = list(dict.fromkeys(name for trial in trials for name in trial.parameters))
    rows = [["mean reward", "weeks", "failed", *names]]
    for trial in trials:
        reward = "-" if trial.mean_reward is None else f"{trial.mean_reward:.4f}"
        values = [_short(trial.parameters.get(name)) for name in names]
        rows.append([reward, str(trial.weeks), str(trial.failed), *values])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows]
    lines += [f"A trial failed: {trial.error}" for trial in trials if trial.error is not None]
    failures = [trial.first_failure for trial in trials if trial.first_failure is not None]
    lines += [f"The first week to fail: {failure}" for failure in failures[:1]]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else json.dumps(value)


def _tune() -> Any:
    # What Tune would write besides, and the terminal it would take over.
    os.environ.setdefault("TUNE_DISABLE_AUTO_CALLBACK_LOGGERS", "1")
    os.environ.setdefault("RAY_AIR_NEW_OUTPUT", "0")
    try:
        from ray import tune
    except ImportError as error:
        raise TuneError(MISSING) from error
    return tune


def _keeping(tune: Any, storage: str) -> Any:
    """Tune's own state at the store, and of its loggers only the one it reads results from."""
    from ray.tune.logger import JsonLoggerCallback

    json_lines = JsonLoggerCallback()  # type: ignore[no-untyped-call]
    return tune.RunConfig(name="tune", storage_path=storage, verbose=0, callbacks=[json_lines])


def _method(tuning: Tuning, tune: Any, at_once: int | None) -> Any:
    """Tune's searcher and scheduler, by their names there."""
    from ray.tune.schedulers import create_scheduler
    from ray.tune.search import BasicVariantGenerator, create_searcher

    try:
        if tuning.search in ("random", "variant_generator"):
            searcher = BasicVariantGenerator(max_concurrent=at_once or 0, random_state=tuning.seed)
            at_once = None
        else:
            searcher = create_searcher(tuning.search, metric=METRIC, mode="max")
    except (ValueError, ImportError, AssertionError, TypeError) as error:
        raise TuneError(f"--search {tuning.search}: {first_line(error)}") from error
    try:
        scheduler = create_scheduler(tuning.scheduler)
    except (ValueError, ImportError, TypeError, tune.TuneError) as error:
        raise TuneError(f"--scheduler {tuning.scheduler}: {first_line(error)}") from error
    return tune.TuneConfig(
        metric=METRIC,
        mode="max",
        num_samples=tuning.trials,
        search_alg=searcher,
        scheduler=scheduler,
        max_concurrent_trials=at_once,
    )


def _trial(config: Mapping[str, Any], tuning: Tuning, metric: str) -> None:
    """Play every week with one setting, reporting after each. Runs on a worker."""
    from ray import tune

    name, fixed = parse_planner(tuning.planner)
    sweep = Sweep(tuning.port, tuning.weeks, [name], seed=tuning.seed)
    rewards: list[float] = []
    failed, first_failure = 0, None
    for job in jobs(sweep):
        record = attempt(job.work, {**job.fields, "parameters": {**fixed, **config}})
        # As on the board: a week that failed earned nothing, one that was not scored is left out.
        reward = reward_of({"work": job.work, **record})
        failed += record["error"] is not None
        first_failure = first_failure or record["error"]
        if reward is not None:
            rewards.append(reward)
        if rewards:
            mean = sum(rewards) / len(rewards)
            counts = {"weeks": len(rewards), "failed": failed, "first_failure": first_failure}
            tune.report({metric: mean, **counts})


def _outcome(result: Any) -> Trial:
    metrics = result.metrics or {}
    return Trial(
        parameters=dict(result.config or {}),
        mean_reward=metrics.get(METRIC),
        weeks=metrics.get("weeks", 0),
        failed=metrics.get("failed", 0),
        first_failure=metrics.get("first_failure"),
        error=None if result.error is None else first_line(result.error),
    )

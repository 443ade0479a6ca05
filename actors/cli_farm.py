"""The commands that do many jobs, and that show what came of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from port.errors import PortsimError

from .cli_common import AsJson, Port, output_for, say

if TYPE_CHECKING:
    from .farm import Hands, Progress
    from .store import Store

LOG_EVERY_SECONDS = 10.0
"""How often progress is logged where there is no terminal to redraw."""
RUNS = "runs"
UPLOADED = "/runtime_resources/working_dir_files/"
"""Where Ray unpacks the folder that came with a job."""

Workers = Annotated[
    int | None,
    typer.Option(min=0, help="Jobs at once: 0 in this process, else on Ray (all its cores)."),
]
Address = Annotated[
    str | None, typer.Option(help="A Ray cluster to join; otherwise one here, or a new one.")
]
Runs = Annotated[
    str, typer.Option("--runs", help="Where stores of results are kept: a path, or a URL (s3://).")
]


class FarmError(PortsimError):
    """A farm that was asked for nothing, or that has nowhere to work."""


class ProgressLine:
    """Progress on standard error: one line redrawn on a terminal, a plain log elsewhere.

    A context, so that what is said of an error does not go on behind the line.
    """

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._logged = 0.0
        self._open = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._open:
            print(file=sys.stderr)

    def __call__(self, progress: Progress) -> None:
        if self._terminal:
            print(f"\r\x1b[K{self.text(progress)}", end="", file=sys.stderr, flush=True)
            self._open = True
        elif progress.seconds - self._logged >= LOG_EVERY_SECONDS:
            self._logged = progress.seconds
            print(self.text(progress), file=sys.stderr, flush=True)

    def close(self, progress: Progress) -> None:
        print(("\r\x1b[K" if self._terminal else "") + self.text(progress), file=sys.stderr)
        self._open = False

    @staticmethod
    def text(progress: Progress) -> str:
        total = "" if progress.total is None else f" of {progress.total}"
        parts = [
            f"{progress.done + progress.skipped}{total} done",
            f"{progress.running} running",
            f"{progress.failed} failed",
            f"{progress.rate:.1f}/s",
        ]
        if progress.retried:
            parts.append(f"{progress.retried} done again")
        if progress.seconds_left is not None and progress.running:
            parts.append(f"{_duration(progress.seconds_left)} left")
        if progress.mean_reward is not None:
            parts.append(f"mean reward {progress.mean_reward:.4f}")
        return ", ".join(parts)


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


@contextmanager
def hands(workers: int | None, address: str | None = None, cores: float = 1) -> Iterator[Hands]:
    """Who does the jobs: this process, or a cluster for as long as the block lasts."""
    if workers == 0:
        from .farm import ThisProcess

        yield ThisProcess()
        return
    from .crew import Crew
    from .on_ray import cluster

    with cluster(address, workers):
        yield Crew(workers, cores)


def check_workers(workers: int | None, address: str | None) -> None:
    """Raises FarmError for workers that cannot be; before a store is made for them."""
    if workers == 0 and address is not None:
        raise FarmError("--workers 0 plays in this process and joins no cluster; drop one")


def open_store(runs: str, name: str, settings: Mapping[str, Any]) -> Store:
    """The store called `name` under `runs`. Raises FarmError for a name or place that cannot be."""
    from .place import joined
    from .store import Store

    if not name.strip(".") or {"/", "\\"} & set(name):
        raise FarmError(f"{name!r} names no folder; write letters, digits, - and _")
    if "://" in runs and not runs.partition("://")[2].strip("/"):
        raise FarmError(f"--runs {runs} names no place: write s3://BUCKET/FOLDER or the like")
    if "://" not in runs and UPLOADED in str(Path(runs).absolute()):
        raise FarmError(
            f"--runs {runs} is in the job's own folder, which Ray deletes with the job; give an "
            "absolute path or a URL"
        )
    return Store(joined(runs, name), settings)


def sweep(
    name: Annotated[str, typer.Argument(help="The sweep's name: its folder under runs/.")],
    port: Port = "live",
    planners: Annotated[
        str, typer.Option(help="Planners, separated by spaces: name or name[parameter=value,...].")
    ] = "naive",
    weeks: Annotated[str | None, typer.Option(help="Week ids, separated by commas.")] = None,
    file: Annotated[Path | None, typer.Option(help="A file with a week id per line.")] = None,
    pack: Annotated[str, typer.Option(help="eval, or train.")] = "eval",
    tier: Annotated[str | None, typer.Option(help="Only weeks of this tier.")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also weeks on which 1.0 is out of reach as they unfold.")
    ] = False,
    repetitions: Annotated[int, typer.Option(min=1)] = 1,
    seed: Annotated[int, typer.Option(help="For planners that draw random numbers.")] = 0,
    runtime: Annotated[str, typer.Option(help="inline, or ray: a process a role.")] = "inline",
    episode_cap_usd: Annotated[float | None, typer.Option(min=0)] = None,
    total_cap_usd: Annotated[float | None, typer.Option(min=0)] = None,
    workers: Workers = None,
    address: Address = None,
    runs: Runs = RUNS,
    as_json: AsJson = False,
) -> None:
    """Play planners over weeks; the same command again plays what is missing."""
    from .farm import run
    from .planners.policy import load_policy
    from .run import check_runtime
    from .sweep import Sweep, jobs, parse_planner, select

    selected = select(port, weeks=weeks, file=file, pack=pack, tier=tier, every=every)
    asked = Sweep(
        port,
        selected,
        list(dict.fromkeys(planners.split())),
        repetitions,
        seed,
        runtime,
        episode_cap_usd,
        total_cap_usd,
    )
    check_runtime(runtime)
    check_workers(workers, address)
    if not asked.planners:
        raise FarmError("no planner named; --planners 'naive rolling' plays two")
    with output_for(as_json):
        for planner in asked.planners:
            load_policy(*parse_planner(planner), seed=seed)
    with (
        output_for(as_json),
        open_store(runs, name, asked.settings()) as store,
        hands(workers, address) as crew,
        ProgressLine() as line,
    ):
        progress = run(jobs(asked), store, crew, line, total=asked.size)
        line.close(progress)
    if as_json:
        say(_sweep_object(progress, store))
    else:
        _sweep_text(progress, store, name, runs)


def _sweep_object(progress: Progress, store: Store) -> dict[str, Any]:
    return {
        "folder": str(store.where),
        "done": progress.done,
        "skipped": progress.skipped,
        "failed": progress.failed,
        "failed_before": progress.failed_before,
        "retried": progress.retried,
        "repaired": store.repaired,
        "mean_reward": progress.mean_reward,
    }


def _sweep_text(progress: Progress, store: Store, name: str, runs: str) -> None:
    if store.repaired:
        print(f"Repaired {store.where}: {store.repaired}")
    before = f" ({progress.failed_before} failed)" if progress.failed_before else ""
    print(
        f"{progress.done} played, {progress.skipped} were there{before}, {progress.failed} failed."
    )
    if progress.first_error is not None:
        print(f"The first to fail: {progress.first_error}")
    if store.failed:
        print("What failed stays so under this name: a sweep of another name plays it again.")
    there = "" if runs == RUNS else f" --runs {runs}"
    print(f"Kept in {store.where}; `portsim board {name}{there}` compares the planners.")


def fetch(
    name: Annotated[str, typer.Argument(help="The name of a sweep kept elsewhere.")],
    source: Annotated[str, typer.Argument(metavar="FROM", help="The path or URL it is under.")],
    runs: Runs = RUNS,
    as_json: AsJson = False,
) -> None:
    """Copy a sweep's results here; again, and what is new is added."""
    from .place import joined
    from .store import read, settings_of

    there = joined(source, name)
    with open_store(runs, name, settings_of(there)) as store:
        before = len(store.done)
        for record in read(there):
            if record["job"] not in store.done:
                store.append(record)
    fetched = len(store.done) - before
    if as_json:
        say({"folder": str(store.where), "fetched": fetched, "skipped": before})
    else:
        print(f"{fetched} results fetched, {before} were there. Kept in {store.where}.")


def board(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Sweeps of one port.")],
    runs: Runs = RUNS,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="As Markdown tables.")] = False,
    picture: Annotated[
        Path | None, typer.Option(help="Also draw means and intervals into this PNG, SVG or PDF.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Who plans better, and by how much: means, intervals, paired differences."""
    from . import boardview
    from .board import board as drawn
    from .place import joined

    standings = drawn([joined(runs, name) for name in names])
    if picture is not None:
        boardview.picture(standings, picture)
    if as_json:
        print(standings.as_json())
    elif as_markdown:
        print(boardview.markdown(standings), end="")
    else:
        print(boardview.text(standings), end="")


def tune(
    name: Annotated[str, typer.Argument(help="The search's name: its folder under runs/.")],
    space: Annotated[
        list[str],
        typer.Option(help="A parameter's space: NAME=choice(1,8), NAME=uniform(0.5,2), or JSON."),
    ],
    planner: Annotated[
        str, typer.Option(help="A planner; parameters in [...] are the same in every trial.")
    ] = "rolling",
    port: Port = "live",
    weeks: Annotated[str | None, typer.Option(help="Week ids, separated by commas.")] = None,
    file: Annotated[Path | None, typer.Option(help="A file with a week id per line.")] = None,
    pack: Annotated[str, typer.Option(help="train, or eval.")] = "train",
    tier: Annotated[str | None, typer.Option(help="Only weeks of this tier.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many weeks, evenly spread.")] = 20,
    trials: Annotated[int, typer.Option(min=1, help="Settings to try; of a grid, how often.")] = 10,
    search: Annotated[str, typer.Option(help="random, or a searcher of ray.tune's.")] = "random",
    scheduler: Annotated[str, typer.Option(help="fifo, or a scheduler of ray.tune's.")] = "fifo",
    seed: int = 0,
    workers: Annotated[int | None, typer.Option(min=1, help="Trials at once.")] = None,
    address: Address = None,
    runs: Runs = RUNS,
    as_json: AsJson = False,
) -> None:
    """Search a planner's parameters with ray.tune for the highest mean reward."""
    from .on_ray import cluster
    from .sweep import select
    from .tune import Tuning, keep, parse_space, ready, spread, table
    from .tune import search as searched

    selected = spread(select(port, weeks=weeks, file=file, pack=pack, tier=tier), limit)
    spaces = parse_space(space)
    asked = Tuning(port, selected, planner, spaces, trials, search, scheduler, seed)
    ready(asked)
    with open_store(runs, name, asked.settings()) as store, cluster(address, workers):
        found = searched(asked, store.where, workers)
        keep(found, asked, store)
    if as_json:
        say({"folder": str(store.where), "trials": [asdict(trial) for trial in found]})
    else:
        print(table(found), end="")
        print(f"Kept in {store.where}.")


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command()(sweep)
    app.command()(fetch)
    app.command()(board)
    app.command()(tune)

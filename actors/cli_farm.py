"""The commands that do many jobs: `sweep` and `board`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from port.errors import PortsimError

from .cli_common import AsJson, Port, say

if TYPE_CHECKING:
    from .farm import Hands, Progress

LOG_EVERY_SECONDS = 10.0
"""How often progress is logged where there is no terminal to redraw."""

Workers = Annotated[
    int | None,
    typer.Option(min=0, help="Jobs at once: 0 in this process, else on Ray (all its cores)."),
]
Address = Annotated[
    str | None, typer.Option(help="A Ray cluster to join; otherwise one here, or a new one.")
]
Runs = Annotated[Path, typer.Option("--runs", help="Where stores of results are kept.")]


class FarmError(PortsimError):
    """A farm that was asked for nothing, or that has nowhere to work."""


class ProgressLine:
    """Progress on standard error: one line redrawn on a terminal, a plain log elsewhere."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._logged = 0.0

    def __call__(self, progress: Progress) -> None:
        if self._terminal:
            print(f"\r\x1b[K{self.text(progress)}", end="", file=sys.stderr, flush=True)
        elif progress.seconds - self._logged >= LOG_EVERY_SECONDS:
            self._logged = progress.seconds
            print(self.text(progress), file=sys.stderr, flush=True)

    def close(self, progress: Progress) -> None:
        print(("\r\x1b[K" if self._terminal else "") + self.text(progress), file=sys.stderr)

    @staticmethod
    def text(progress: Progress) -> str:
        total = "" if progress.total is None else f" of {progress.total}"
        parts = [
            f"{progress.done + progress.skipped}{total} done",
            f"{progress.running} running",
            f"{progress.failed} failed",
            f"{progress.rate:.1f}/s",
        ]
        if progress.seconds_left is not None and progress.running:
            parts.append(f"{progress.seconds_left:.0f} s left")
        if progress.mean_reward is not None:
            parts.append(f"mean reward {progress.mean_reward:.4f}")
        return ", ".join(parts)


@contextmanager
def hands(workers: int | None, address: str | None = None, cores: float = 1) -> Iterator[Hands]:
    """Who does the jobs: this process, or a cluster for as long as the block lasts."""
    if workers == 0:
        from .farm import ThisProcess

        yield ThisProcess()
        return
    from .crew import Crew
    from .on_ray import cluster

    with cluster(address=address):
        yield Crew(workers, cores)


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
    runs: Runs = Path("runs"),
    as_json: AsJson = False,
) -> None:
    """Play planners over weeks; the same command again plays what is missing."""
    from .farm import run
    from .planners.policy import load_policy
    from .run import check_runtime
    from .store import Store
    from .sweep import Sweep, jobs, parse_planner, select

    selected = select(port, weeks=weeks, file=file, pack=pack, tier=tier, every=every)
    asked = Sweep(
        port,
        selected,
        planners.split(),
        repetitions,
        seed,
        runtime,
        episode_cap_usd,
        total_cap_usd,
    )
    check_runtime(runtime)
    if not asked.planners:
        raise FarmError("no planner named; --planners 'naive rolling' plays two")
    for planner in asked.planners:
        load_policy(*parse_planner(planner))
    store = Store(runs / name, asked.settings())
    line = ProgressLine()
    with hands(workers, address) as crew:
        progress = run(jobs(asked), store, crew, line, total=asked.size)
    line.close(progress)
    store.close()
    if as_json:
        say(
            {
                "folder": str(runs / name),
                "done": progress.done,
                "skipped": progress.skipped,
                "failed": progress.failed,
                "retried": progress.retried,
                "repaired": store.repaired,
                "mean_reward": progress.mean_reward,
            }
        )
        return
    if store.repaired:
        print(f"Repaired {runs / name}: {store.repaired}")
    print(f"{progress.done} played, {progress.skipped} were there, {progress.failed} failed.")
    print(f"Kept in {runs / name}; `portsim board {name}` compares the planners.")


def board(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Sweeps of one port.")],
    runs: Runs = Path("runs"),
    as_markdown: Annotated[bool, typer.Option("--markdown", help="As Markdown tables.")] = False,
    picture: Annotated[
        Path | None, typer.Option(help="Also draw means and intervals into this PNG, SVG or PDF.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Who plans better, and by how much: means, intervals, paired differences."""
    from . import boardview
    from .board import board as drawn

    standings = drawn([runs / name for name in names])
    if picture is not None:
        boardview.picture(standings, picture)
    if as_json:
        print(standings.as_json())
    elif as_markdown:
        print(boardview.markdown(standings), end="")
    else:
        print(boardview.text(standings), end="")


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command()(sweep)
    app.command()(board)

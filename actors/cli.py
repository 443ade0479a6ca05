"""The command `portsim`. Each command imports only what it uses.

Exit codes: 0 all is well, 1 the week or journal is not sound, 2 the call was wrong (said in one
line, without a traceback), 130 interrupted, 141 nobody reads the output any more.
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, cast

import typer

from port.errors import PortsimError

from . import cli_farm, cli_references, cli_screen
from .cli_common import AsJson, Port, WeekId, output_for, say

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(
    name="portsim",
    help="Real weeks of the Port of Barcelona, played by actors and graded against a proven best.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

UNSOUND, WRONG_CALL, INTERRUPTED, NOBODY_READS = 1, 2, 130, 141
UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__base__)
"""click's, under whatever name typer carries click."""


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


@app.command()
def weeks(
    port: Port = "dock",
    tier: Annotated[str | None, typer.Option(help="Only weeks of this tier.")] = None,
    quay: Annotated[str | None, typer.Option(help="Only weeks at this quay: 24B or 36A.")] = None,
    match: Annotated[str | None, typer.Option(help="Only ids that contain this.")] = None,
    pack: Annotated[str, typer.Option(help="eval, or train.")] = "eval",
    statistics: Annotated[
        bool, typer.Option("--statistics", help="What a pack's weeks are like, tier by tier.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the weeks there are."""
    if statistics:
        if (tier, quay, match) != (None, None, None):
            raise typer.BadParameter("--statistics is of a whole pack: leave the filters out")
        _statistics(port, pack, as_json)
        return
    from port.packs import summaries

    found = [
        week
        for week in summaries(port, pack)
        if (tier is None or week.tier == tier)
        and (quay is None or week.quay == quay)
        and (match is None or match in week.id)
    ]
    if as_json:
        say({"port": port, "pack": pack, "weeks": [week._asdict() for week in found]})
        return
    print(f"{'week':<34}{'quay':<6}{'tier':<10}{'weeks':>5}{'ships':>7}{'events':>8}")
    for week in found:
        print(
            f"{week.id:<34}{week.quay:<6}{week.tier:<10}{week.weeks:>5}{week.ships:>7}"
            f"{week.events:>8}"
        )
    print(f"{len(found)} weeks. `portsim show WEEK` opens one, `portsim play WEEK` plays one.")


def _statistics(port: str, pack: str, as_json: bool) -> None:
    from port.statistics import statistics

    rows = statistics(port, pack)
    if as_json:
        say({"port": port, "pack": pack, "tiers": [row._asdict() for row in rows]})
        return
    print(
        f"{'tier':<10}{'weeks':>6}{'ships':>14}{'events':>8}{'naive':>8}{'greedy':>8}"
        f"{'optimum':>9}{'floor':>7}{'unavoidable':>13}"
    )
    for row in rows:
        ships = f"{row.ships:g} ({row.fewest_ships}-{row.most_ships})"
        print(
            f"{row.tier:<10}{row.weeks:>6}{ships:>14}{row.disruptions:>8g}{row.naive:>8.3f}"
            f"{row.greedy:>8.3f}{row.optimum:>9g}{row.floor:>7g}{row.unavoidable:>13.0%}"
        )
    kinds = rows[-1].kinds if rows else {}
    print("Events a week: " + ", ".join(f"{kind} {count}" for kind, count in kinds.items()))
    print("Ships, events, optimum and floor are medians; naive and greedy are mean rewards.")


@app.command()
def show(week_id: WeekId, port: Port = "dock", as_json: AsJson = False) -> None:
    """The situation at hour 0, as a planner reads it."""
    from actors.cast import cast
    from actors.inline import Inline
    from actors.journal import Journal
    from actors.planners.desk import Desk
    from actors.run import Request, heading
    from actors.stage import Session
    from port.packs import load_week

    week = load_week(week_id, port)
    journal = Journal(heading(Request(week_id, port, "show"), week))
    opened = Desk(Session(cast(week, port), Inline(), journal)).call("get_situation")
    if as_json:
        text, notices = opened["text"], opened["messages"]
        say({"week": week_id, "port": port, "situation": text, "messages": notices})
        return
    for notice in opened["messages"]:
        print(f"{notice['from']}: {notice['text']}")
    print()
    print(opened["text"], end="")


@app.command()
def play(
    week_id: WeekId,
    port: Port = "live",
    planner: Annotated[
        str, typer.Option(help="naive, greedy, rolling, or your own as module:function.")
    ] = "naive",
    runtime: Annotated[str, typer.Option(help="ray (a process a role) or inline.")] = "ray",
    out: Annotated[Path | None, typer.Option(help="Folder for the run (new or empty).")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A planner's parameter.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play a week: roles tell a planner their news, it confirms windows, the week is graded."""
    from actors.planners.policy import load_policy
    from actors.run import Request, company, kept, new_folder, parameters, result
    from actors.watching import Watcher, print_outcome
    from port.packs import load_week

    request = Request(week_id, port, planner, parameters(settings or []))
    load_week(week_id, port)
    console = _console()
    with output_for(as_json):
        load_policy(planner, request.parameters)
    with company(runtime) as players, output_for(as_json):
        folder = new_folder(request, out)
        if not as_json:
            console.print(f"{week_id} at the {port} port, planned by {planner}; roles: {runtime}")
        run = kept(request, players, folder, None if as_json else Watcher(console))
    if as_json:
        say({**result(run), "folder": str(folder)})
    else:
        print_outcome(console, run)
        console.print(f"Kept in {folder}; `portsim replay {folder}` plays it back.")
    if run.outcome.audit:
        raise typer.Exit(UNSOUND)


@app.command()
def check(
    week_id: WeekId,
    plan_file: Annotated[
        Path, typer.Argument(metavar="PLAN.json", help="A plan as agents send it.")
    ],
    port: Port = "dock",
    as_json: AsJson = False,
) -> None:
    """What a plan is worth on the week as it was."""
    from actors.planfile import graded, read_plan
    from actors.weeks import playable

    raw = read_plan(plan_file)
    verdict = graded(playable(week_id, port), raw)
    if as_json:
        say(verdict)
        return
    for text in verdict["unreadable"]:
        print(f"unreadable: {text}")
    for problem in verdict["problems"]:
        print(f"ship {problem['ship']} {problem['text']}")
    if verdict["feasible"]:
        print(f"Feasible, cost {verdict['cost']} ({verdict['moves']} ships moved).")
    else:
        print(f"Breaks rules: {verdict['clean_ships']} of {verdict['ships']} ships are clean.")
    print(f"Reward {verdict['reward']} (best known {verdict['best']}, floor {verdict['floor']})")


@app.command()
def replay(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder, or its journal.")],
    as_json: AsJson = False,
) -> None:
    """Play a journal back without the planner; fails at the first message that differs."""
    from actors.replay import ReplayError
    from actors.replay import replay as play_back

    try:
        replayed = play_back(run)
    except ReplayError as error:
        if as_json:
            say({"run": str(run), "same": False, "difference": str(error)})
        else:
            print(f"portsim: {error}", file=sys.stderr)
        raise typer.Exit(UNSOUND) from error
    reward = replayed.graded.reward if replayed.graded else None
    if as_json:
        whole = replayed.graded is not None
        say(
            {
                "run": str(run),
                "same": True,
                "lines": replayed.lines,
                "whole": whole,
                "reward": reward,
            }
        )
    elif replayed.graded:
        print(f"{replayed.heading.week}: {replayed.lines} lines, all the same; reward {reward}")
    else:
        print(
            f"{replayed.heading.week}: {replayed.lines} lines, all the same, up to where it "
            f"stopped; the week was not played to its end"
        )


cli_farm.register(app)
cli_references.register(app)
cli_screen.register(app)


def main() -> NoReturn:
    """Run the command and exit with its code. `PORTSIM_DEBUG=1` shows errors with traceback."""
    try:
        # typer returns the code of an Exit, and that of a Ctrl-C.
        code = app(sys.argv[1:] or ["--help"], standalone_mode=False) or 0
        if sys.stdout is not None:  # it may be closed, as by `>&-`
            sys.stdout.flush()
    except PortsimError as error:
        if os.environ.get("PORTSIM_DEBUG"):
            traceback.print_exc()
        _fail(str(error), WRONG_CALL)
    except UsageError as error:
        _fail(error.format_message(), WRONG_CALL)
    except typer.Exit as left:
        sys.exit(left.exit_code)
    except typer.Abort:
        _fail("interrupted", INTERRUPTED)
    except KeyboardInterrupt:
        _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        _drop_output()
        sys.exit(NOBODY_READS)
    except OSError as error:
        _drop_output()
        _fail(str(error), WRONG_CALL)
    if code == INTERRUPTED:
        _fail("interrupted", INTERRUPTED)
    sys.exit(code)


def _drop_output() -> None:
    """What is still to be written goes nowhere, or Python would try once more at its exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(text: str, code: int) -> NoReturn:
    print(f"portsim: {text}", file=sys.stderr)
    sys.exit(code)

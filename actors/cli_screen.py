"""The command `screen`."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from port.errors import PortsimError

from .cli_common import AsJson, say
from .cli_farm import RUNS, Address, Runs, Workers
from .cli_rows import Farm, Out, write_rows

if TYPE_CHECKING:
    from .store import Record

WHAT = ("candidates", "live", "marine", "pairs")


class ScreenError(PortsimError):
    """A screen that is not what was asked for, or that has nothing to try."""


def screen(
    name: Annotated[str, typer.Argument(help="The screen's name: its folder under runs/.")],
    what: Annotated[
        str,
        typer.Option(
            help="candidates: generated dock weeks; live, marine: training weeks of one week at "
            "that port; pairs: marine weeks in weather weeks."
        ),
    ] = "candidates",
    per_tier: Annotated[int, typer.Option(min=1, help="Candidates wanted of each tier.")] = 10,
    limit: Annotated[float, typer.Option(min=1, help="Deterministic seconds per proof.")] = 40.0,
    pack: Annotated[str, typer.Option(help="Pairs of which weeks: eval, or train.")] = "eval",
    first: Annotated[
        int | None, typer.Option(min=1, help="Try only so many, the first in the screen's order.")
    ] = None,
    out: Out = None,
    into: Annotated[
        Path | None,
        typer.Option(help="Also write what is kept as training weeks into this data/ folder."),
    ] = None,
    workers: Workers = None,
    address: Address = None,
    runs: Runs = RUNS,
    as_json: AsJson = False,
) -> None:
    """Solve candidate weeks and keep those worth playing; every candidate's fate is recorded."""
    if what not in WHAT:
        raise ScreenError(f"nothing is screened as {what!r}; there are {', '.join(WHAT)}")
    if into is not None and what == "pairs" and pack == "eval":
        raise ScreenError("pairs of evaluation weeks are no training weeks: use --pack train")
    from . import screens

    farm = Farm(name, runs, workers, address)
    if what == "candidates":
        rows = _candidates(farm, per_tier, limit)
    else:
        rows = _screened(farm, what, pack, limit, first)
    kept = [row for row in rows if row.get("kept") or row.get("qualifies")]
    options = {"per-tier": per_tier, "limit": limit, "pack": pack, "first": first}
    command = screens.command(what, options)
    if out is not None:
        write_rows(out, rows)
        screens.note(out, what, pack, f"{command} --out data/{out.parent.name}/{out.name}")
    if into is not None:
        screens.keep(into, what, kept, f"{command} --into data")
    pairs = what == "pairs" and pack == "eval"
    dealt = screens.dealt(row["id"] for row in kept) if pairs else []
    _tell(rows, kept, dealt, f"{runs}/{name}", as_json)


def _tell(
    rows: list[Record], kept: list[Record], dealt: list[str], where: str, as_json: bool
) -> None:
    ids = [row["id"] for row in kept]
    dropped = Counter(_short(row["reason"]) for row in rows if row["reason"] is not None)
    if as_json:
        say({"screened": len(rows), "kept": ids, "dealt": dealt, "dropped": dict(dropped)})
        return
    for week in ids:
        print(f"{week}{'  dealt' if week in dealt else ''}")
    for reason, count in dropped.most_common():
        print(f"{count:>5} dropped: {reason}")
    print(f"{len(kept)} of {len(rows)} kept. Kept in {where}.")


def _short(reason: str) -> str:
    """The reason without the week's own figures."""
    said = reason.partition(": ")[2] if reason.startswith("dock-") else reason
    return re.sub(r"\d+(\.\d+)?", "N", said.split(":")[0])


def _screened(farm: Farm, what: str, pack: str, limit: float, first: int | None) -> list[Record]:
    from .screens import fate, jobs, settings

    trying = jobs(what, pack, limit)[:first]
    if not trying:
        raise ScreenError(f"there are no weeks to screen as {what}: data/ has no pack for it")
    done = farm.records(settings(what, pack, limit), trying, len(trying))
    records = {record["job"]: record for record in done}
    return [fate(records[job.id]) for job in trying]


def _candidates(farm: Farm, per_tier: int, limit: float) -> list[Record]:
    from .screen import Quota, Screen, chosen
    from .screens import fate

    wanted = Screen(per_tier, limit=limit)
    quota = Quota(wanted)
    settings = {"screen": "candidates", **wanted.settings()}
    records = farm.records(settings, quota.jobs(), heed=quota.count, before=quota.remember)
    return chosen(wanted, [fate(record) for record in records])


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(screen)

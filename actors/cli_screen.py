"""The commands that solve: `references` and `screen`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from port.errors import PortsimError

from .cli_common import AsJson, Port, say
from .cli_farm import RUNS, Address, ProgressLine, Runs, Workers, hands, open_store

if TYPE_CHECKING:
    from .farm import Job, Progress
    from .store import Record, Store

Out = Annotated[
    Path | None, typer.Option(help="Also write the rows into this file, one JSON object a line.")
]


class ScreenError(PortsimError):
    """A screen or a set of references that is not what was asked for."""


def _farmed(
    jobs: Iterable[Job], store: Store, workers: int | None, address: str | None, total: int | None
) -> Progress:
    from .farm import run

    line = ProgressLine()
    with hands(workers, address) as crew:
        progress = run(jobs, store, crew, line, total)
    line.close(progress)
    store.close()
    return progress


def _results(runs: str, name: str) -> list[Record]:
    from .place import joined
    from .store import read

    return list(read(joined(runs, name)))


def references(
    port: Port = "live",
    weeks: Annotated[str | None, typer.Option(help="Week ids, separated by commas.")] = None,
    out: Out = None,
    workers: Workers = None,
    address: Address = None,
    runs: Runs = RUNS,
    as_json: AsJson = False,
) -> None:
    """Compute and store what hindsight, re-planners, greedy and naive get; say who qualifies."""
    from .farm import Job
    from .sweep import select

    ids = select(port, weeks=weeks, every=True)
    name = f"references-{port}"
    store = open_store(runs, name, {"references": port})
    jobs = [Job("reference", {"week": week, "port": port}) for week in ids]
    _farmed(jobs, store, workers, address, len(jobs))
    by_week = {record["fields"]["week"]: record for record in _results(runs, name)}
    rows, failed = [], []
    for week in ids:
        record = by_week[week]
        if record["error"] is None:
            rows.append(record["result"])
        else:
            failed.append(f"{week}: {record['error']}")
    if out is not None and not failed:
        _write_rows(out, rows)
        _note_references(out, port)
    if as_json:
        say({"port": port, "weeks": rows, "failed": failed})
    else:
        for row in rows:
            print(_reference_text(row))
        for text in failed:
            print(f"failed: {text}")
    if failed:
        raise typer.Exit(1)


def _reference_text(row: Mapping[str, Any]) -> str:
    parts = [f"{row['id']:<30} optimum {row['optimum']}{'' if row['proven'] else ' (not proved)'}"]
    if "anchor" in row:
        parts.append(f"anchor {row['anchor']}")
    for name in ("rolling", "blind", "hold"):
        if name in row:
            costs = ", ".join("-" if p["cost"] is None else str(p["cost"]) for p in row[name])
            parts.append(f"{name} {costs}")
    for name in ("naive", "greedy"):
        cost = row[name]["cost"]
        parts.append(f"{name} {'-' if cost is None else cost} ({row[name]['reward']})")
    if "qualifies" in row:
        parts.append("qualifies" if row["qualifies"] else "does not qualify")
    return "  ".join(parts)


def _write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows]
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(path.suffix + ".new")
    draft.write_text("".join(lines), encoding="utf-8")
    draft.replace(path)


def _note_references(path: Path, port: str) -> None:
    """Say beside the rows what they were made from."""
    from port.build.manifest import note_derived
    from port.packs import DATA, EVAL, WEATHER

    files = [EVAL.dock]
    files += [EVAL.marine] if port in ("marine", "wind") else []
    files += [WEATHER] if port == "wind" else []
    command = f"portsim references --port {port} --out data/references/{port}.jsonl"
    note_derived(path, {name: DATA / name for name in files}, command)


What = Literal["candidates", "live", "marine", "pairs"]


def screen(
    name: Annotated[str, typer.Argument(help="The screen's name: its folder under runs/.")],
    what: Annotated[
        What,
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
    if into is not None and what == "pairs" and pack == "eval":
        raise ScreenError("pairs of evaluation weeks are no training weeks: use --pack train")
    if what == "candidates":
        rows = _candidates(name, per_tier, limit, workers, address, runs)
    else:
        jobs = _pairs(pack) if what == "pairs" else _training(what, limit)
        settings = {"screen": what, **_settings(what, pack, limit)}
        rows = _screened(name, settings, jobs[:first], workers, address, runs)
    kept = [row for row in rows if row.get("kept") or row.get("qualifies")]
    if out is not None:
        _write_rows(out, rows)
        _note_screen(out, what, pack)
    if into is not None:
        _keep_weeks(into, what, kept, f"portsim screen {name} --what {what} --into data")
    dealt = _dealt(row["id"] for row in kept) if what == "pairs" and pack == "eval" else []
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
    return re.sub(r"\d+(\.\d+)?", "N", said.split(":")[0].split(",")[0])


def _pairs(pack: str) -> list[Job]:
    from port.packs import wind_pairs

    from .farm import Job

    pairs = wind_pairs(pack)
    if pack != "eval":
        pairs.sort(key=lambda pair: _shuffled(pair.rpartition("-")[0]))
    return [Job("pair", {"week": week}) for week in pairs]


def _training(port: str, limit: float) -> list[Job]:
    """The training weeks of one week, each tier and quay among the first."""
    from port.packs import summaries

    from .farm import Job

    ids = [week.id for week in summaries("dock", "train") if week.weeks == 1]
    fields = _settings(port, "train", limit)
    return [Job(port, {"week": week} | fields) for week in sorted(ids, key=_shuffled)]


def _shuffled(week_id: str) -> str:
    from .journal import digest

    return digest(week_id)


def _settings(what: str, pack: str, limit: float) -> dict[str, Any]:
    """What a screen's jobs depend on besides the week."""
    if what == "pairs":
        return {"pack": pack}
    return {"limit": limit} if what == "marine" else {}


def _screened(
    name: str,
    settings: Mapping[str, Any],
    jobs: Sequence[Job],
    workers: int | None,
    address: str | None,
    runs: str,
) -> list[Record]:
    if not jobs:
        raise ScreenError("there are no weeks to screen: data/ has no training weeks of that kind")
    store = open_store(runs, name, dict(settings))
    _farmed(jobs, store, workers, address, len(jobs))
    records = {record["job"]: record for record in _results(runs, name)}
    return [_fate(records[job.id]) for job in jobs]


def _note_screen(path: Path, what: str, pack: str) -> None:
    """Say beside the rows what they were made from."""
    from port.build.manifest import note_derived
    from port.build.record import CALLS
    from port.packs import DATA, PACKS, TRAFFIC, WEATHER

    weeks = PACKS[pack if what == "pairs" else "train"]
    files = {
        "candidates": [CALLS],
        "live": [weeks.dock],
        "marine": [weeks.dock, TRAFFIC],
        "pairs": [weeks.dock, weeks.marine, WEATHER],
    }[what]
    command = f"portsim screen NAME --what {what} --out {path.name}"
    note_derived(path, {name: DATA / name for name in files}, command)


def _keep_weeks(data: Path, what: str, kept: Iterable[Record], command: str) -> None:
    from port.build.train import keep_pack, pack_files

    from .training import pack_lines

    keep_pack(pack_files(pack_lines(what, kept), command), data)


def _dealt(kept: Iterable[str]) -> list[str]:
    """The wind weeks picked from the pairs that qualify."""
    from port.packs import qualifying, weather_kinds
    from references.screen import deal

    kinds = weather_kinds()
    pairs = frozenset((week.rpartition("-")[0], week.rpartition("-")[2]) for week in kept)
    picked = deal(
        qualifying("marine"),
        [weather for weather, kind in kinds.items() if kind == "storm"],
        [weather for weather, kind in kinds.items() if kind == "false_alarm"],
        pairs,
    )
    return [f"{week}-{weather}" for week, weather in picked]


def _candidates(
    name: str, per_tier: int, limit: float, workers: int | None, address: str | None, runs: str
) -> list[Record]:
    from .farm import run
    from .screen import Quota, Screen, chosen

    wanted = Screen(per_tier, limit=limit)
    store = open_store(runs, name, {"screen": "candidates", **wanted.settings()})
    quota = Quota(wanted, _results(runs, name))
    line = ProgressLine()
    with hands(workers, address) as crew:
        progress = run(quota.jobs(), store, crew, line, heed=quota.count)
    line.close(progress)
    store.close()
    return chosen(wanted, [_fate(record) for record in _results(runs, name)])


def _fate(record: Record) -> Record:
    """A candidate's row; one whose job failed is there with the reason."""
    if record["error"] is None:
        row: Record = record["result"]
        return row
    return {"id": _identity(record), "kept": False, "qualifies": False, "reason": record["error"]}


def _identity(record: Record) -> str:
    fields = record["fields"]
    if record["work"] != "candidate":
        return str(fields["week"])
    from port.build.recipe import Recipe

    return Recipe(*(fields[name] for name in ("quay", "week", "weeks", "tier", "seed"))).id


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command()(references)
    app.command()(screen)

"""The command `references`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from .cli_common import AsJson, Port, say
from .cli_farm import RUNS, Address, Runs, Workers
from .cli_rows import Farm, Out, write_rows


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
    jobs = [Job("reference", {"week": week, "port": port}) for week in ids]
    farm = Farm(f"references-{port}", runs, workers, address)
    records = farm.records({"references": port}, jobs, len(jobs))
    by_week = {record["fields"]["week"]: record for record in records}
    rows, failed = [], []
    for week in ids:
        record = by_week[week]
        if record["error"] is None:
            rows.append(record["result"])
        else:
            failed.append(f"{week}: {record['error']}")
    if out is not None and not failed:
        write_rows(out, rows)
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


def _note_references(path: Path, port: str) -> None:
    """Say beside the rows what they were made from."""
    from port.build.manifest import note_derived
    from port.packs import DATA, EVAL, WEATHER

    files = [EVAL.dock]
    files += [EVAL.marine] if port in ("marine", "wind") else []
    files += [WEATHER] if port == "wind" else []
    command = f"portsim references --port {port} --out data/references/{port}.jsonl"
    note_derived(path, {name: DATA / name for name in files}, command)


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(references)

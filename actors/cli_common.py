"""What do the commands share? Options of the same meaning, and JSON on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from typing import Annotated, Any

import typer

AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]
Port = Annotated[str, typer.Option("--port", help="Which port: dock, live, marine or wind.")]
WeekId = Annotated[str, typer.Argument(metavar="WEEK", help="A week's id, as in `portsim weeks`.")]


def output_for(as_json: bool) -> AbstractContextManager[object]:
    """While a planner plays: what it prints is not part of the command's one JSON object."""
    return redirect_stdout(sys.stderr) if as_json else nullcontext()


def say(value: Mapping[str, Any]) -> None:
    """The command's one JSON object."""
    print(json.dumps(value, ensure_ascii=False))

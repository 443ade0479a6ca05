"""What do the commands share? Options of the same meaning, and JSON on standard output."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer

AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]
Port = Annotated[str, typer.Option("--port", help="Which port: dock, live, marine or wind.")]
WeekId = Annotated[str, typer.Argument(metavar="WEEK", help="A week's id, as in `portsim weeks`.")]


def say(value: Mapping[str, Any]) -> None:
    """The command's one JSON object."""
    print(json.dumps(value, ensure_ascii=False))

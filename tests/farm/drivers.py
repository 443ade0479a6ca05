"""Sweeps as a user runs them: `python -m actors sweep ...` in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WEEKS = ("dock-24B-w07x1-busy-0", "dock-36A-w05x1-busy-0", "dock-24B-w06x1-busy-0")
DEADLINE_SECONDS = 240.0
"""Long: a machine that runs other tests besides is slow to start and to end Ray."""
MARK = "PORTSIM_TEST_DRIVER"


def environment(**more: str) -> dict[str, str]:
    """The environment of a driver that finds no cluster but the one it is told of."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    return kept | {"RAY_ADDRESS": "local", "PYTHONPATH": str(ROOT)} | more


class Driver:
    """A running command. Everything it starts carries its mark in the environment."""

    def __init__(self, *words: str | Path, **more: str) -> None:
        self.mark = uuid.uuid4().hex
        self.process = subprocess.Popen(
            [sys.executable, "-m", "actors", *map(str, words)],
            cwd=ROOT,
            env=environment(**{MARK: self.mark}, **more),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def end(self) -> subprocess.CompletedProcess[str]:
        out, told = self.process.communicate(timeout=DEADLINE_SECONDS)
        return subprocess.CompletedProcess(self.process.args, self.process.returncode, out, told)

    def left(self) -> list[str]:
        """What it started that still runs, itself included."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                marked = f"{MARK}={self.mark}".encode() in (process / "environ").read_bytes()
                if marked:
                    found.append((process / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue
        return [command for command in found if command.strip()]


def sweep(*words: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
    return Driver("sweep", *words, **more).end()


def eventually(what: Callable[[], bool], told: str) -> None:
    """Wait for something another process does."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not what():
        assert time.monotonic() < deadline, told
        time.sleep(0.02)


def lines(store: Path) -> list[dict[str, object]]:
    """Every line of a store, duplicates too."""
    return [json.loads(line) for line in (store / "results.jsonl").read_text().splitlines()]


def results(store: Path) -> Mapping[tuple[str, str], object]:
    """What each week and planner came to, for comparison between stores; each must be there once.

    The planner's parameters, which name a test's folder, are left out.
    """
    found: dict[tuple[str, str], object] = {}
    for record in lines(store):
        fields, result = record["fields"], record["result"]
        assert isinstance(fields, dict)
        key = fields["week"], fields["planner"]
        assert key not in found, f"{key} is there twice"
        if isinstance(result, dict):
            left_out = ("parameters", "journal")
            result = {name: value for name, value in result.items() if name not in left_out}
        found[key] = result
    return found

"""Planners that get in the farm's way: each plans like naive once it is let to."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from port.view import View
from references.naive import naive

DEADLINE_SECONDS = 240.0


class Held:
    """Says where it is and waits until the folder has a file called `open`."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def __call__(self, view: View) -> object:
        (self._folder / f"at-{os.getpid()}").touch()
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not (self._folder / "open").exists():
            if time.monotonic() > deadline:
                raise TimeoutError("nobody opened")
            time.sleep(0.01)
        return naive(view)


class Deadly:
    """Kills its own process, until the folder says it has been killed so many times."""

    def __init__(self, folder: str, times: int) -> None:
        self._folder, self._times = Path(folder), times

    def __call__(self, view: View) -> object:
        deaths = len(list(self._folder.glob("death-*")))
        if deaths < self._times:
            (self._folder / f"death-{deaths}").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return naive(view)


def wrong(view: View) -> object:
    raise ValueError("no berth \ud800 will do\n" + "x" * 5000)


def leaves(view: View) -> object:
    sys.exit(3)


class Partial:
    """Plans like naive on every watch but the first `skipped`, and fails at a negative number."""

    def __init__(self, skipped: int = 0) -> None:
        self._skipped = skipped

    def __call__(self, view: View) -> object:
        if self._skipped < 0:
            raise ValueError(f"cannot skip {self._skipped} watches")
        return {} if view.watch < self._skipped else naive(view)

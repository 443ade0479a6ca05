"""Which kinds of job are there? Each by name, with the function that does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from .store import Record

WORKS: Mapping[str, str] = {
    "play": "actors.sweep:play_job",
}


def do(work: str, fields: Mapping[str, Any]) -> tuple[Record | None, str | None]:
    """A job's result, or the error it failed with by its own fault.

    Whatever a planner raises is its result, too: it must not stop the thousand jobs after it.
    """
    try:
        return _function(work)(fields), None
    except Exception as error:  # noqa: BLE001 - kept as the job's record, never swallowed
        return None, f"{type(error).__name__}: {error}"


def _function(work: str) -> Callable[[Mapping[str, Any]], Record]:
    module, _, name = WORKS[work].partition(":")
    function: Callable[[Mapping[str, Any]], Record] = getattr(import_module(module), name)
    return function

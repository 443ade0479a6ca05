"""Which kinds of job are there? Each by name, with the function that does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from port.errors import told

from .store import Record

WORKS: Mapping[str, str] = {
    "play": "actors.sweep:play_job",
    "candidate": "actors.screen:candidate_job",
    "live": "actors.training:live_job",
    "marine": "actors.training:marine_job",
    "pair": "actors.reference_jobs:pair_job",
    "reference": "actors.reference_jobs:reference_job",
}
LONGEST_ERROR = 2000
"""Characters of an error that are kept: a planner may put a whole plan into its message."""


def do(
    work: str, fields: Mapping[str, Any], through: tuple[type[BaseException], ...] = ()
) -> tuple[Record | None, str | None]:
    """A job's result, or the error it failed with by its own fault.

    Whatever a planner raises is its result, too: it must not stop the thousand jobs after it.
    Errors in `through`, which are not the job's own, are raised.
    """
    try:
        return _function(work)(fields), None
    except through:
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - kept as the job's record
        return None, told(error)[:LONGEST_ERROR]


def _function(work: str) -> Callable[[Mapping[str, Any]], Record]:
    module, _, name = WORKS[work].partition(":")
    function: Callable[[Mapping[str, Any]], Record] = getattr(import_module(module), name)
    return function

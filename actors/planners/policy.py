"""How does a function of the known week play a week? And which functions are there by name?

A policy is anything that takes a `View` and returns windows: a dict ``{ship: (hour, section,
cranes)}``, or the list or JSON text an agent would send. A class is made once per week and may
remember what it saw.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from actors.stage import Session
from port.errors import PortsimError, told
from port.view import View

from .desk import Desk

Policy: TypeAlias = Callable[[View], object]

BUILT_IN: Mapping[str, str] = {
    "naive": "references.naive:naive",
    "greedy": "references.greedy:greedy",
    "rolling": "references.replan:Rolling",
    "blind": "references.replan:Blind",
    "hold": "references.replan:Hold",
}


class PlannerError(PortsimError):
    """A planner that cannot be found, or that failed while it planned."""


def load_policy(
    name: str, parameters: Mapping[str, Any] | None = None, seed: int | None = None
) -> Policy:
    """A policy by name, or by `module:function` (or `module:Class`) on the path or in this folder.

    `parameters` are handed to a class when it is made; a function takes none. A class with a
    parameter `seed` is given `seed` there, unless the parameters name one.
    """
    target = BUILT_IN.get(name, name)
    module_name, _, attribute = target.partition(":")
    if not module_name or not attribute:
        near = difflib.get_close_matches(name, BUILT_IN, n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else "."
        raise PlannerError(
            f"no planner {name!r}{hint} There are {', '.join(BUILT_IN)}, or module:function."
        )
    found = _imported(name, module_name, attribute)
    if inspect.isclass(found):
        return _made(name, found, _seeded(found, dict(parameters or {}), seed))
    if parameters:
        raise PlannerError(f"planner {name!r} is a function and takes no parameters")
    if not callable(found):
        raise PlannerError(f"planner {name!r} is a {type(found).__name__}, not a function")
    policy: Policy = found
    return policy


def _imported(name: str, module_name: str, attribute: str) -> Any:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        hint = "; name the module, not its file" if module_name.endswith(".py") else ""
        raise PlannerError(
            f"planner {name!r}: cannot import {module_name!r}: {error}{hint}"
        ) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PlannerError(f"planner {name!r}: importing it failed: {_cause(error)}") from error
    try:
        return getattr(module, attribute)
    except AttributeError:
        raise PlannerError(f"planner {name!r}: {module_name} has no {attribute!r}") from None


def _seeded(policy_class: type, parameters: dict[str, Any], seed: int | None) -> dict[str, Any]:
    signature = _signature(policy_class)
    if seed is None or signature is None or "seed" not in signature.parameters:
        return parameters
    return {"seed": seed} | parameters


def _signature(policy_class: type) -> inspect.Signature | None:
    try:
        return inspect.signature(policy_class)
    except (TypeError, ValueError):
        return None  # a class of Python's own may have none


def _made(name: str, policy_class: type, parameters: dict[str, Any]) -> Policy:
    try:
        policy: Policy = policy_class(**parameters)
    except TypeError as error:
        takes = f"it takes {_signature(policy_class) or 'something else'}"
        raise PlannerError(f"planner {name!r}: {error}; {takes}") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PlannerError(f"planner {name!r} was not made: {_cause(error)}") from error
    if not callable(policy):
        raise PlannerError(f"planner {name!r}: a {policy_class.__name__} cannot be called")
    return policy


def plan_week(policy: Policy, session: Session, name: str = "a policy") -> None:
    """Play a week with a policy: at every watch its windows are confirmed, then time advances.

    Raises PlannerError when the policy raises, naming it, the watch and what it raised.
    """
    desk = Desk(session)
    while not desk.done:
        windows = _planned(policy, desk.view(), name)
        if desk.week.unfolds:
            desk.confirm_berths(windows)
            desk.advance()
        else:
            desk.submit_plan(windows)


def _planned(policy: Policy, view: View, name: str) -> object:
    try:
        return policy(view)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PlannerError(
            f"planner {name!r} failed at watch {view.watch} (hour {view.hour}): {_cause(error)}"
        ) from error


def _cause(error: BaseException) -> str:
    """An error of somebody else's code in a line: what it is, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not frame.filename.startswith("<frozen")]
    where = f" ({theirs[-1].filename}, line {theirs[-1].lineno})" if theirs else ""
    return f"{told(error)}{where}"

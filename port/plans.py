"""What did an agent send for a plan: its berth windows, and what could not be read of it?

Nothing an agent sends raises here, and nothing is dropped without a word: what is no berth window
becomes a problem text. Texts and work are bounded whatever is sent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any, TypeAlias

from .errors import PortsimError, told
from .model import MAX_HOUR, Berth, Plan, Ship, Week

MAX_TEXT = 1_000_000
"""Characters of a plan sent as text. Sixty ships, set out generously, take 10,000."""
MAX_ENTRIES = 1_000
"""Entries read of a plan; whatever follows is one more problem."""
QUOTED = 80
"""Characters of a sent value that a problem text repeats."""
LAYERS = 4
"""Wrappings taken off: a `{"plan": ...}` in a JSON string in a `{"plan": ...}`, as models do."""

SHAPE = 'a list of {"ship", "berth_hour", "section", "cranes"}'

Row: TypeAlias = dict[str, int]

_LANGUAGE = re.compile(r'[ \t]*[A-Za-z][\w+.-]*(?=[\s[{"])')
"""What a code fence says it holds, as in ```json."""


class UnreadableError(PortsimError):
    """Why a value is no berth window, or no plan. `parse_plan` turns it into a problem text."""


class _Repeated(dict[str, Any]):
    """A JSON object that gives a key twice, so that it says two things."""


def parse_plan(week: Week, raw: object) -> tuple[dict[int, Berth], list[str]]:
    """The berth windows in `raw`, by ship id, and one text per entry that could not be read.

    Read are a list of `{"ship", "berth_hour", "section", "cranes"}`, the same as a JSON string
    (in a code fence too), either wrapped as `{"plan": ...}`, and a mapping of ships to
    `(hour, section, cranes)`, as policies return. Ships go by id or by exact name, where only one
    ship bears it. `cranes` left out, or null, are the ship's standard ones. Other keys are
    ignored. Numbers must be whole: 3.0 is taken for 3, since JSON has one kind of number, but
    3.5, true, "3" and NaN are no hours. None may be beyond +-MAX_HOUR.

    A plan that cannot be read at all is one problem and an empty plan. Whether the windows are
    allowed is for `check` to say.
    """
    plan: dict[int, Berth] = {}
    problems: list[str] = []
    try:
        _read(week, raw, plan, problems)
    except UnreadableError as why:
        problems.append(str(why))
    except Exception as error:  # noqa: BLE001 - a policy may send objects that fail when looked at
        problems.append(f"the plan cannot be read: {told(error)[:QUOTED]}")
    return plan, problems


def _read(week: Week, raw: object, plan: dict[int, Berth], problems: list[str]) -> None:
    sent = _unwrapped(raw)
    ships = _Names(week)
    for place, (key, entry) in enumerate(_entries(sent)):
        if place == MAX_ENTRIES:
            problems.append(f"the plan has {len(sent)} entries; only {MAX_ENTRIES} are read")
            break
        try:
            ship, berth = _window(ships, key, entry)
            if ship.id in plan:
                raise UnreadableError(f"ship {ship.id} ({ship.name}) is there already")
            plan[ship.id] = berth
        except UnreadableError as why:
            problems.append(f"entry {place + 1}: {why}")


def plan_rows(plan: Plan) -> list[Row]:
    """The plan as JSON has it, by ship id: what files and messages carry, and agents send."""
    return [
        {"ship": ship, "berth_hour": hour, "section": section, "cranes": cranes}
        for ship, (hour, section, cranes) in sorted(plan.items())
    ]


# ---- from what was sent to its entries -------------------------------------------------------


def _unwrapped(raw: object) -> Sequence[object] | Mapping[object, object]:
    """The list or the mapping inside its JSON, its fence and its `{"plan": ...}`."""
    for _ in range(LAYERS):
        if isinstance(raw, str):
            raw = _decoded(raw)
        elif isinstance(raw, _Repeated):
            raise UnreadableError("the plan gives the same key twice")
        elif isinstance(raw, Mapping):
            if "plan" not in raw:
                return _ships_mapping(raw)
            raw = raw["plan"]
        elif isinstance(raw, list | tuple):
            return raw
        else:
            break
    raise UnreadableError(f"a plan is {SHAPE}, not {quoted(raw)}")


def _ships_mapping(raw: Mapping[object, object]) -> Mapping[object, object]:
    if raw and not any(isinstance(_listed(value), list | tuple) for value in raw.values()):
        raise UnreadableError(f"a plan is {SHAPE}, not {quoted(raw)}")
    return raw


def _decoded(text: str) -> object:
    if len(text) > MAX_TEXT:
        raise UnreadableError(
            f"the plan is {len(text)} characters long; at most {MAX_TEXT} are read"
        )
    inside = _unfenced(text).lstrip("\ufeff")
    try:
        return json.loads(inside, object_pairs_hook=_object, parse_int=_number)
    except RecursionError:
        raise UnreadableError("the plan's JSON is nested too deep") from None
    except ValueError as error:
        why = str(error)[:QUOTED]
        raise UnreadableError(f"the plan is no JSON ({why}): {quoted(inside.strip())}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    whole = dict(pairs)
    return whole if len(whole) == len(pairs) else _Repeated(whole)


def _number(digits: str) -> int | str:
    """A number; or, where it is too long for Python to read, its digits, which are no number."""
    return int(digits) if len(digits) <= QUOTED else digits


def _unfenced(text: str) -> str:
    """What is inside the text's only code fence, or the text itself if it has none."""
    before, fence, rest = text.partition("```")
    if not fence or before.lstrip()[:1] in ("[", "{", '"'):
        return text
    inside, closed, after = rest.partition("```")
    if closed and "```" in after:
        raise UnreadableError("the text has several code fences; which one is the plan?")
    language = _LANGUAGE.match(inside)
    return inside[language.end() :] if language else inside


def _entries(
    sent: Sequence[object] | Mapping[object, object],
) -> Iterator[tuple[object, object]]:
    """Pairs of the key of a mapping's entry (None in a list) and the entry."""
    if isinstance(sent, Mapping):
        yield from sent.items()
    else:
        for entry in sent:
            yield None, entry


# ---- from an entry to a berth window ---------------------------------------------------------


class _Names:
    """Which ship of the week an agent means."""

    def __init__(self, week: Week) -> None:
        self._by_id = week.by_id
        self._by_text = {str(ship.id): ship for ship in week.ships}
        self._by_name: dict[str, list[Ship]] = {}
        for ship in week.ships:
            self._by_name.setdefault(ship.name, []).append(ship)

    def ship(self, asked: object) -> Ship:
        if isinstance(asked, str):
            return self._named(asked)
        ship = self._by_id.get(whole(asked, "ship"))
        if ship is None:
            raise UnreadableError(f"there is no ship {quoted(asked)} in the week")
        return ship

    def _named(self, asked: str) -> Ship:
        """The only ship of this name, or of the id the text spells."""
        ships = self._by_name.get(asked, [])
        if len(ships) > 1:
            ids = ", ".join(str(ship.id) for ship in ships)
            raise UnreadableError(f"the name {quoted(asked)} is that of ships {ids}; give the id")
        if ships:
            return ships[0]
        if asked in self._by_text:
            return self._by_text[asked]
        raise UnreadableError(f"there is no ship {quoted(asked)} in the week")


def _window(ships: _Names, key: object, entry: object) -> tuple[Ship, Berth]:
    """The ship and berth window of one entry; `key` is its ship if it comes from a mapping."""
    if key is not None:
        ship, entry = ships.ship(key), _listed(entry)
        if not isinstance(entry, list | tuple) or len(entry) != len(Berth._fields):
            raise UnreadableError(f"ship {ship.id} has no (hour, section, cranes): {quoted(entry)}")
        return ship, _berth(*entry)
    if not isinstance(entry, Mapping):
        raise UnreadableError(f"it is no object with ship, berth_hour and section: {quoted(entry)}")
    if isinstance(entry, _Repeated):
        raise UnreadableError("it gives the same key twice")
    for field in ("ship", "berth_hour", "section"):
        if field not in entry:
            raise UnreadableError(f"it has no {field}: {quoted(entry)}")
    ship = ships.ship(entry["ship"])
    cranes = entry.get("cranes")
    standard = ship.standard if cranes is None else cranes
    return ship, _berth(entry["berth_hour"], entry["section"], standard)


def _listed(value: object) -> object:
    """A numpy array as a list, without loading numpy to know it."""
    tolist = getattr(value, "tolist", None)
    return tolist() if callable(tolist) else value


def _berth(hour: object, section: object, cranes: object) -> Berth:
    return Berth(whole(hour, "berth_hour"), whole(section, "section"), whole(cranes, "cranes"))


def whole(value: object, what: str) -> int:
    """`value` as a whole number within +-MAX_HOUR. Errors name `what` it was for."""
    number = _integer(value)
    if number is None:
        raise UnreadableError(f"{what} must be a whole number, not {quoted(value)}")
    if abs(number) > MAX_HOUR:
        raise UnreadableError(f"{what} must be within +-{MAX_HOUR}, not {quoted(value)}")
    return number


def _integer(value: object) -> int | None:
    """Any kind of integer but a boolean, and a float that is one; else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, Integral):
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else None


def quoted(value: object) -> str:
    """A sent value for a problem text: short, of one line, and free of lone surrogates."""
    if isinstance(value, str):
        text = repr(value[:QUOTED])
        return text if len(value) <= QUOTED else f"{text}... ({len(value)} characters)"
    if isinstance(value, int) and value.bit_length() > 4 * QUOTED:
        return f"a number of {value.bit_length()} bits"
    if value is None or isinstance(value, int | float):
        return str(value)
    if isinstance(value, Mapping):
        keys = ", ".join(quoted(key) for key, _ in zip(value, range(4), strict=False))
        return f"an object of {len(value)} keys ({keys})"[: 2 * QUOTED]
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    return f"a value of type {ascii(type(value).__name__)[1:-1][:QUOTED]}"

"""What does a line of a data file say, and is it what its schema wants?

Every file of `data/` holds a JSON object a line, its `id` first, so that one line can be found
without reading the others. A file whose name ends in `.gz` is that, compressed.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Hashable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from pydantic import ConfigDict, TypeAdapter, ValidationError

from .errors import WeekError

STRICT = ConfigDict(strict=True, extra="forbid")
"""No coercion (true is no hour, "7" no number) and no field the schema does not have."""

_SHOWN = 3
"""Mistakes named in one error; a line with a wrong field often has several."""

_FILES = 32
"""Files whose lines are remembered: `data/` has fewer."""

T = TypeVar("T")


class Line(NamedTuple):
    """A line of a file, and where it stands."""

    path: Path
    number: int
    text: str

    @property
    def place(self) -> str:
        return f"{self.path}:{self.number}"


def lines(path: Path) -> tuple[Line, ...]:
    """The lines of a file that are not blank. Raises WeekError when it cannot be read."""
    return _lines(*_version(path))


def index(path: Path) -> dict[str, Line]:
    """The lines by id, found by their leading ``{"id":"..."`` without reading the rest.

    Raises WeekError for a line that starts otherwise and for an id that is there twice.
    """
    return dict(_index(*_version(path)))


def line_of(path: Path, row_id: str) -> Line | None:
    """The line of that id, or None when the file has none."""
    return index(path).get(row_id)


def row(line: Line) -> dict[str, Any]:
    """The line as plain JSON, unchecked. Raises WeekError when it is no JSON object."""
    try:
        found = json.loads(line.text)
    except ValueError as error:
        raise WeekError(f"{line.place}: broken JSON: {error}") from error
    if not isinstance(found, dict):
        raise WeekError(f"{line.place}: must be a JSON object, got {line.text[:40]!r}")
    return found


def parse(schema: type[T], line: Line) -> T:
    """The line, validated. Raises WeekError naming the file, line, field and value."""
    adapter: TypeAdapter[T] = _adapter(cast(Hashable, schema))
    try:
        return adapter.validate_json(line.text)
    except ValidationError as error:
        mistakes = [_mistake(dict(e)) for e in error.errors(include_url=False)]
    more = f" (and {len(mistakes) - _SHOWN} more)" if len(mistakes) > _SHOWN else ""
    raise WeekError(f"{line.place}: {'; '.join(mistakes[:_SHOWN])}{more}")


def dumps(value: Any) -> str:
    """Compact JSON; dataclasses become objects without the fields at their default."""
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _version(path: Path) -> tuple[Path, int, int]:
    """The file as it is now: what is remembered of it holds until it is written again."""
    try:
        stat = path.stat()
    except OSError as error:
        raise WeekError(f"{path}: cannot be read: {error.strerror}") from error
    return path, stat.st_mtime_ns, stat.st_size


def compressed(text: str) -> bytes:
    """The content of a `.gz` file with this text: the same text gives the same bytes."""
    return gzip.compress(text.encode(), mtime=0)


def _text(path: Path) -> str:
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()


@lru_cache(maxsize=_FILES)
def _lines(path: Path, _written: int, _size: int) -> tuple[Line, ...]:
    try:
        text = _text(path)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise WeekError(f"{path}: cannot be read: {error}") from error
    numbered = enumerate(text.split("\n"), 1)
    return tuple(Line(path, number, part) for number, part in numbered if part.strip())


_LEADING_ID = re.compile(r'\s*\{\s*"id"\s*:\s*"([^"\\]*)"')


@lru_cache(maxsize=_FILES)
def _index(path: Path, written: int, size: int) -> tuple[tuple[str, Line], ...]:
    seen: dict[str, Line] = {}
    for line in _lines(path, written, size):
        leading = _LEADING_ID.match(line.text)
        if leading is None:
            raise WeekError(f'{line.place}: must start with {{"id":"...", got {line.text[:40]!r}')
        row_id = leading.group(1)
        if row_id in seen:
            first = seen[row_id].number
            raise WeekError(f"{line.place}: id: each line needs its own, {row_id!r} is on {first}")
        seen[row_id] = line
    return tuple(seen.items())


@lru_cache(maxsize=8)
def _adapter(schema: Any) -> TypeAdapter[Any]:
    return TypeAdapter(schema)


def _mistake(error: dict[str, Any]) -> str:
    field = ".".join(str(part) for part in error["loc"])
    match error["type"]:
        case "json_invalid":
            return f"broken JSON: {error['ctx']['error']}"
        case "value_error":
            return f"{field}: {error['ctx']['error']}"
        case "missing":
            return f"{field}: is missing"
        case "unexpected_keyword_argument":
            return f"{field}: no such field, got {error['input']!r:.80}"
    said = error["msg"]
    return f"{field}: {said[0].lower()}{said[1:]}, got {error['input']!r:.80}"


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return dict(_set_fields(value))
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(part) for part in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _set_fields(value: Any) -> Iterator[tuple[str, Any]]:
    """The fields not at their default; first `kind`, which tells what the object is."""
    if hasattr(value, "kind"):
        yield "kind", value.kind
    for field in fields(value):
        part = getattr(value, field.name)
        if field.name != "kind" and (field.default is MISSING or part != field.default):
            yield field.name, _plain(part)

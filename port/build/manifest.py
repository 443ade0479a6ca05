"""Where does each file of `data/` come from, under which terms, and is it whole?"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ..packs import TRAFFIC
from .dock import WEEKS_FILE
from .marine import TRAFFIC_FILE
from .published import REFERENCES_FILE
from .record import CALLS, CALLS_FILE
from .weather import WEATHER_FILE

BUILD_COMMAND = "python -m port.build SOURCES"

SOURCE_FILES = (CALLS_FILE, WEEKS_FILE, TRAFFIC_FILE, WEATHER_FILE, REFERENCES_FILE)

_PORT_TERMS = "CC-BY-SA-4.0"
_PORT_CREDIT = "Contains data from the Port de Barcelona open data portal"
_WEATHER_TERMS = (
    "forecasts: CC-BY-4.0 (ECMWF open data, modified); "
    "windows: the terms of the Generalitat de Catalunya's open data portal (nzvn-apee)"
)
_WEATHER_CREDIT = (
    "Forecasts: (c) European Centre for Medium-Range Weather Forecasts (ECMWF), www.ecmwf.int, "
    "CC BY 4.0, modified: adjusted to the port's anemometer, in whole knots. Based on data and "
    "products of ECMWF. Windows: Font: Servei Meteorològic de Catalunya (Meteocat), estació XEMA "
    "Y7; dades extretes el 2026-10-08; finestres derivades"
)


class Origin(NamedTuple):
    """What a file was made from, its terms and the credit they ask for."""

    sources: tuple[str, ...]
    licence: str = _PORT_TERMS
    credit: str = _PORT_CREDIT


ORIGINS: dict[str, Origin] = {
    CALLS: Origin((CALLS_FILE,)),
    "weeks/dock-eval.jsonl": Origin((CALLS_FILE, WEEKS_FILE)),
    "weeks/marine.jsonl": Origin((TRAFFIC_FILE, CALLS_FILE, WEEKS_FILE)),
    TRAFFIC: Origin((TRAFFIC_FILE, CALLS_FILE, WEEKS_FILE)),
    "weather/weather-weeks.jsonl": Origin((WEATHER_FILE,), _WEATHER_TERMS, _WEATHER_CREDIT),
    "published/dock.jsonl": Origin((WEEKS_FILE,)),
    "published/live.jsonl": Origin((REFERENCES_FILE,)),
    "published/marine.jsonl": Origin((REFERENCES_FILE, TRAFFIC_FILE)),
    "published/wind.jsonl": Origin((REFERENCES_FILE,)),
}


def manifests(files: Mapping[str, str], sources: Path) -> dict[str, str]:
    """A ``manifest.json`` for each folder of `files` (path in `data/` -> text)."""
    folders: dict[str, dict[str, object]] = {}
    for path, text in files.items():
        folder, _, name = path.rpartition("/")
        origin = ORIGINS[path]
        folders.setdefault(folder, {})[name] = {
            "sources": {s: sha256((sources / s).read_bytes()) for s in origin.sources},
            "licence": origin.licence,
            "credit": origin.credit,
            "rows": text.count("\n"),
            "sha256": sha256(text.encode()),
            "build": BUILD_COMMAND,
        }
    return {
        f"{folder}/manifest.json": json.dumps(entries, ensure_ascii=False, indent=1) + "\n"
        for folder, entries in folders.items()
    }


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def note_derived(path: Path, inputs: Mapping[str, Path], command: str) -> None:
    """Enter a file that a command derived from others into the manifest beside it."""
    manifest = path.parent / "manifest.json"
    entries = json.loads(manifest.read_text("utf-8")) if manifest.exists() else {}
    content = path.read_bytes()
    entries[path.name] = {
        "sources": {name: sha256(source.read_bytes()) for name, source in inputs.items()},
        "licence": _PORT_TERMS,
        "credit": _PORT_CREDIT,
        "rows": content.count(b"\n"),
        "sha256": sha256(content),
        "build": command,
    }
    text = json.dumps(dict(sorted(entries.items())), indent=1, ensure_ascii=False) + "\n"
    manifest.write_text(text, "utf-8")

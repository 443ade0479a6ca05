"""What is written down of a training week, and in which files of `data/`?

Training weeks need a solver, so their files are not among those `python -m port.build` writes:
who screens candidates passes the lines below to `pack_files`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

from ..jsonl import compressed, dumps
from ..model import Plan, Services
from ..packfile import ServicesLine
from ..packs import DATA, PACKS, TRAFFIC, WEATHER
from ..traffic import HOURS, PILOTS, TUGS
from .cuts import cuts
from .generate import Candidate
from .manifest import Origin, sha256
from .record import CALLS, BuildError, load_calls
from .traffic import container_movements

MANIFEST = "manifest-train.json"


def marine_row(drawn: Candidate, dock_plan: Plan) -> str:
    """A one-week week's line in `weeks/marine-train.jsonl.gz`: services and cuts.

    The line has the other container quay's movements, which are recorded; the rest is drawn when
    it is loaded, from the week's id. `dock_plan` is the week's best without pilots and tugs.
    Raises BuildError for a longer week, and for one without a bulletin after hour 0.
    """
    opening = drawn.opening
    if opening.weeks != 1:
        raise BuildError(f"{opening.id}: a marine week is one week, this has {opening.weeks}")
    monday = datetime.fromisoformat(opening.monday)
    recorded = container_movements(load_calls(), opening.quay, monday)
    services = Services(PILOTS, TUGS, HOURS, recorded)
    placed = cuts(drawn.week(unfolds=True), dock_plan)
    row = {"id": opening.id, "traffic": "modelled", "services": ServicesLine.of(services)}
    return dumps({**row, "events": placed})


def pack_files(
    tables: Mapping[str, Iterable[str]], build: str, inputs: Path = DATA
) -> dict[str, bytes]:
    """The files of `data/`: their content by path, and a manifest in each of their folders.

    `tables` are the lines of each, by path (see `packs.PACKS`); `build` is the command that made
    them. Lines are put in the order of their ids, so that weeks of one schedule lie side by side:
    1,040 weeks take 0.3 MB so, and 0.95 MB as they were drawn. The same lines give the same bytes.
    `inputs` is the `data/` they were generated from; what its manifests say of other files stays.
    """
    files: dict[str, bytes] = {}
    entries: dict[str, dict[str, object]] = {}
    for path, lines in tables.items():
        text = "".join(f"{line}\n" for line in sorted(lines))
        files[path] = compressed(text)
        folder, _, name = path.rpartition("/")
        noted = entries.setdefault(folder, _noted(inputs / folder / MANIFEST))
        noted[name] = _entry(path, text, files[path], build, inputs)
    for folder, entry in entries.items():
        manifest = json.dumps(dict(sorted(entry.items())), ensure_ascii=False, indent=1) + "\n"
        files[f"{folder}/{MANIFEST}"] = manifest.encode()
    return files


def keep_pack(files: Mapping[str, bytes], data: Path) -> None:
    """Write files of a pack into a `data/`, each at once or not at all."""
    for name, content in files.items():
        path = data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(path.name + ".new")
        draft.write_bytes(content)
        draft.replace(path)


def _noted(manifest: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(manifest.read_bytes()) if manifest.is_file() else {}
    return found


def _entry(path: str, text: str, content: bytes, build: str, inputs: Path) -> dict[str, object]:
    weather = (WEATHER,) if path == PACKS["train"].wind else ()
    origin = Origin((CALLS, TRAFFIC, *weather))
    return {
        "sources": {name: sha256((inputs / name).read_bytes()) for name in origin.sources},
        "licence": origin.licence,
        "credit": origin.credit,
        "rows": text.count("\n"),
        "sha256": sha256(content),
        "sha256_uncompressed": sha256(text.encode()),
        "build": build,
    }

"""Commands whose jobs each give a row: doing the jobs, and keeping the rows in a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .cli_farm import ProgressLine, hands, open_store

if TYPE_CHECKING:
    from .farm import Job
    from .store import Record

Out = Annotated[
    Path | None, typer.Option(help="Also write the rows into this file, one JSON object a line.")
]


@dataclass(frozen=True)
class Farm:
    """Where jobs are done and their results kept: `workers` on `address`, in `runs`/`name`."""

    name: str
    runs: str
    workers: int | None
    address: str | None

    def records(
        self,
        settings: Mapping[str, Any],
        jobs: Iterable[Job],
        total: int | None = None,
        heed: Callable[[Record], None] | None = None,
    ) -> list[Record]:
        """Do the jobs that are not done yet; then all that the store has.

        `heed` is told of each record there is, of those done before first.
        """
        from .farm import run
        from .place import joined
        from .store import read

        store = open_store(self.runs, self.name, settings)
        place = joined(self.runs, self.name)
        if heed is not None:
            for record in read(place):
                heed(record)
        line = ProgressLine()
        with hands(self.workers, self.address) as crew:
            progress = run(jobs, store, crew, line, total, heed)
        line.close(progress)
        store.close()
        return list(read(place))


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows]
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(path.suffix + ".new")
    draft.write_text("".join(lines), encoding="utf-8")
    draft.replace(path)

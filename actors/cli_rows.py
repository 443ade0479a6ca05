"""Commands whose jobs each give a row: doing the jobs, and keeping the rows in a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .cli_farm import ProgressLine, check_workers, hands, open_store

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
        before: Callable[[Record], None] | None = None,
    ) -> list[Record]:
        """Do the jobs that are not done yet; then all that the store has.

        `before` is told of each record there is already, before a job is drawn; `heed` of each
        that is new.
        """
        from .farm import run
        from .place import joined
        from .store import read

        check_workers(self.workers, self.address)
        place = joined(self.runs, self.name)
        with (
            open_store(self.runs, self.name, settings) as store,
            hands(self.workers, self.address) as crew,
            ProgressLine() as line,
        ):
            if before is not None:
                for record in read(place):
                    before(record)
            line.close(run(jobs, store, crew, line, total, heed))
        return list(read(place))


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows]
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(path.suffix + ".new")
    draft.write_text("".join(lines), encoding="utf-8")
    draft.replace(path)

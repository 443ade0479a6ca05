"""Run the benchmarks, or those named, and print their medians."""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
from collections.abc import Iterator, Sequence

from . import Measure, Row, __path__, machine

HIDDEN = "__main__"


def modules() -> list[str]:
    return [found.name for found in pkgutil.iter_modules(__path__) if found.name != HIDDEN]


def measures(names: Sequence[str]) -> Iterator[Measure]:
    """What the modules named measure; all modules' when none is named."""
    for name in names or modules():
        module = importlib.import_module(f"{__package__}.{name}")
        yield from getattr(module, "MEASURES", ())


def line(row: Row) -> str:
    target = f"   target: {row.target}" if row.target else ""
    return f"{row.what:<58}{row.value:>12,.2f} {row.unit:<8}{target}".rstrip()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(modules())}")
    parser.add_argument("--json", action="store_true", help="one object on standard output")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(modules()):
        parser.error(f"no benchmarks {sorted(unknown)}; there are {', '.join(modules())}")
    if asked.json:
        rows = [row._asdict() for measure in measures(asked.names) for row in measure()]
        print(json.dumps({**machine(), "medians": rows}))
        return
    print(" · ".join(f"{what} {value}" for what, value in machine().items()), flush=True)
    for measure in measures(asked.names):
        for row in measure():
            print(line(row), flush=True)


if __name__ == "__main__":
    main()

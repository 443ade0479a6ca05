"""`python -m port.build SOURCES [--out data]`: write `data/` from the sources."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ..errors import PortsimError
from ..packs import DATA
from .tree import tree


def main(argv: Sequence[str] | None = None) -> int:
    """Write every built file. Returns 2, with a line on stderr, when the sources do not do."""
    parser = argparse.ArgumentParser(prog="python -m port.build", description=__doc__)
    parser.add_argument("sources", type=Path, help="folder of the source files")
    parser.add_argument("--out", type=Path, default=DATA, help="folder to write (default: data)")
    options = parser.parse_args(argv)
    try:
        files = tree(options.sources)
    except PortsimError as error:
        print(f"port.build: {error}", file=sys.stderr)
        return 2
    for path, text in files.items():
        target = options.out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
        print(f"{target}: {len(text.encode())} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())

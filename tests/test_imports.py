"""Does every module import, and look at, only what its place in the house allows?

Read off the source by AST, imports inside functions included, so nothing is imported to find out.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

OURS = frozenset({"port", "actors", "references", "tests", "benchmarks"})

# Outside the standard library, what a package may import. actors may import any third party.
MAY_IMPORT = {
    "port": frozenset({"port", "numpy", "pydantic"}),
    "references": frozenset({"references", "port", "numpy", "ortools", "pydantic"}),
    "actors": frozenset({"actors", "port", "references"}),
}

NETWORK = frozenset(
    {"asyncio", "ftplib", "http", "imaplib", "poplib", "smtplib", "socket", "socketserver"}
    | {"ssl", "urllib", "xmlrpc"}
)

# Where the wall clock or chance may be used, and why. Nowhere else, so a week is a function of its
# inputs. Add a file here only with a reason, and never one whose values reach a journal.
MAY_LOOK_AT_THE_CLOCK = {
    "actors/cli.py": "names run folders, prints elapsed time",
    "actors/farm.py": "rate and time left on the progress line",
    "actors/crew.py": "how long jobs take, and when to look at the cluster again",
    "actors/store.py": "when to flush",
    "actors/place.py": "when to flush, and whether another driver holds the store",
    "actors/on_ray.py": "the process a role lives in, so that tests can kill it",
    "actors/weeks.py": "a draft's name in the cache, one for each process",
    "actors/planners/model.py": "time limits of a model's answers",
    "actors/planners/remote.py": "time limits of another agent's answers",
}

CLOCKS_AND_CHANCE = frozenset(
    {f"time.{name}" for name in ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter")}
    | {f"time.{name}" for name in ("perf_counter_ns", "localtime", "gmtime", "ctime", "sleep")}
    | {f"datetime.datetime.{name}" for name in ("now", "utcnow", "today")}
    | {"datetime.date.today", "os.urandom", "os.getpid", "uuid.uuid1", "uuid.uuid4"}
)
CHANCE_PREFIXES = ("random.", "numpy.random.", "secrets.")
SEEDED = frozenset({"random.Random", "numpy.random.default_rng"})  # fine when given a seed
JUST_A_TYPE = frozenset({"numpy.random.Generator"})


def modules(root: Path, package: str) -> Iterator[Path]:
    return (path.relative_to(root) for path in sorted((root / package).rglob("*.py")))


def imported(tree: ast.AST, path: Path) -> Iterator[tuple[int, str]]:
    """Line and absolute name of everything `path` imports, wherever in the file it does so."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                # A package's __init__.py and its modules alike count levels from their folder.
                base = [*path.parts[:-level]] if level else []
                whole = ".".join([*base, *([module] if module else [])])
                yield from ((node.lineno, f"{whole}.{alias.name}".lstrip(".")) for alias in names)
            case ast.Call(
                func=ast.Attribute(attr="import_module")
                | ast.Name(id="import_module" | "__import__"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield node.lineno, name


def forbidden_imports(root: Path, package: str) -> list[str]:
    """`file:line imports name` for each import that `package` may not make."""
    found = []
    for path in modules(root, package):
        for line, name in imported(ast.parse((root / path).read_text("utf-8")), path):
            top = name.split(".")[0]
            if top in MAY_IMPORT[package]:
                continue
            standard = top in sys.stdlib_module_names
            if package == "port":
                allowed = standard and top not in NETWORK
            elif package == "references":
                allowed = standard
            else:
                allowed = top not in OURS
            if not allowed:
                found.append(f"{path.as_posix()}:{line} imports {name}")
    return found


def clock_and_chance(root: Path, package: str) -> list[str]:
    """`file:line uses name` for each use of the wall clock or of unseeded chance in `package`."""
    found = []
    for path in modules(root, package):
        if path.as_posix() in MAY_LOOK_AT_THE_CLOCK:
            continue
        tree = ast.parse((root / path).read_text("utf-8"))
        names = bindings(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (name := dotted(node.func, names)) in SEEDED:
                unseeded = not node.args and not node.keywords
            elif isinstance(node, ast.Name | ast.Attribute):
                name = dotted(node, names)
                unseeded = name in CLOCKS_AND_CHANCE or (
                    name.startswith(CHANCE_PREFIXES) and name not in SEEDED | JUST_A_TYPE
                )
            else:
                continue
            if unseeded:
                found.append(f"{path.as_posix()}:{node.lineno} uses {name}")
    return found


def bindings(tree: ast.AST) -> dict[str, str]:
    """What each imported name stands for: `np` -> `numpy`, `now` -> `datetime.datetime.now`."""
    names = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    top = alias.name.split(".")[0]
                    names[alias.asname or top] = alias.name if alias.asname else top
            case ast.ImportFrom(module=str(module), names=aliases, level=0):
                for alias in aliases:
                    names[alias.asname or alias.name] = f"{module}.{alias.name}"
    return names


def dotted(node: ast.expr, names: dict[str, str]) -> str:
    """The absolute dotted name an expression refers to; empty when it is no imported name."""
    match node:
        case ast.Name(id=name):
            return names.get(name, "")
        case ast.Attribute(value=value, attr=attr):
            base = dotted(value, names)
            return f"{base}.{attr}" if base else ""
        case _:
            return ""


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_a_package_imports_only_what_it_may(package: str) -> None:
    assert any(modules(ROOT, package)), f"no modules found in {package}/"
    assert forbidden_imports(ROOT, package) == []


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_a_week_depends_on_no_wall_clock_and_no_chance(package: str) -> None:
    assert clock_and_chance(ROOT, package) == []


@pytest.mark.parametrize(
    ("file", "source", "name"),
    [
        ("port/quay.py", "import ray", "ray"),
        ("port/quay.py", "from ortools.sat.python import cp_model", "ortools.sat.python.cp_model"),
        ("port/quay.py", "def f():\n    import typer", "typer"),
        ("port/quay.py", "def f():\n    from rich.table import Table", "rich.table.Table"),
        ("port/quay.py", "import urllib.request", "urllib.request"),
        ("port/build/weeks.py", "from references import greedy", "references.greedy"),
        ("port/quay.py", "import importlib\nimportlib.import_module('actors.post')", "actors.post"),
        ("references/replan.py", "from actors.post import Post", "actors.post.Post"),
        ("references/replan.py", "class A:\n    def f(self):\n        import ray", "ray"),
        ("actors/post.py", "from tests import weeks", "tests.weeks"),
        ("actors/roles/base.py", "from ...benchmarks import clock", "benchmarks.clock"),
    ],
)
def test_a_planted_import_is_found(tmp_path: Path, file: str, source: str, name: str) -> None:
    plant(tmp_path, file, source)
    found = forbidden_imports(tmp_path, file.split("/")[0])
    assert [line.split(" imports ")[1] for line in found] == [name]
    assert found[0].startswith(f"{file}:")


@pytest.mark.parametrize(
    ("file", "source"),
    [
        (
            "port/quay.py",
            "import json\nimport numpy as np\nfrom . import model\nfrom .model import A",
        ),
        ("port/build/weeks.py", "from .. import packs\nfrom ..model import Week"),
        ("references/model.py", "from ortools.sat.python import cp_model\nfrom port import check"),
        ("actors/roles/base.py", "import ray\nfrom ..post import Post\nfrom references import x"),
    ],
)
def test_an_allowed_import_is_let_be(tmp_path: Path, file: str, source: str) -> None:
    plant(tmp_path, file, source)
    assert forbidden_imports(tmp_path, file.split("/")[0]) == []


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import time\nstarted = time.time()", "time.time"),
        ("from time import perf_counter as tick\ntick()", "time.perf_counter"),
        ("import datetime as dt\ndt.datetime.now(dt.UTC)", "datetime.datetime.now"),
        ("from datetime import datetime\nf = datetime.utcnow", "datetime.datetime.utcnow"),
        ("import random\nrandom.shuffle([])", "random.shuffle"),
        ("import random\nrandom.Random()", "random.Random"),
        ("import numpy as np\nnp.random.rand(3)", "numpy.random.rand"),
        ("import numpy as np\nnp.random.default_rng()", "numpy.random.default_rng"),
        ("from uuid import uuid4\ndef f(): return uuid4()", "uuid.uuid4"),
    ],
)
def test_a_planted_look_at_the_clock_is_found(tmp_path: Path, source: str, name: str) -> None:
    plant(tmp_path, "port/news.py", source)
    found = clock_and_chance(tmp_path, "port")
    assert [line.split(" uses ")[1] for line in found] == [name]
    assert found[0].startswith("port/news.py:")


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("port/news.py", "import random\nrandom.Random(7).shuffle([])"),
        (
            "port/news.py",
            "import numpy as np\ndef f(r: np.random.Generator): ...\nf(np.random.default_rng(1))",
        ),
        ("port/news.py", "from datetime import datetime, timedelta\ndatetime(2024, 2, 12)"),
        ("port/news.py", "def f(time): return time.time()"),
        ("actors/farm.py", "import time\ntime.monotonic()"),
    ],
)
def test_seeded_chance_and_simulated_time_are_let_be(
    tmp_path: Path, file: str, source: str
) -> None:
    plant(tmp_path, file, source)
    assert clock_and_chance(tmp_path, file.split("/")[0]) == []


def plant(root: Path, file: str, source: str) -> None:
    path = root / file
    path.parent.mkdir(parents=True)
    path.write_text(source + "\n", "utf-8")

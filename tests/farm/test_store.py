"""A store keeps every whole result, one driver at a time, wherever it is."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import fsspec  # type: ignore[import-untyped]
import pytest

from actors import place
from actors.cli_farm import FarmError, open_store
from actors.store import Store, StoreError, read, settings_of
from tests.farm.drivers import ROOT

SETTINGS = {"port": "live", "weeks": ["a", "b"]}


def record(job: str, reward: float | None = None) -> dict[str, object]:
    return {"job": job, "result": {"reward": reward}, "error": None, "attempts": []}


@pytest.fixture(params=["path", "file", "memory"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path | str]:
    """A store in a folder, in a folder told as a URL, and in an object storage."""
    if request.param == "path":
        yield tmp_path / "runs" / "s"
    elif request.param == "file":
        yield f"file://{tmp_path}/runs/s"
    else:
        yield f"memory://{tmp_path}/s"
        fsspec.filesystem("memory").store.clear()


@pytest.fixture
def torn(tmp_path: Path) -> Path:
    """A folder with one whole result, and no torn one yet."""
    with Store(tmp_path, SETTINGS) as store:
        store.append(record("one", 0.5))
    return tmp_path / "results.jsonl"


def jobs(where: Path | str) -> list[str]:
    return [found["job"] for found in read(where)]


def test_results_are_there_when_a_store_is_opened_again(where: Path | str) -> None:
    for names in (["one", "two"], ["three"]):
        with Store(where, SETTINGS) as store:
            for name in names:
                store.append(record(name))
    with Store(where, SETTINGS) as store:
        assert set(store.done) == {"one", "two", "three"}
    assert jobs(where) == ["one", "two", "three"]
    assert settings_of(where) == SETTINGS


def test_rewards_of_what_was_done_are_known(where: Path | str) -> None:
    with Store(where, SETTINGS) as store:
        store.append(record("one", 0.25))
        store.append(record("two"))
    with Store(where, SETTINGS) as store:
        assert store.done == {"one": 0.25, "two": None}


def test_other_settings_are_refused_and_named(where: Path | str) -> None:
    with Store(where, SETTINGS) as store:
        store.append(record("one"))
    with pytest.raises(StoreError, match=r"other settings: port: \"live\" there, \"wind\" now$"):
        Store(where, SETTINGS | {"port": "wind"})
    assert jobs(where) == ["one"]


def test_of_long_settings_only_the_difference_is_named(tmp_path: Path) -> None:
    weeks = [f"week-{n}" for n in range(50)]
    Store(tmp_path, {"weeks": weeks}).close()
    with pytest.raises(StoreError) as refused:
        Store(tmp_path, {"weeks": [*weeks[:49], "week-x"]})
    assert str(refused.value).endswith("weeks: 50 there, 50 now, no longer week-49, new week-x")


def test_results_without_settings_are_not_taken_over(torn: Path) -> None:
    (torn.parent / "settings.json").unlink()
    with pytest.raises(StoreError, match=r"has results but no settings\.json"):
        Store(torn.parent, SETTINGS)


def test_a_second_driver_is_refused_in_one_line(where: Path | str) -> None:
    with Store(where, SETTINGS) as store:
        with pytest.raises(StoreError) as refused:
            Store(where, SETTINGS)
        assert f"is being written by process {os.getpid()} on " in str(refused.value)
        assert "\n" not in str(refused.value)
        store.append(record("one"))
    Store(where, SETTINGS).close()
    assert jobs(where) == ["one"]


def test_a_refused_driver_lets_go_of_what_it_held(where: Path | str) -> None:
    Store(where, SETTINGS).close()
    with pytest.raises(StoreError, match="other settings"):
        Store(where, {})
    Store(where, SETTINGS).close()


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_killed_driver_holds_nothing(tmp_path: Path, scheme: str) -> None:
    where = f"{scheme}{tmp_path}/s"
    program = (
        "import os, signal, sys; from actors.store import Store\n"
        "store = Store(sys.argv[1], {})\n"
        "store.append({'job': 'one', 'result': None}); store.flush(now=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", program, where], cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    with Store(where, {}) as store:
        assert set(store.done) == {"one"}


def lock_of_elsewhere(url: str, age: float) -> None:
    with fsspec.open(f"{url}/lock", "w") as file:
        who = {"writer": "x", "who": "process 1 on moon", "host": "moon", "pid": 1}
        json.dump(who | {"at": time.time() - age}, file)


def test_a_driver_elsewhere_that_was_heard_of_lately_is_respected(tmp_path: Path) -> None:
    url = f"file://{tmp_path}/s"
    Store(url, SETTINGS).close()
    lock_of_elsewhere(url, age=place.LET_GO_SECONDS - 30)
    with pytest.raises(StoreError, match="is being written by process 1 on moon"):
        Store(url, SETTINGS)


def test_a_driver_elsewhere_that_went_silent_is_not_waited_for(tmp_path: Path) -> None:
    url = f"file://{tmp_path}/s"
    Store(url, SETTINGS).close()
    lock_of_elsewhere(url, age=place.LET_GO_SECONDS + 1)
    with Store(url, SETTINGS):
        held = json.loads((tmp_path / "s" / "lock").read_text())
    assert held["pid"] == os.getpid()


def test_a_driver_that_only_waits_goes_on_holding_a_url(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "RENEW_SECONDS", 0.0)
    with Store(f"file://{tmp_path}/s", SETTINGS) as store:
        before = json.loads((tmp_path / "s" / "lock").read_text())["at"]
        store.flush()
        assert json.loads((tmp_path / "s" / "lock").read_text())["at"] > before


def test_a_driver_whose_url_another_took_over_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "RENEW_SECONDS", 0.0)
    url = f"file://{tmp_path}/s"
    store = Store(url, SETTINGS)
    store.append(record("one"))
    lock_of_elsewhere(url, age=1)
    with pytest.raises(StoreError, match="is being written by process 1 on moon"):
        store.flush(now=True)
    with pytest.raises(StoreError, match="is being written by process 1 on moon"):
        store.close()
    assert jobs(url) == ["one"]
    assert json.loads((tmp_path / "s" / "lock").read_text())["who"] == "process 1 on moon"


def test_a_url_gets_a_new_part_for_each_flush_and_none_is_written_over(tmp_path: Path) -> None:
    for _ in range(2):
        with Store(f"file://{tmp_path}/s", SETTINGS) as store:
            for name in "ab":
                store.append(record(f"{name}{len(store.done)}"))
                store.flush(now=True)
    parts = sorted(part.name for part in (tmp_path / "s" / "results").iterdir())
    assert [part.split("-")[0] for part in parts] == [f"{n:08d}" for n in range(1, 5)]
    assert jobs(f"file://{tmp_path}/s") == ["a0", "b1", "a2", "b3"]


def test_small_results_wait_to_share_a_part(tmp_path: Path) -> None:
    with Store(f"file://{tmp_path}/s", SETTINGS) as store:
        for n in range(20):
            store.append(record(str(n)))
            store.flush()
    assert len(list((tmp_path / "s" / "results").iterdir())) == 1
    assert jobs(f"file://{tmp_path}/s") == [str(n) for n in range(20)]


def test_many_parts_are_read_in_order(tmp_path: Path) -> None:
    names = [str(n) for n in range(3 * place.AT_ONCE + 1)]
    with Store(f"memory://{tmp_path}", SETTINGS) as store:
        for name in names:
            store.append(record(name))
            store.flush(now=True)
    assert jobs(f"memory://{tmp_path}") == names


def test_what_two_drivers_did_at_once_is_read_once(tmp_path: Path) -> None:
    with Store(f"file://{tmp_path}/s", SETTINGS) as store:
        store.append(record("one", 0.5))
    part = next((tmp_path / "s" / "results").iterdir())
    (part.parent / "00000001-zz.jsonl").write_bytes(part.read_bytes())
    assert jobs(f"file://{tmp_path}/s") == ["one"]


@pytest.mark.parametrize(
    "tail", [b'{"job":"two","res', b"\0" * 4096, b'{"job":"two"\0\0\n', b'{"job":"two"}']
)
def test_a_torn_last_line_is_dropped_with_a_note(torn: Path, tail: bytes) -> None:
    whole = torn.read_bytes()
    torn.write_bytes(whole + tail)
    with Store(torn.parent, SETTINGS) as store:
        assert set(store.done) == {"one"}
        assert store.repaired is not None
        store.append(record("two"))
    note = (torn.parent / "repairs.log").read_text()
    assert f"dropped {len(tail)} bytes of a torn last line of results.jsonl" in note
    assert jobs(torn.parent) == ["one", "two"]
    assert torn.read_bytes().startswith(whole)


def test_a_whole_store_needs_no_repair(torn: Path) -> None:
    with Store(torn.parent, SETTINGS) as store:
        assert store.repaired is None
    assert not (torn.parent / "repairs.log").exists()


def test_a_torn_line_is_passed_over_by_those_who_only_read(torn: Path) -> None:
    before = torn.read_bytes() + b'{"job":"tw'
    torn.write_bytes(before)
    assert jobs(torn.parent) == ["one"]
    assert torn.read_bytes() == before


def test_a_torn_part_is_repaired_and_the_others_kept(tmp_path: Path) -> None:
    url = f"file://{tmp_path}/s"
    with Store(url, SETTINGS) as store:
        for name in ("one", "two"):
            store.append(record(name))
            store.flush(now=True)
    first, second = sorted((tmp_path / "s" / "results").iterdir())
    second.write_bytes(second.read_bytes()[:-5])
    with Store(url, SETTINGS) as store:
        assert set(store.done) == {"one"}
        assert second.name in (store.repaired or "")
    assert (first.stat().st_size > 0, second.stat().st_size) == (True, 0)


@pytest.mark.parametrize(
    ("line", "told"), [("{nonsense", "line 2 is no JSON"), ('{"a":1}', "line 2 is no result")]
)
def test_a_line_in_the_middle_that_is_no_result_is_an_error(
    torn: Path, line: str, told: str
) -> None:
    whole = torn.read_bytes()
    torn.write_bytes(whole + line.encode() + b"\n" + whole)
    before = torn.read_bytes()
    with pytest.raises(StoreError, match=told):
        Store(torn.parent, SETTINGS)
    assert torn.read_bytes() == before


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("nowhere://x", "Protocol not known: nowhere"),
        ("/dev/null/x", "Not a directory"),
        ("file:///dev/null/x", "Not a directory"),
    ],
)
def test_a_place_that_cannot_be_is_told_in_one_line(url: str, told: str) -> None:
    with pytest.raises(StoreError, match=told) as refused:
        Store(url, SETTINGS)
    assert "\n" not in str(refused.value)


def test_a_line_that_the_disk_takes_only_a_part_of_is_taken_back(
    torn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fills up first takes a part, and says so when given the rest."""
    whole = torn.read_bytes()
    really, room = os.write, [7]

    def write(file: int, content: bytes) -> int:
        if not room:
            raise OSError(28, "No space left on device")
        return really(file, content[: room.pop()])

    store = Store(torn.parent, SETTINGS)
    store.append(record("two"))
    with monkeypatch.context() as full:
        full.setattr(os, "write", write)
        with pytest.raises(StoreError, match=r"results\.jsonl: No space left on device"):
            store.flush()
        assert torn.read_bytes() == whole
    store.close()
    assert jobs(torn.parent) == ["one", "two"]


def test_a_store_is_read_by_its_path_and_by_its_url(tmp_path: Path) -> None:
    path, url = tmp_path / "s", f"file://{tmp_path}/s"
    for where, job in ((path, "one"), (url, "two"), (path, "three")):
        with Store(where, SETTINGS) as store:
            assert job not in store.done
            store.append(record(job))
    assert set(jobs(path)) == set(jobs(url)) == {"one", "two", "three"}


def test_a_url_without_a_place_is_refused() -> None:
    with pytest.raises(FarmError, match="s3:// names no place"):
        open_store("s3://", "s", {})

"""The farm does each job once, with a bounded number under way, and records how it went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from actors.farm import Ended, Job, Progress, ThisProcess, run
from actors.store import Record, Store, StoreError, read
from actors.sweep import Sweep, jobs
from tests.farm.drivers import WEEKS


class Dozen:
    """Hands with room for a dozen jobs, which end in the wrong order, a few at a time."""

    room = 12
    slots = 4

    def __init__(self) -> None:
        self.under_way: list[Job] = []
        self.most = 0
        self.begun: list[Any] = []

    def put(self, job: Job) -> None:
        self.under_way.append(job)
        self.begun.append(job.fields["n"])
        self.most = max(self.most, len(self.under_way))

    def take(self) -> Sequence[Ended]:
        ended, self.under_way = self.under_way[-3:], self.under_way[:-3]
        return [(job, outcome(job.fields)) for job in reversed(ended)]


def outcome(fields: Mapping[str, Any]) -> Record:
    return {"result": {"reward": fields["n"]}, "error": None, "seconds": 0, "attempts": []}


def numbers(*those: int) -> Iterator[Job]:
    return (Job("count", {"n": n}) for n in those)


def played(planner: str, weeks: Sequence[str] = WEEKS[:1]) -> Iterator[Job]:
    return jobs(Sweep("live", weeks, [planner]))


def test_no_more_jobs_are_under_way_than_there_is_room_for(tmp_path: Path) -> None:
    hands = Dozen()
    with Store(tmp_path, {}) as store:
        assert run(numbers(*range(100)), store, hands).done == 100
    assert hands.most == 12


def test_jobs_are_drawn_only_as_they_are_begun(tmp_path: Path) -> None:
    """An endless stream of jobs is fine: the farm stops at what the store refuses."""
    drawn = 0

    def endless() -> Iterator[Job]:
        nonlocal drawn
        while True:
            yield Job("count", {"n": drawn})
            drawn += 1

    with Store(tmp_path, {}) as store:

        def report(progress: Progress) -> None:
            if progress.done >= 50:
                raise StoreError("enough")

        with pytest.raises(StoreError, match="enough"):
            run(endless(), store, Dozen(), report)
    assert drawn < 50 + 2 * Dozen.room


def test_a_job_asked_for_twice_is_done_once(tmp_path: Path) -> None:
    hands = Dozen()
    with Store(tmp_path, {}) as store:
        progress = run(numbers(1, 2, 1, 3, 2, 1), store, hands)
    assert hands.begun == [1, 2, 3]
    assert (progress.done, progress.skipped) == (3, 3)
    assert len(list(read(tmp_path))) == 3


def test_what_is_in_the_store_is_not_done_again(tmp_path: Path) -> None:
    hands = Dozen()
    for those in ((1, 2), (1, 2, 3, 4)):
        with Store(tmp_path, {}) as store:
            run(numbers(*those), store, hands)
    assert hands.begun == [1, 2, 3, 4]


def test_the_mean_reward_is_over_earlier_runs_too(tmp_path: Path) -> None:
    for those, mean in (((1, 2), 1.5), ((1, 2, 6), 3.0)):
        with Store(tmp_path, {}) as store:
            assert run(numbers(*those), store, Dozen()).mean_reward == mean


def test_progress_tells_running_from_waiting(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    with Store(tmp_path, {}) as store:
        run(numbers(*range(13)), store, Dozen(), lambda p: seen.append((p.running, p.waiting)))
    assert seen == [(4, 5), (4, 3), (4, 0), (1, 0), (0, 0)]


@pytest.mark.parametrize(
    ("planner", "told"),
    [("tests.farm.policies:wrong", "ValueError: no berth"), ("tests.farm.policies:leaves", "3")],
)
def test_a_job_that_fails_by_itself_is_recorded_once_and_is_done(
    tmp_path: Path, planner: str, told: str
) -> None:
    for skipped in (0, 1):
        with Store(tmp_path, {}) as store:
            progress = run(played(planner), store, ThisProcess())
        assert (progress.failed, progress.skipped) == (1 - skipped, skipped)
        assert progress.failed_before == skipped
    (record,) = read(tmp_path)
    assert record["result"] is None
    assert told in record["error"]
    assert len(record["error"]) <= 2100
    assert record["error"].encode("utf-8")


def test_the_jobs_after_one_that_fails_are_done(tmp_path: Path) -> None:
    both = [*played("tests.farm.policies:wrong"), *played("naive")]
    with Store(tmp_path, {}) as store:
        progress = run(both, store, ThisProcess())
    assert (progress.failed, progress.done) == (1, 1)


def test_a_job_is_known_by_every_field() -> None:
    sweeps = [
        Sweep("live", WEEKS[:1], ["naive"]),
        Sweep("live", WEEKS[1:2], ["naive"]),
        Sweep("live", WEEKS[:1], ["greedy"]),
        Sweep("live", WEEKS[:1], ["naive[a=1]"]),
        Sweep("live", WEEKS[:1], ["naive"], seed=1),
        Sweep("live", WEEKS[:1], ["naive"], repetitions=2),
        Sweep("live", WEEKS[:1], ["naive"], runtime="ray"),
        Sweep("live", WEEKS[:1], ["naive"], episode_cap_usd=1.0),
    ]
    ids = [job.id for sweep in sweeps for job in jobs(sweep)]
    assert len(ids) == 9
    assert len(set(ids)) == 8, "the first of two repetitions is the same job as the only one"


def test_a_week_played_by_the_farm_is_the_week_played_alone(tmp_path: Path) -> None:
    from actors.inline import Inline
    from actors.run import Request, result
    from actors.run import played as alone

    with Store(tmp_path, {}) as store:
        run(played("naive"), store, ThisProcess())
    (record,) = read(tmp_path)
    one = alone(Request(WEEKS[0], "live", "naive"), Inline())
    assert record["result"] == {**result(one), "journal": one.journal.seal, "spend_usd": 0.0}

"""The commands that solve, on weeks whose answers are published."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from actors.cli import app
from actors.farm import Work
from actors.reference_jobs import pair_job, reference_job
from actors.screen import HopelessError, Quota, Screen, candidate_job
from actors.screens import fate, jobs
from actors.training import live_job, marine_job
from port.build.recipe import HELD_OUT, Recipe
from port.errors import PortsimError
from port.jsonl import index
from port.packs import load_week, marine_week, week_ids


def run(*words: str) -> dict[str, Any]:
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, done.output
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def test_references_of_a_live_week_are_those_published(tmp_path: Path) -> None:
    week = "dock-24B-w06x1-standard-0"
    out = tmp_path / "live.jsonl"
    said = run(
        *("references", "--port", "live", "--weeks", week, "--workers", "0"),
        *("--runs", str(tmp_path), "--out", str(out)),
    )
    (row,) = said["weeks"]
    assert (row["optimum"], row["proven"], row["floor"], row["qualifies"]) == (114, True, 104, True)
    assert [played["cost"] for played in row["rolling"]] == [114] * 4
    assert (row["naive"]["cost"], row["naive"]["reward"]) == (311, 0.22226)
    assert json.loads(out.read_text()) == row
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["live.jsonl"]["rows"] == 1


def test_references_of_a_false_alarm_hold_its_anchor_and_what_holding_every_warning_costs() -> None:
    row = reference_job({"week": "dock-24B-w07x1-busy-0-e04", "port": "wind"})
    assert (row["optimum"], row["anchor"], row["floor"]) == (226, 226, 177)
    assert len(row["watches"]) == 10
    first = {name: row[name][0] for name in ("rolling", "blind", "hold")}
    assert first["rolling"]["reward"] == 1.0
    assert first["blind"]["reward"] == 1.0
    assert (first["hold"]["cost"], round(first["hold"]["reward"], 3)) == (242, 0.845)


def test_a_published_pair_qualifies() -> None:
    row = pair_job({"week": "dock-24B-w37x1-standard-0-e01"})
    assert (row["qualifies"], row["reason"]) == (True, None)
    assert (row["optimum"], row["anchor"], row["watches"]) == (359, 252, 5)
    assert len(row["rolling"]) == 4


def test_a_pair_with_too_many_watches_is_dropped_before_anything_is_solved() -> None:
    row = pair_job({"week": "dock-24B-w16x1-busy-0-e04"})
    assert not row["qualifies"]
    assert "watches" in row["reason"]
    assert "optimum" not in row


@pytest.mark.parametrize("week", ["dock-36A-w06x1-standard-0", "dock-24B-w06x1-standard-0"])
def test_a_false_alarm_not_worth_playing_is_dropped_with_a_reason(week: str) -> None:
    """Published: 2025-W14 (e13) qualifies on none of the 15 weeks."""
    row = pair_job({"week": f"{week}-e13"})
    assert not row["qualifies"]
    assert row["reason"] in {
        "the re-planner misses hindsight's cost too often",
        "the forecasts do not matter enough",
    }


def test_a_screen_keeps_as_many_weeks_as_it_was_asked_for(tmp_path: Path) -> None:
    said = run(
        *("screen", "s", "--per-tier", "1", "--limit", "2", "--workers", "0"),
        *("--runs", str(tmp_path)),
    )
    tiers = [week.split("-")[3] for week in said["kept"]]
    assert sorted(tiers) == ["busy", "extreme", "standard", "storm"]
    assert said["screened"] == len(said["kept"]) + sum(said["dropped"].values())
    again = run(
        *("screen", "s", "--per-tier", "1", "--limit", "2", "--workers", "0"),
        *("--runs", str(tmp_path)),
    )
    assert again == said


def test_a_candidate_says_why_it_is_dropped() -> None:
    fields = {"quay": "24B", "week": 2, "weeks": 1, "tier": "standard", "seed": 0, "limit": 2.0}
    row = candidate_job(fields)
    assert not row["kept"]
    assert "12" in row["reason"]  # week 2 has four scheduled ships at 24B


def test_the_quota_asks_for_no_more_of_a_tier_that_has_enough() -> None:
    quota = Quota(Screen(per_tier=1))
    quota.count({"result": {"kept": True}, "fields": {"tier": "storm"}, "error": None})
    asked = [job.fields for job, _ in zip(quota.jobs(), range(30), strict=False)]
    assert {fields["tier"] for fields in asked} == {"standard", "busy", "extreme"}
    assert not {fields["week"] for fields in asked} & HELD_OUT


def test_a_screen_taken_up_again_asks_for_what_was_under_way_when_it_was_stopped() -> None:
    wanted = Screen(per_tier=3)
    first = [job for job in islice(Quota(wanted).jobs(), 40) if job.fields["tier"] == "busy"][:4]
    again = Quota(wanted)
    for job in first[1:]:  # the first was lost, the three after it were kept
        again.remember({"job": job.id, "result": {"kept": True}, "error": None})
    asked = [job.id for job in islice(again.jobs(), 40) if job.fields["tier"] == "busy"]
    assert asked == [job.id for job in first]


def test_a_screen_of_which_nothing_can_be_done_ends() -> None:
    quota = Quota(Screen(per_tier=3))
    failed = {"result": None, "error": "ImportError: no solver"}
    for _ in range(49):
        quota.count(failed)
    with pytest.raises(HopelessError, match="first 50 candidates failed: ImportError: no solver"):
        quota.count(failed)


@pytest.mark.parametrize("week_id", ["dock-36A-w18x1-standard-0", "dock-24B-w31x2-storm-0"])
def test_a_kept_candidate_scores_what_the_rules_ask_of_it(week_id: str) -> None:
    recipe = Recipe.of(week_id)
    row = candidate_job({**asdict(recipe), "limit": 20.0})
    assert (row["kept"], row["proven"]) == (True, True)
    assert row["naive_reward"] <= 0.6
    assert row["greedy_reward"] <= 0.85
    assert row["floor"] <= row["optimum"] <= row["naive"]


# ---- training weeks at the other ports -------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--what", "weeks"), "there are candidates, live, marine, pairs"),
        (("--what", "pairs", "--into", "data"), "use --pack train"),
        (("--what", "pairs", "--pack", "own"), "no pack 'own'"),
    ],
)
def test_a_screen_of_nothing_is_refused(words: tuple[str, ...], text: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["screen", "s", *words, "--runs", str(tmp_path)])
    assert isinstance(done.exception, PortsimError)
    assert text in str(done.exception)
    assert list(tmp_path.iterdir()) == []


def test_a_training_week_is_tried_at_the_live_port_and_written_down_when_kept(
    tmp_path: Path,
) -> None:
    words = ("screen", "s", "--what", "live", "--first", "3", "--limit", "5", "--workers", "0")
    into = ("--into", str(tmp_path / "data"))
    answer = run(*words, "--runs", str(tmp_path), *into)
    assert answer["screened"] == 3
    lines = index(tmp_path / "data" / "references" / "live-train.jsonl.gz")
    assert list(lines) == sorted(answer["kept"])
    for week_id, line in lines.items():
        kept = json.loads(line.text)
        assert kept["optimum"] == load_week(week_id, "live").best
        assert [played["cost"] for played in kept["rolling"]].count(kept["optimum"]) >= 3
        assert "reason" not in kept


def test_a_training_week_gets_pilots_tugs_and_cuts_where_it_is_tried_at_the_marine_port() -> None:
    (job,) = jobs("marine", "train", 5.0)[:1]
    row = marine_job(job.fields)
    assert row["optimum"] >= load_week(row["id"]).best
    assert row["watches"][0] == 0
    if row["qualifies"]:
        assert marine_week(row["line"]).services is not None


HARD = "dock-36A-w08x1-standard-1"


@pytest.mark.parametrize(
    ("job", "week", "reason"),
    [
        (marine_job, HARD, "unproven"),
        (live_job, HARD, "over 0.001 s to prove|no plan"),
        (pair_job, "dock-24B-w07x1-busy-0-e00", "unproven"),
    ],
)
def test_a_week_whose_proof_takes_too_long_is_dropped_with_the_reason(
    job: Work, week: str, reason: str
) -> None:
    row = job({"week": week, "limit": 0.001})
    assert not row["qualifies"]
    assert re.search(reason, row["reason"])


def test_training_pairs_in_the_likeliest_weathers_come_first() -> None:
    """Of the evaluation's 25 pairs 7 qualified in e12, 5 in e00, 4 in e09."""
    weeks = week_ids("marine", "train")
    pairs = [job.fields["week"] for job in jobs("pairs", "train", 1.0)]
    assert len(set(pairs)) == len(pairs) == 16 * len(weeks)
    weathers = {pair.rpartition("-")[2] for pair in pairs[: 3 * len(weeks)]}
    assert weathers == {"e12", "e00", "e09"}
    assert [pair.rpartition("-")[2] for pair in pairs[:3]] == ["e12", "e00", "e09"]


def test_a_job_that_failed_is_among_the_dropped_with_its_error() -> None:
    record = {"work": "pair", "fields": {"week": "w-e00"}, "error": "KeyError: 3", "result": None}
    assert fate(record) == {
        "id": "w-e00",
        "kept": False,
        "qualifies": False,
        "reason": "KeyError: 3",
    }

"""Does a journal hold, and is it said where it does not?"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.cast import cast
from actors.inline import Inline
from actors.journal import Journal, JournalError, read
from actors.planners.desk import Desk
from actors.replay import ReplayError, replay
from actors.stage import Session, play
from port.packs import load_week
from tests.actors.playing import LIVE, heading, inline_journal, published

WEEK = "dock-24B-w37x1-standard-0"


@pytest.fixture
def lines() -> list[str]:
    return list(inline_journal(WEEK, "live"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def written(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def resealed(lines: list[str]) -> list[str]:
    """The lines numbered and sealed anew, as a careful forger would. Written apart from ours."""
    seal, sealed = "", []
    for number, line in enumerate(lines):
        content = re.fullmatch(r'\{"n":\d+,(.*),"hash":"\w*"\}', line, re.DOTALL)
        assert content, line
        seal = hashlib.sha256((seal + content[1]).encode()).hexdigest()
        sealed.append(f'{{"n":{number},{content[1]},"hash":"{seal}"}}')
    return sealed


def line_of(lines: list[str], kind: str, last: bool = False) -> int:
    found = [i for i, line in enumerate(lines) if f'"body":{{"kind":"{kind}"' in line]
    return found[-1 if last else 0]


def test_a_forgers_seals_are_ours(lines: list[str]) -> None:
    assert resealed(lines) == lines


def test_a_whole_journal_replays_to_its_published_grade(lines: list[str], path: Path) -> None:
    replayed = replay(written(path, lines))
    assert replayed.graded is not None
    assert replayed.graded.reward == published("live")[WEEK]["naive"]["reward"]
    assert replayed.lines == len(lines)


def test_a_run_folder_replays_like_its_journal(lines: list[str], path: Path) -> None:
    written(path, lines)
    assert replay(path.parent) == replay(path)


@pytest.mark.parametrize(("port", "week_id"), [("dock", LIVE), ("marine", LIVE)])
def test_other_ports_replay_too(port: str, week_id: str, path: Path) -> None:
    assert replay(written(path, list(inline_journal(week_id, port)))).graded is not None


# ---- what was damaged ------------------------------------------------------------------------

DAMAGE: dict[str, tuple[Callable[[list[str]], list[str]], int]] = {
    "a line taken out": (lambda s: [*s[:20], *s[21:]], 21),
    "two lines swapped": (lambda s: [*s[:20], s[21], s[20], *s[22:]], 21),
    "a line twice": (lambda s: [*s[:20], s[19], *s[20:]], 21),
    "a byte changed": (lambda s: [*s[:20], s[20].replace('"hour":', '"hovr":', 1), *s[21:]], 21),
    "a seal changed": (lambda s: [*s[:20], s[20][:-3] + 'z"}', *s[21:]], 21),
    "an empty line": (lambda s: [*s[:20], "", *s[20:]], 21),
    "a line that is none": (lambda s: [*s[:20], '{"no": "journal"}', *s[21:]], 21),
    "a number of a thousand digits": (
        lambda s: [*s[:20], s[20].replace('"n":20', '"n":' + "2" * 5000), *s[21:]],
        21,
    ),
    "no heading": (lambda s: s[1:], 1),
    "a heading in the middle": (lambda s: [*s[:20], s[0], *s[20:]], 21),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_journal_is_refused_at_its_line(
    damage: str, lines: list[str], path: Path
) -> None:
    harm, line = DAMAGE[damage]
    with pytest.raises(JournalError) as caught:
        replay(written(path, harm(lines)))
    assert str(caught.value).startswith(f"{path}, line {line} ")


def test_a_line_cut_short_is_refused_at_that_line(lines: list[str], path: Path) -> None:
    written(path, lines)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(JournalError, match=rf", line {len(lines)} is cut short"):
        replay(path)


def test_every_change_of_a_byte_is_noticed(lines: list[str], path: Path) -> None:
    """Every 97th byte of the file and every line end, a bit of each turned."""
    whole = written(path, lines).read_bytes()
    places = {*range(0, len(whole), 97), *(m.start() for m in re.finditer(b"\n", whole))}
    for place in sorted(places):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        line = whole.count(b"\n", 0, place) + 1
        with pytest.raises(JournalError) as caught:
            read(path)
        assert str(caught.value).startswith(f"{path}, line {line}"), place


def test_carriage_returns_are_no_line_ends(lines: list[str], path: Path) -> None:
    path.write_bytes("".join(line + "\r\n" for line in lines).encode())
    with pytest.raises(JournalError, match=", line 1 "):
        replay(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ", line 1: it is empty"),
        (b"\n", ", line 1 is no journal line"),
        (b"{}\n\xff\xfe\n", ", line 2 is not text"),
        (b"\x00" * 50, ", line 1 is cut short"),
        (b"\x00" * 50 + b"\n", ", line 1 is no journal line"),
        (b"[" * 100_000 + b"\n", ", line 1 is no journal line"),
    ],
)
def test_what_is_no_journal_is_refused(content: bytes, message: str, path: Path) -> None:
    path.write_bytes(content)
    with pytest.raises(JournalError, match=re.escape(f"{path}{message}")):
        replay(path)


def test_a_journal_that_is_not_there_is_named(path: Path) -> None:
    with pytest.raises(JournalError, match=re.escape(f"{path}: No such file")):
        replay(path)


# ---- well sealed, and wrong ------------------------------------------------------------------


def test_another_format_is_named_before_its_fields_are_read(path: Path) -> None:
    other = resealed(['{"n":0,"heading":{"format":"portsim-journal/2","hull":1},"hash":""}'])
    with pytest.raises(JournalError, match="line 1: format is 'portsim-journal/2'"):
        replay(written(path, other))


@pytest.mark.parametrize(
    "content",
    ['"heading":7', '"heading":{"format":"portsim-journal/1"}', "nonsense", '"a":' + "[" * 5000],
)
def test_a_sealed_heading_that_means_nothing_is_refused(content: str, path: Path) -> None:
    with pytest.raises(JournalError, match=", line 1"):
        replay(written(path, resealed([f'{{"n":0,{content},"hash":""}}'])))


def test_a_journal_of_a_week_there_is_not_names_the_nearest(lines: list[str], path: Path) -> None:
    forged = [lines[0].replace(WEEK, "dock-24B-w38x1-standard-0"), *lines[1:]]
    with pytest.raises(JournalError, match=f"line 1: no week 'dock-24B-w38x1.*nearest.*{WEEK}"):
        replay(written(path, resealed(forged)))


def test_a_journal_of_another_version_of_the_week_is_told(lines: list[str], path: Path) -> None:
    digest = json.loads(lines[0])["heading"]["digest"]
    forged = [lines[0].replace(digest, "0" * 16), *lines[1:]]
    with pytest.raises(ReplayError, match="another version"):
        replay(written(path, resealed(forged)))


def test_a_forged_role_message_is_the_first_that_differs(lines: list[str], path: Path) -> None:
    number = line_of(lines, "notice", last=True)
    forged = [*lines]
    forged[number] = forged[number].replace('"text":"', '"text":"Believe me: ', 1)
    with pytest.raises(ReplayError, match=rf", line {number + 1} differs"):
        replay(written(path, resealed(forged)))


def test_a_forged_planner_call_differs_at_its_answer(lines: list[str], path: Path) -> None:
    """The call itself is taken from the record; what it leads to is not."""
    number = line_of(lines, "confirm_berths")
    forged = [*lines]
    forged[number] = forged[number].replace('"cranes":2', '"cranes":1', 1)
    assert forged != lines
    with pytest.raises(ReplayError, match=rf", line {number + 2} differs"):
        replay(written(path, resealed(forged)))


def test_a_forged_grade_differs_at_the_last_line(lines: list[str], path: Path) -> None:
    number = line_of(lines, "graded")
    reward = published("live")[WEEK]["naive"]["reward"]
    forged = [*lines]
    forged[number] = forged[number].replace(f'"reward":{reward}', '"reward":1.0')
    assert forged != lines
    with pytest.raises(ReplayError, match=rf", line {number + 1} differs"):
        replay(written(path, resealed(forged)))


@pytest.mark.parametrize(
    ("was", "forged", "error"),
    [
        ('"kind":"advance"', '"kind":"tick","watch":9,"hour":9', ReplayError),
        ('"kind":"advance"', '"kind":"opening"', JournalError),
        ('"to":["clock"]', '"to":[]', ReplayError),
        ('"sender":"planner"', '"sender":"nobody"', ReplayError),
        ('"hour":0', '"hour":"soon"', JournalError),
        ('"seq":1', '"seq":"' + "\\ud800" + '"', JournalError),
    ],
)
def test_a_call_nobody_could_make_is_refused_at_its_line(
    was: str, forged: str, error: type[Exception], lines: list[str], path: Path
) -> None:
    number = line_of(lines, "advance")
    assert was in lines[number]
    damaged = [*lines[:number], lines[number].replace(was, forged, 1), *lines[number + 1 :]]
    with pytest.raises(error, match=rf", line {number + 1}\b"):
        replay(written(path, resealed(damaged)))


def test_a_call_to_nobody_has_no_answer_to_compare(lines: list[str], path: Path) -> None:
    number = line_of(lines, "advance")
    damaged = [*lines]
    damaged[number] = damaged[number].replace('"to":["clock"]', '"to":["nobody"]')
    with pytest.raises(ReplayError, match=rf", line {number + 2}: .*nobody has anything more"):
        replay(written(path, resealed(damaged)))


def test_a_message_too_many_is_told(lines: list[str], path: Path) -> None:
    """A role speaks up once more after everything was said."""
    number = line_of(lines, "graded")
    with pytest.raises(ReplayError, match=rf", line {number + 2}: .*nobody has anything more"):
        replay(written(path, resealed([*lines, lines[number]])))


# ---- interrupted -----------------------------------------------------------------------------


def test_a_journal_that_stops_at_any_line_replays_up_to_there(lines: list[str], path: Path) -> None:
    for kept in range(1, len(lines)):
        replayed = replay(written(path, lines[:kept]))
        assert (replayed.lines, replayed.graded) == (kept, None)


def test_calls_after_the_end_leave_the_grade_in_sight(path: Path) -> None:
    week = load_week(WEEK, "live")
    journal = Journal(heading(week, "live"))

    def late(session: Session) -> None:
        desk = Desk(session)
        while not desk.done:
            desk.advance()
        desk.get_situation()

    play(cast(week, "live"), late, Inline(), journal)
    assert replay(written(path, list(journal.lines))).graded is not None

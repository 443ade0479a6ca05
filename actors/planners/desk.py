"""What can a planner do? The planner's tools, in one place.

A policy calls the methods. Anything that speaks JSON (a model, an MCP client, a person at a
prompt) uses `call`, whose results end with the messages that have come in since the last call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from actors.messages import (
    CLOCK,
    Advance,
    Body,
    Checked,
    CheckPlan,
    Confirmation,
    ConfirmBerths,
    Declined,
    Envelope,
    GetSituation,
    Graded,
    LeaveWeek,
    Message,
    Notice,
    Opening,
    Situation,
    SubmitPlan,
    UnknownCall,
    WatchReport,
)
from actors.roles.base import plan_of, windows_of
from actors.stage import Session, StageError
from port.known import apply
from port.model import Berth, Week
from port.news import HARBOUR_MASTER
from port.plans import parse_plan, quoted
from port.view import View

PLAN_TOOLS = frozenset(("check_plan", "confirm_berths", "submit_plan"))

Result = dict[str, Any]
A = TypeVar("A", bound=Message)
B = TypeVar("B", bound=Message)


class Desk:
    """A planner's place in a session: it knows what it was told, and nothing else."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._week: Week | None = None
        self._unread: list[Envelope] = []
        self.confirmed: dict[int, Berth] = {}
        self.report: WatchReport | None = None
        self.graded: Graded | None = None
        self._listen(session.start())

    # ---- what has been heard -----------------------------------------------------------------

    @property
    def week(self) -> Week:
        """The week as known, from the opening and the notices."""
        if self._week is None:
            raise StageError("the week has not opened yet")
        return self._week

    @property
    def done(self) -> bool:
        return self.graded is not None

    def view(self) -> View:
        """What a policy plans on."""
        if self.report is None:
            raise StageError("no watch is open")
        return View(self.week, dict(self.confirmed), self.report.watch, self.report.hour)

    def _listen(self, heard: list[Envelope]) -> list[Body]:
        """Take in what came; returns what is no news: the answers."""
        answers: list[Body] = []
        for envelope in heard:
            match envelope.body:
                case Opening() as opening:
                    # Its own: inline the message is the harbour master's object, and a policy may
                    # write into what it is shown.
                    self._week = opening.week.changed()
                case Notice() as notice:
                    self._week = apply(self.week, notice.effect)
                    self._unread.append(envelope)
                case Graded() as graded:
                    self.graded = graded
                    answers.append(graded)
                case WatchReport() as report:
                    self.report = report
                    answers.append(report)
                case answer:
                    answers.append(answer)
        return answers

    def _ask(self, to: str, body: Body) -> list[Body]:
        return self._listen(self._session.send(to, body))

    # ---- the tools ---------------------------------------------------------------------------

    def get_situation(self) -> Situation | Declined:
        """The week as known now, in words."""
        return _first(self._ask(HARBOUR_MASTER, GetSituation()), Situation, Declined)

    def check_plan(self, raw: object) -> Checked | Declined:
        """Rule breaks and cost of these windows merged over the confirmed ones."""
        plan, unreadable = parse_plan(self.week, raw)
        call = CheckPlan(windows=windows_of(plan), unreadable=tuple(unreadable))
        return _first(self._ask(HARBOUR_MASTER, call), Checked, Declined)

    def confirm_berths(self, raw: object) -> Confirmation | Declined:
        """Set or change the windows listed."""
        plan, unreadable = parse_plan(self.week, raw)
        call = ConfirmBerths(windows=windows_of(plan), unreadable=tuple(unreadable))
        answer = _first(self._ask(HARBOUR_MASTER, call), Confirmation, Declined)
        if isinstance(answer, Confirmation):
            self.confirmed |= plan_of(answer.confirmed)
        return answer

    def submit_plan(self, raw: object) -> Graded | Declined:
        """The plan of a week planned in one go: grades it and ends the week."""
        plan, unreadable = parse_plan(self.week, raw)
        call = SubmitPlan(windows=windows_of(plan), unreadable=tuple(unreadable))
        return _first(self._ask(HARBOUR_MASTER, call), Graded, Declined)

    def advance(self) -> WatchReport | Graded | Declined:
        """End the watch: time moves to the next one, or the week ends and is graded."""
        if self.done:
            return Declined(reason="the week is over")
        return _first(self._ask(CLOCK, Advance()), Graded, WatchReport)

    def leave(self) -> None:
        """Stop here: the rest of the week runs on what is confirmed."""
        if not self.done:
            self._ask(CLOCK, LeaveWeek())

    # ---- the same as JSON --------------------------------------------------------------------

    @property
    def tools(self) -> Mapping[str, Callable[..., Message]]:
        """The tools of this week, by the names agents know."""
        tools: dict[str, Callable[..., Message]] = {
            "get_situation": self.get_situation,
            "check_plan": self.check_plan,
        }
        if self.week.unfolds:
            return tools | {"confirm_berths": self.confirm_berths, "advance": self.advance}
        return tools | {"submit_plan": self.submit_plan}

    def call(self, tool: object, arguments: object = None) -> Result:
        """Call a tool by name with JSON arguments; never raises for what a caller sent.

        The result is the answer's fields and `messages`, the notices not read yet. Once the week
        is over it says so, and what it was worth: `done` and `reward`.
        """
        result: Result = self._called(tool, arguments).model_dump(mode="json")
        if self.graded is not None:
            result |= {"done": True, "reward": self.graded.reward}
        result["messages"] = [
            {"hour": e.hour, "from": e.sender, "text": e.body.text}
            for e in self._unread
            if isinstance(e.body, Notice)
        ]
        self._unread = []
        return result

    def _called(self, tool: object, arguments: object) -> Message:
        if not isinstance(tool, str) or tool not in self.tools:
            return self._unknown(f"no tool {quoted(tool)}; there are {', '.join(self.tools)}")
        if arguments is None:
            arguments = {}
        if not isinstance(arguments, Mapping):
            return self._unknown(f"{tool} takes a JSON object, not {quoted(arguments)}")
        takes = {"plan"} if tool in PLAN_TOOLS else set()
        if wrong := [quoted(key) for key in arguments if key not in takes]:
            return self._unknown(f"{tool} takes no {', '.join(wrong[:4])}")
        return self.tools[tool](*([arguments.get("plan")] if takes else []))

    def _unknown(self, reason: str) -> Message:
        return _first(
            self._ask(HARBOUR_MASTER, UnknownCall(reason=reason[:200])), Declined, Declined
        )


def _first(answers: list[Body], wanted: type[A], otherwise: type[B]) -> A | B:
    """The answer of the kind wanted, or else of the other kind."""
    for answer in answers:
        if isinstance(answer, wanted):
            return answer
    for answer in answers:
        if isinstance(answer, otherwise):
            return answer
    heard = ", ".join(answer.kind for answer in answers) or "nothing"
    raise StageError(f"expected {wanted.__name__} or {otherwise.__name__}, heard {heard}")

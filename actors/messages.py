"""Every message there is. Each is frozen, and says of itself what `kind` it is.

Nothing in a message comes from the process that sends it: no wall clock, no random number, no
process id. Two runs of a week therefore leave the same journal, wherever its roles live.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from port.model import Event, RuleCode, Week, WindHold

STAGE = "stage"
CLOCK = "clock"
PLANNER = "planner"
ASSESSOR = "assessor"
EVERYONE = "everyone"
"""Every role of the cast, the clock too: who is in it is not for a message to tell."""


class Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Window(Message):
    """A berth window in a message: hours, first section, cranes."""

    ship: int
    berth_hour: int
    section: int
    cranes: int


class Fault(Message):
    """A rule break in a message; `hour` and `other` (a ship) where the rule has them."""

    ship: int
    rule: RuleCode
    hour: int | None
    other: int | None
    text: str


class Row(Message):
    """A ship's part of a checked plan: when it leaves (hour), how late (hours), what it costs."""

    ship: int
    departs: int | None
    delay: int
    cost: int
    problems: tuple[str, ...]


class Refusal(Message):
    ship: int
    reason: str


# ---- the clock -------------------------------------------------------------------------------


class Bulletin(Message):
    """It is this hour's bulletin: who has news for it?"""

    kind: Literal["bulletin"] = "bulletin"
    hour: int


class NewsDue(Message):
    """A role has news for the bulletin. Those who have none stay silent."""

    kind: Literal["news_due"] = "news_due"


class Tick(Message):
    """A watch begins at this hour: tell your news of it."""

    kind: Literal["tick"] = "tick"
    watch: int
    hour: int


class RoundOver(Message):
    """The clock to itself: everyone had their round to answer in, what they said is in."""

    kind: Literal["round_over"] = "round_over"


class WatchOpened(Message):
    """All news of the watch is told: the planner's turn."""

    kind: Literal["watch_opened"] = "watch_opened"
    watch: int
    hour: int


class WeekClosed(Message):
    """The week is over: every role hands in its testimony."""

    kind: Literal["week_closed"] = "week_closed"
    reason: str


# ---- news ------------------------------------------------------------------------------------


class Opening(Message):
    """The week as published, before any news."""

    kind: Literal["opening"] = "opening"
    week: Week


class Notice(Message):
    """A piece of news: its words, and what it does to the week as known."""

    kind: Literal["notice"] = "notice"
    text: str
    effect: Annotated[Event, Field(discriminator="kind")]


# ---- the planner's calls and their answers ---------------------------------------------------


class GetSituation(Message):
    kind: Literal["get_situation"] = "get_situation"


class Situation(Message):
    kind: Literal["situation"] = "situation"
    text: str


class CheckPlan(Message):
    """Check these windows, merged over the confirmed ones. Nothing is confirmed."""

    kind: Literal["check_plan"] = "check_plan"
    windows: tuple[Window, ...]
    unreadable: tuple[str, ...] = ()


class Checked(Message):
    """What a plan would be worth on the week as known now, less what news is to blame for."""

    kind: Literal["checked"] = "checked"
    feasible: bool
    cost: int | None
    moves: int
    rows: tuple[Row, ...]
    excused: tuple[str, ...]
    excused_cost: int
    refused: tuple[Refusal, ...]
    unreadable: tuple[str, ...]
    calls_left: int


class ConfirmBerths(Message):
    """Set or change the windows listed, and no others."""

    kind: Literal["confirm_berths"] = "confirm_berths"
    windows: tuple[Window, ...]
    unreadable: tuple[str, ...] = ()


class Confirmation(Message):
    kind: Literal["confirmation"] = "confirmation"
    confirmed: tuple[Window, ...]
    refused: tuple[Refusal, ...]
    unreadable: tuple[str, ...]
    without_window: tuple[int, ...]
    calls_left: int


class SubmitPlan(Message):
    """The plan of a week that is planned in one go; ends it."""

    kind: Literal["submit_plan"] = "submit_plan"
    windows: tuple[Window, ...]
    unreadable: tuple[str, ...] = ()


class UnknownCall(Message):
    """A call nobody could make sense of. It counts, where calls are counted."""

    kind: Literal["unknown_call"] = "unknown_call"
    reason: str


class Declined(Message):
    """A call that is not allowed any more, or that could not be read; it changed nothing."""

    kind: Literal["declined"] = "declined"
    reason: str


class Advance(Message):
    """The planner is done with this watch."""

    kind: Literal["advance"] = "advance"


class LeaveWeek(Message):
    """The planner stops here: the rest of the week runs on the windows it confirmed."""

    kind: Literal["leave_week"] = "leave_week"


class PlanningOver(Message):
    """The harbour master takes no more plans this week."""

    kind: Literal["planning_over"] = "planning_over"
    reason: str


class WatchReport(Message):
    """What a planner is told when a watch opens. Ships are ids; `line` is the freeze line."""

    kind: Literal["watch_report"] = "watch_report"
    watch: int
    hour: int
    line: int
    berthed: tuple[int, ...]
    departed: tuple[int, ...]
    without_window: tuple[int, ...]
    calls_left: int


# ---- among the port's authorities ------------------------------------------------------------


class Review(Message):
    """Judge these windows by your own rules, on the week as known."""

    kind: Literal["review"] = "review"
    windows: tuple[Window, ...]


class Findings(Message):
    kind: Literal["findings"] = "findings"
    findings: tuple[Fault, ...]


# ---- the end ---------------------------------------------------------------------------------


class NewsTestimony(Message):
    """The news a role had for the week, each with the hour it was to be told."""

    kind: Literal["news_testimony"] = "news_testimony"
    hours: tuple[int, ...]
    events: tuple[Annotated[Event, Field(discriminator="kind")], ...]


class WeatherTestimony(Message):
    """Port control's: the wind that blew."""

    kind: Literal["weather_testimony"] = "weather_testimony"
    windows: tuple[WindHold, ...]


class WaivedCost(Message):
    ship: int
    cost: int


class ExcusedRule(Message):
    ship: int
    rule: RuleCode
    other: int | None


class RegisterTestimony(Message):
    """The harbour master's: the windows in force, and what news did to frozen ones.

    `decided` pairs a ship with the last watch at which its window could change.
    """

    kind: Literal["register_testimony"] = "register_testimony"
    windows: tuple[Window, ...]
    unreadable: int
    excused: tuple[ExcusedRule, ...]
    waived: tuple[WaivedCost, ...]
    decided: tuple[tuple[int, int], ...]


class Graded(Message):
    """The week's end: the reward, and the cost it stands for (None when a rule was broken)."""

    kind: Literal["graded"] = "graded"
    reward: float
    feasible: bool
    cost: int | None
    excused_cost: int
    problems: tuple[Fault, ...]
    audit: tuple[str, ...]


Body = Annotated[
    Bulletin
    | NewsDue
    | Tick
    | RoundOver
    | WatchOpened
    | WeekClosed
    | Opening
    | Notice
    | GetSituation
    | Situation
    | CheckPlan
    | Checked
    | ConfirmBerths
    | Confirmation
    | SubmitPlan
    | UnknownCall
    | Declined
    | Advance
    | LeaveWeek
    | PlanningOver
    | WatchReport
    | Review
    | Findings
    | NewsTestimony
    | WeatherTestimony
    | RegisterTestimony
    | Graded,
    Field(discriminator="kind"),
]


class Envelope(Message):
    """A message on its way: sent at a simulated hour, `seq` being the sender's own count."""

    hour: int
    sender: str
    seq: int
    to: tuple[str, ...]
    body: Body

    def reaches(self, role: str) -> bool:
        """Whether it is for this role of the cast."""
        return role in self.to or EVERYONE in self.to

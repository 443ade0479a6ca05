"""Who confirms windows? The harbour master: the register, the freeze line, the last word.

He judges arrivals, wind holds and movements himself and asks the other authorities, in one round,
for their part. He keeps count of what a planner may still ask, and of what news did to windows
that could no longer change.
"""

from __future__ import annotations

from collections.abc import Iterable

from actors.messages import (
    ASSESSOR,
    CLOCK,
    PLANNER,
    Body,
    Checked,
    CheckPlan,
    Confirmation,
    ConfirmBerths,
    Declined,
    Envelope,
    ExcusedRule,
    Findings,
    GetSituation,
    PlanningOver,
    Refusal,
    RegisterTestimony,
    Review,
    Row,
    Situation,
    SubmitPlan,
    Tick,
    UnknownCall,
    WaivedCost,
    WatchOpened,
    WatchReport,
    WeekClosed,
    Window,
)
from port import excuse, movements
from port.briefing import situation
from port.check import Verdict, judge
from port.limits import Limits, limits
from port.model import Berth, Event, Finding, Plan, Week
from port.view import View

from .base import Authority, Line, findings_of, plan_of, windows_of


class HarbourMaster(Authority):
    def __init__(
        self,
        name: str,
        lines: Iterable[Line],
        authorities: Iterable[str],
        reviewers: Iterable[str],
    ) -> None:
        super().__init__(name, lines, authorities)
        self.reviewers = tuple(reviewers)
        self.register: dict[int, Berth] = {}
        self._excuses = excuse.NONE
        self._known: list[Week] = []
        self._decided: dict[int, int] = {}
        self.watch = 0
        self.over = False
        self.unreadable = 0
        self._calls = 0
        self._plans_seen = 0
        self._reported = -1
        self._draft: tuple[CheckPlan, Plan, tuple[Refusal, ...]] | None = None
        self._found: list[Finding] = []
        self._awaited: set[str] = set()

    # ---- messages ----------------------------------------------------------------------------

    def receive(self, envelope: Envelope) -> list[Envelope]:
        match envelope.body:
            case Tick() as tick:
                self._new_watch(tick)
                return super().receive(envelope)
            case WatchOpened():
                return [self.send(PLANNER, self._report())]
            case GetSituation():
                return self._answer(Situation(text=situation(self._view(), self._checks_left)))
            case UnknownCall() as unknown:
                return self._answer(Declined(reason=unknown.reason))
            case CheckPlan() | ConfirmBerths() | SubmitPlan() as call:
                declined = self._declined(call)
                return self._answer(declined) if declined else self._plan_call(call)
            case Findings() as findings:
                return self._reviewed(envelope.sender, findings_of(findings.findings))
            case WeekClosed():
                self.over = True
                return [*super().receive(envelope), self.send(ASSESSOR, self._testimony())]
            case _:
                return super().receive(envelope)

    def hear(self, event: Event) -> None:
        before = self.week
        super().hear(event)
        if self.week.forecast is None:
            frozen = movements.frozen(self.register, self._line)
            self._excuses = excuse.after_notice(self._excuses, before, self.week, frozen)

    def _new_watch(self, tick: Tick) -> None:
        """Close the books on the watch before: what was known, and which windows it decided."""
        if tick.watch > 0:
            self._known.append(self.week)
        if self.week.unfolds:
            self._plans_seen = 0
        line = movements.freeze_line(tick.watch, tick.hour)
        for ship in movements.frozen(self.register, line):
            self._decided.setdefault(ship, self.watch)
        self.watch = tick.watch

    def _excused(self, plan: Plan) -> excuse.Excuses:
        """What is not charged to a plan, as things stand."""
        if self.week.forecast is None:
            return self._excuses
        return excuse.since_decided(self.week, plan, self._known, self._decided)

    # ---- what a planner may still do ---------------------------------------------------------

    @property
    def _limits(self) -> Limits:
        return limits(self.week)

    @property
    def _line(self) -> int:
        return movements.freeze_line(self.watch, self.hour)

    @property
    def _checks_left(self) -> int:
        return self._limits.plans - self._plans_seen

    def _declined(self, call: CheckPlan | ConfirmBerths | SubmitPlan) -> Declined | None:
        if self.over:
            return Declined(reason="the week is over")
        if isinstance(call, SubmitPlan):
            if self.week.unfolds:
                return Declined(reason="this week unfolds: confirm berths, watch by watch")
            return None
        if isinstance(call, ConfirmBerths) and not self.week.unfolds:
            return Declined(reason="this week is planned in one go: submit a plan")
        if self._checks_left <= 0:
            left = "this watch" if self.week.unfolds else "this week"
            return Declined(reason=f"no planning call is left in {left}; nothing was changed")
        return None

    def _answer(self, body: Body) -> list[Envelope]:
        """The answer to a call; a call too many ends a week that counts them."""
        answers = [self.send(PLANNER, body)]
        if not self.over and (most := self._limits.calls) is not None:
            self._calls += 1
            if self._calls >= most:
                self.over = True
                over = PlanningOver(reason=f"{most} calls made and no plan submitted")
                answers.append(self.send(CLOCK, over))
        return answers

    def _plan_call(self, call: CheckPlan | ConfirmBerths | SubmitPlan) -> list[Envelope]:
        if isinstance(call, SubmitPlan):
            return self._submitted(call)
        self._plans_seen += 1
        taken, refused = self._sorted_out(call.windows)
        if isinstance(call, CheckPlan):
            return self._start_review(call, {**self.register, **taken}, refused)
        self.register |= taken
        confirmation = Confirmation(
            confirmed=windows_of(taken),
            refused=refused,
            unreadable=call.unreadable,
            without_window=self._without_window(),
            calls_left=self._checks_left,
        )
        return self._answer(confirmation)

    def _submitted(self, call: SubmitPlan) -> list[Envelope]:
        self.register = plan_of(call.windows)
        self.unreadable = len(call.unreadable)
        self.over = True
        return [self.send(CLOCK, PlanningOver(reason="the plan is submitted"))]

    def _sorted_out(
        self, windows: Iterable[Window]
    ) -> tuple[dict[int, Berth], tuple[Refusal, ...]]:
        """The windows he takes at this freeze line, and why not the others."""
        taken: dict[int, Berth] = {}
        refused: list[Refusal] = []
        for ship, berth in plan_of(windows).items():
            reason = movements.refusal(self.week, self.register, self._line, ship, berth)
            if reason is None:
                taken[ship] = berth
            else:
                refused.append(Refusal(ship=ship, reason=reason))
        return taken, tuple(refused)

    # ---- review ------------------------------------------------------------------------------

    def _start_review(
        self, call: CheckPlan, plan: Plan, refused: tuple[Refusal, ...]
    ) -> list[Envelope]:
        self._draft = (call, plan, refused)
        self._found = []
        self._awaited = set(self.reviewers)
        return [self.send(self.reviewers, Review(windows=windows_of(plan)))]

    def _reviewed(self, reviewer: str, found: list[Finding]) -> list[Envelope]:
        self._found += found
        self._awaited.discard(reviewer)
        if self._awaited or self._draft is None:
            return []
        call, plan, refused = self._draft
        self._draft = None
        stays = movements.stays(self.week, plan)
        verdict = judge(self.week, stays, [*movements.findings(self.week, stays), *self._found])
        settled = excuse.settle(verdict, self._excused(plan))
        return self._answer(self._checked(call, verdict, settled, refused))

    def _checked(
        self,
        call: CheckPlan,
        verdict: Verdict,
        settled: excuse.Settlement,
        refused: tuple[Refusal, ...],
    ) -> Checked:
        problems: dict[int, list[str]] = {}
        for finding in settled.charged:
            problems.setdefault(finding.ship, []).append(finding.text)
        rows = []
        for ship_id, ship in verdict.ships.items():
            cost = ship.cost - settled.waived.get(ship_id, 0)
            if cost or ship_id in problems:
                row = Row(
                    ship=ship_id,
                    departs=ship.stay.departure if ship.stay else None,
                    delay=ship.delay_hours,
                    cost=cost,
                    problems=tuple(problems.get(ship_id, ())),
                )
                rows.append(row)
        return Checked(
            feasible=settled.feasible,
            cost=settled.cost,
            moves=verdict.moves,
            rows=tuple(rows),
            excused=tuple(f"ship {f.ship}: {f.text}" for f in settled.excused),
            excused_cost=sum(settled.waived.values()),
            refused=refused,
            unreadable=call.unreadable,
            calls_left=self._checks_left,
        )

    # ---- reports -----------------------------------------------------------------------------

    def _view(self) -> View:
        return View(self.week, self.register, self.watch, self.hour)

    def _without_window(self) -> tuple[int, ...]:
        return tuple(ship.id for ship in self.week.ships if ship.id not in self.register)

    def _report(self) -> WatchReport:
        since, now = self._reported, self.hour
        self._reported = now
        stays = movements.stays(self.week, self.register)
        return WatchReport(
            watch=self.watch,
            hour=now,
            line=self._line,
            berthed=tuple(s.ship.id for s in stays if since < s.hour <= now),
            departed=tuple(s.ship.id for s in stays if since < s.departure <= now),
            without_window=self._without_window(),
            calls_left=self._checks_left,
        )

    def _testimony(self) -> RegisterTestimony:
        return RegisterTestimony(
            windows=windows_of(self.register),
            unreadable=self.unreadable,
            excused=tuple(
                ExcusedRule(ship=ship, rule=rule, other=other)
                for ship, rule, other in sorted(
                    self._excuses.rules, key=lambda c: (c[0], c[1], -1 if c[2] is None else c[2])
                )
            ),
            waived=tuple(
                WaivedCost(ship=ship, cost=cost)
                for ship, cost in sorted(self._excuses.waived.items())
            ),
            decided=tuple(sorted(self._decided.items())),
        )

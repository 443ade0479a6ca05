"""Who runs the quay? Terminal ops: closures, outages, and the rules of sections and cranes."""

from __future__ import annotations

from port import movements, quay
from port.model import Finding, Plan

from .base import Reviewer


class TerminalOps(Reviewer):
    def review(self, plan: Plan) -> list[Finding]:
        return quay.findings(self.week, plan, movements.stays(self.week, plan))

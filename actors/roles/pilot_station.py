"""Who pilots? The pilot station: its shortages, and whether an hour has pilots enough."""

from __future__ import annotations

from port import movements, services
from port.model import Finding, Plan

from .base import Reviewer


class PilotStation(Reviewer):
    def review(self, plan: Plan) -> list[Finding]:
        return services.pilot_findings(self.week, movements.stays(self.week, plan))

"""Who tows? The tug company: its outages, and whether an hour has tugs enough."""

from __future__ import annotations

from port import movements, services
from port.model import Finding, Plan

from .base import Reviewer


class TugCompany(Reviewer):
    def review(self, plan: Plan) -> list[Finding]:
        return services.tug_findings(self.week, movements.stays(self.week, plan))

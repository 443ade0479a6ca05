"""The port's rules: what is true in a week, what is allowed, what a plan is worth."""

from .batch import check_many
from .check import check, floor
from .grade import grade
from .packs import load_week, week_ids
from .plans import parse_plan

__all__ = ["check", "check_many", "floor", "grade", "load_week", "parse_plan", "week_ids"]

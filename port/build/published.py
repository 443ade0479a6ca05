"""How well has each week been planned before? The published figures, port by port.

Plans are rows ``[ship, berth hour, section, cranes]``; rewards and costs are as published, a cost
of null is an infeasible plan's.
"""

from __future__ import annotations

from typing import Any

from ..jsonl import dumps

REFERENCES_FILE = "published_references.json"


def dock_row(row: dict[str, Any]) -> str:
    """A dock week's proven optimum, its naive and greedy costs, and two plans."""
    ref = row["ref"]
    return dumps(
        {
            "id": row["task_id"],
            "optimum": ref["optimal_cost"],
            "naive": ref["naive_cost"],
            "greedy": ref["greedy_cost"],
            "optimal_plan": ref["optimal_plan"],
            "naive_plan": ref["naive_plan"],
        }
    )


def unfolding_row(row: dict[str, Any], plan: list[list[int]] | None = None) -> str:
    """A live or marine week's figures: `watches` are hours, `configs` [workers, tie-break, cost].

    A marine week also has a plan that reaches its optimum.
    """
    found = {
        "id": row["task_id"],
        "optimum": row["optimal_cost"],
        "floor": row["floor"],
        "watches": row["watch_hours"],
        "qualifies": row["qualifies"],
        "rolling": _result(row["rolling"]),
        "configs": row["configs"],
        "naive": _result(row["naive"]),
    }
    if plan is not None:
        found["optimal_plan"] = plan
    return dumps(found)


def wind_row(row: dict[str, Any]) -> str:
    """A wind week's figures: `watches` counts them; rewards have three decimals."""
    found = {
        "id": row["task_id"],
        "anchor": row["anchor"],
        "optimum": row["hindsight"],
        "floor": row["floor"],
        "marine_optimum": row["marine_optimum"],
        "watches": row["watches"],
        "added_watches": row["added_watches"],
        "rewards": {
            planner: row[f"{planner}_reward"]
            for planner in ("rolling", "blind", "hold", "naive")
            if f"{planner}_reward" in row
        },
    }
    if "hold_cost" in row:
        found["hold_cost"] = row["hold_cost"]
    return dumps(found)


def _result(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "cost": row["cost"],
        "reward": row["reward"],
        "feasible": row["feasible"],
        "excused": row["excused_cost"],
    }

"""Tiny weeks for tests whose expected values are worked out by hand."""

from __future__ import annotations

from typing import Any

from port.model import Berth, Ship, Week


def ship(number: int = 0, **changes: Any) -> Ship:
    """A feeder of 140 m: 4 sections, 1 or 2 cranes (standard 1), 12 crane-hours of work.

    It arrives at hour 10, is planned at section 5 and due at hour 22: the hour it is done at when
    it berths on arrival with its standard crane.
    """
    fields: dict[str, Any] = {
        "id": number,
        "name": f"FEEDER {number}",
        "imo": "9000000",
        "length": 140.0,
        "sections": 4,
        "arrival": 10,
        "handling": 12,
        "planned_hour": 10,
        "planned_section": 5,
        "due": 22,
        "firm": "Hand & Sons",
    }
    return Ship(**{**fields, **changes})


def giant(number: int = 0, **changes: Any) -> Ship:
    """A ship of 366 m: 8 sections, 2 to 7 cranes (standard 4), 40 crane-hours; else as `ship`."""
    fields: dict[str, Any] = {"length": 366.0, "sections": 8, "handling": 10, "due": 20}
    return ship(number, **{**fields, **changes})


def week(*ships: Ship, **changes: Any) -> Week:
    """A week at quay 24B: sections 2-22, 9 cranes, 2 movements an hour."""
    fields: dict[str, Any] = {
        "id": "handmade",
        "quay": "24B",
        "number": 7,
        "weeks": 1,
        "monday": "2024-02-12",
        "tier": "busy",
        "crane_pool": 9,
        "movement_limit": 2,
        "ships": ships,
    }
    return Week(**{**fields, **changes})


def plan(*windows: tuple[int, int, int]) -> dict[int, Berth]:
    """The windows of ships 0, 1, 2, ..."""
    return {number: Berth(*window) for number, window in enumerate(windows)}

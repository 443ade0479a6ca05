"""Who speaks for the ships? Each firm for its own: delays, unscheduled calls, priority cargo."""

from __future__ import annotations

from .base import Speaker


class ShippingFirm(Speaker):
    """A shipping agent. It alone knows what will happen to its ships before it says so."""

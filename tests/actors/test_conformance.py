"""Is every role of every port a role?"""

from __future__ import annotations

from functools import partial

import pytest

from actors.cast import Cast, cast
from actors.messages import Envelope, Tick
from actors.roles.base import Line
from actors.roles.shipping_firm import ShippingFirm
from port.model import PriorityCargo
from port.packs import load_week
from tests.actors.conformance import check_role
from tests.actors.playing import LIVE, WIND, play_cast

WEEKS = [("dock", LIVE), ("live", LIVE), ("marine", LIVE), ("wind", WIND)]


@pytest.mark.parametrize(("port", "week_id"), WEEKS)
def test_every_role_conforms(port: str, week_id: str) -> None:
    casting: Cast = cast(load_week(week_id, port), port)
    _, journal = play_cast(casting)
    for name, part in casting.parts.items():
        inbox = journal.inbox(name)
        assert inbox, f"{name} was never spoken to"
        check_role(name, part, inbox)


class Forgetful(ShippingFirm):
    """Keeps count in the class, not in itself: no role."""

    told = 0

    def tell(self, tick: Tick) -> list[Envelope]:
        Forgetful.told += 1
        return super().tell(tick) if Forgetful.told % 2 else []


def test_a_role_that_remembers_outside_itself_does_not_conform() -> None:
    line = Line(0, PriorityCargo(1, 3), "words")
    tick = Envelope(hour=0, sender="clock", seq=0, to=("everyone",), body=Tick(watch=0, hour=0))
    with pytest.raises(AssertionError, match="two of it answer message 0 differently"):
        check_role("firm:X", partial(Forgetful, "firm:X", (line,), ()), [tick])

"""Is this a role? Checks anybody can call on a role of their own.

A role is deterministic and is what its inbox made of it: two made from the same part and sent the
same messages answer alike, one rebuilt half-way answers like the one that lived on, and neither a
message nor the part is changed by being received.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence

from actors.messages import Envelope
from actors.roles.base import Role

Part = Callable[[], Role]


def check_role(name: str, part: Part, inbox: Sequence[Envelope]) -> None:
    """Raises AssertionError naming the message at which the role is none."""
    answers = _in_lockstep(name, part, inbox)
    _signed_in_order(name, answers)
    _rebuilt_anywhere(name, part, inbox, answers)


def _in_lockstep(name: str, part: Part, inbox: Sequence[Envelope]) -> list[list[Envelope]]:
    packed = pickle.dumps(part)
    one, other = part(), pickle.loads(packed)()
    answers = []
    for number, envelope in enumerate(inbox):
        wire = envelope.model_dump_json()
        ours = one.receive(envelope)
        theirs = other.receive(Envelope.model_validate_json(wire))
        assert ours == theirs, f"{name}: two of it answer message {number} differently"
        assert envelope.model_dump_json() == wire, f"{name}: message {number} was changed"
        answers.append(ours)
    assert pickle.dumps(part) == packed, f"{name}: its part was changed"
    return answers


def _signed_in_order(name: str, answers: Sequence[Sequence[Envelope]]) -> None:
    sent = [envelope for answer in answers for envelope in answer]
    assert [e.sender for e in sent] == [name] * len(sent), f"{name} signs with another's name"
    assert [e.seq for e in sent] == list(range(len(sent))), f"{name} miscounts its messages"
    for e in sent:
        again = Envelope.model_validate_json(e.model_dump_json())
        assert again == e, f"{name}: {e.body.kind} does not survive the wire"


def _rebuilt_anywhere(
    name: str, part: Part, inbox: Sequence[Envelope], answers: Sequence[Sequence[Envelope]]
) -> None:
    for died in range(0, len(inbox), max(1, len(inbox) // 8)):
        role = part()
        for envelope in inbox[:died]:
            role.receive(envelope)
        rest = [role.receive(envelope) for envelope in inbox[died:]]
        assert rest == list(answers[died:]), f"{name}: rebuilt before message {died} it differs"

"""What can go wrong that is a user's to mend: every error of ours has this base."""


class PortsimError(Exception):
    """An error whose text says what was wrong, where, and what would be right."""


def told(error: BaseException) -> str:
    """Somebody else's error on one line: its kind and its text, whatever that may hold."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - its own __str__ fails
        text = "it has no text that can be read"
    # Half a surrogate pair is taken by no file or terminal.
    safe = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return f"{type(error).__name__}: {safe}"


def first_line(error: BaseException) -> str:
    """What a library's error says first, for a line of ours: its text may run over many."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


class WeekError(PortsimError, ValueError):
    """A week, or a part of one, that cannot be: the text names the field and the value."""

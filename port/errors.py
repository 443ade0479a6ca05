"""What can go wrong that is a user's to mend: every error of ours has this base."""


class PortsimError(Exception):
    """An error whose text says what was wrong, where, and what would be right."""


class WeekError(PortsimError, ValueError):
    """A week, or a part of one, that cannot be: the text names the field and the value."""

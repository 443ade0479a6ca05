"""The port's roles. Each is plain Python and holds only its own slice of the truth."""

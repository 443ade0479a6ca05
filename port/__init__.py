"""The port: what is true in a week, what is allowed, what a plan is worth."""

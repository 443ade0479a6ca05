"""What plans: policies, and (later) models and other teams' agents, all at the same desk."""

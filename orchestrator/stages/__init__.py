"""The orchestrator's side of the two stages: calls, deadlines, and what is tried again."""

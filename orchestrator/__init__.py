"""The orchestrator: bytes -> pages -> regions -> crops -> texts -> Markdown."""

"""Documents parsed while processes die or freeze: the real orchestrator, and stages without models."""

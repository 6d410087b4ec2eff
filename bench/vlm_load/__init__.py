"""A VLM stage with a toy model under mixed load, for what takes long to show: memory, and lost crops."""

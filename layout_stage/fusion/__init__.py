"""Putting together what the networks, the text lines and the ruling lines say of a page."""

"""Putting together what the networks, the text lines and the ruling lines say of a page.

The rules weigh shapes, and no paper gives their numbers: they were chosen so that the project's samples and
pages of other kinds come out right, and `tests/e2e/test_quality.py` holds what they reach. Lengths are mostly
in heights of the page's text (`em`), so that they hold at any resolution. Why there are rules at all:
`docs/decisions/0011-fusion.md`.
"""

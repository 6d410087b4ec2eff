"""Tables: the cells that their rules and text show, and what stands in them.

No paper gives the numbers of these rules: they were chosen so that the project's tables and those of other
kinds come out right, and `tests/e2e/test_quality.py` holds what they reach. Lengths are mostly in heights of
the table's text; `docs/decisions/0008-tables.md` says what is tried in which order.
"""

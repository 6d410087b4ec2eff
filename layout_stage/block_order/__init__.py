"""The reading order of PP-StructureV3 for layout models that predict none; see `page_order`.

After paddlex 3.7.2's `layout_parsing` pipeline (its "enhanced" XY-cut), with the differences that
`docs/decisions/0018-reading-order-of-blocks.md` lists.
"""

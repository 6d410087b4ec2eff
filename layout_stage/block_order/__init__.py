"""The reading order of pages whose layout model predicts none; see `page_order`.

In the frame of paddlex 3.7.2's `layout_parsing` pipeline, with the differences that
`docs/decisions/0018-reading-order-of-blocks.md` lists.
"""

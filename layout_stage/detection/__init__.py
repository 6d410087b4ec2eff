"""PP-StructureV3's layout networks without an engine: what they take, what their outputs mean, what is kept.

A model's folder holds `inference.yml` (`inference_config`), from which a page's inputs (`inputs`) and the
meaning of the outputs (`raw_boxes`) follow. `postprocess` leaves of them what paddlex 3.7.2 would leave.
"""

"""From the bytes of a file to the pixels of its pages: the only place that opens files.

PDFium is not thread-safe and may crash, and a small picture may ask for all memory; so everything that
decodes runs in worker processes (`worker`), which `source.PageSource` starts, limits and replaces. This
module stays empty: the workers import it, and start sooner for it.
"""

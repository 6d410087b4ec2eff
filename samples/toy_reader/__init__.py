"""A toy PaddleOCR-VL that reads: trained on drawn amounts and dates, on a CPU, in an hour or two.

It has the architecture of the product's model and its published file layout at a four-hundredth of the size,
so that tests of the whole VLM stage run on text that means something. Training and judging it take torch
and transformers:

    python -m samples.toy_reader.train --out RUN --checkpoint FOLDER    # goes on where RUN stopped
    python -m samples.toy_reader.evaluate FOLDER                        # transformers reads held-out lines

On cores that other programs use too, OMP_WAIT_POLICY=passive makes training several times faster. Lines and
seeds are fixed; the numbers still depend a little on the processor.

`samples/checkpoints/reader` is what the first command writes: 6,031 steps of at most 64 lines, 73 minutes on
two shared cores. Of 500 lines of texts that training leaves out, in five typefaces, transformers 5.24 reads
482 (96.4 %) without a fault, greedily, and ends each by itself. Most of the others are random mixtures of
signs. `pictures` holds 40 of these lines, and what it read. It reads one line, 22 to 41 pixels high, of the
characters in `wording.ALPHABET`, at the prompt `OCR:`; other things it was never shown.
"""

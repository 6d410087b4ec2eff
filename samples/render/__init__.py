"""Draws the sample documents: pages laid out from `samples/wording`, clean and as degraded scans."""

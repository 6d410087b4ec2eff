"""PP-OCR's recognisers and SLANet, as an engine of the VLM stage."""

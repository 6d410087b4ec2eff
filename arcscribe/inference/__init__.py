"""What both stages need to run a network: OpenVINO set-up, and PP-OCR's text detector."""

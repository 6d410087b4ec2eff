"""From what a model wrote, or a recogniser read, to the content of a region: pure functions on text."""

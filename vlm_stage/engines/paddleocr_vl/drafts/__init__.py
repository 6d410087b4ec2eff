"""Draft texts: where the output stands in one, and how many of its tokens are worth a step."""

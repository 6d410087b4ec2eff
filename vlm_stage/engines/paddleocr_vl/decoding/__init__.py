"""From logits to texts: steps, sampling, loops, what the caller is told."""

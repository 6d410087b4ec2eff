"""What `bench.vlm` runs: the engine, and its peers on the same weights, crops and numbers of tokens."""

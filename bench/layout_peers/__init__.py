"""What `bench.layout` runs: our detection network, and paddlex's on the same graph, weights and pages."""

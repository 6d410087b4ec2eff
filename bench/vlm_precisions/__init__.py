"""What `bench.precision` measures: what each way to convert takes, and what it changes."""

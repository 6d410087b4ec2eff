"""What `models verify` compares a converted model with."""

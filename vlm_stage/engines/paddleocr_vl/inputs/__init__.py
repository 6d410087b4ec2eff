"""What the networks are given about a crop: patches, prompt, positions."""

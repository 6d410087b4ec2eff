"""What must equal transformers, measured against it: these tests need torch and transformers."""

"""What every process does round its calls, and how it calls the others."""

"""Sample documents with exact ground truth, the code that draws them, and the code that scores a reading."""

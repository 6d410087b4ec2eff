"""Which tokens of which crops are run next."""

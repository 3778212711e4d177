"""What every backend in SQL shares: the verbs, the ledger, selection and search, over one dialect."""

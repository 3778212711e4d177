"""What the backends in SQL share: verbs, ledger, selection and search, over one dialect."""

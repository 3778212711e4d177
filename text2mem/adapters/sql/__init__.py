"""The code that the SQL backends share: verbs, ledger, journal, queue, selection and search."""

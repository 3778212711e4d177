"""The reference executor's backend: one SQLite file, no extension needed."""

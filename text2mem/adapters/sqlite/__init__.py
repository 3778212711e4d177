"""The reference backend: a store in one SQLite file, without extensions."""
